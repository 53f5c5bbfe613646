// What flows in the plane: dye, smoke, fire, and the wake of a ball.
import {Flow} from './flow.js';
import {Kernels} from './kernels.js';
import {Look} from './look.js';
import {palettes, scenes} from './settings.js';

export const rowsTried = [96, 128, 192, 256, 384, 512, 768, 1024]; // of cells; the dye has twice as many
const placesOfBalls = [[0.5, 0.42], [0.66, 0.58], [0.34, 0.74]]; // in widths and heights of the picture

/** @typedef {import('./settings.js').Stroke} Stroke */

export class Scene2D {
  /** @type {Kernels} */ kernels;
  /** @type {Look} */ look;
  /** @type {import('./settings.js').Settings} */ settings;
  /** @type {import('./flow.js').Body[]} */ balls = [];
  /** @type {number} */ aspect;
  /** @type {Flow} */ flow;
  place = 0; // in rowsTried, or -1 where the settings say how many rows there are
  ceiling = rowsTried.length - 1; // the last place that is not too slow

  /**
   * @param {GPUDevice} device
   * @param {import('./settings.js').Settings} settings
   * @param {number} aspect - the picture's width over its height
   * @param {any} old - the scene before, whose kernels are compiled
   */
  static async make(device, settings, aspect, old = null) {
    const scene = new Scene2D();
    [scene.kernels, scene.look] = old instanceof Scene2D ? [old.kernels, old.look]
      : await Promise.all([Kernels.make(device), Look.make(device, 'rgba8unorm')]);
    scene.settings = settings;
    scene.place = settings.rows ? -1 : rowsTried.indexOf(256);
    scene.begin(aspect);
    return scene;
  }

  get rows() {
    return this.place < 0 ? this.settings.rows : rowsTried[this.place];
  }

  /**
   * Begins anew, or on another grid with what there is.
   * @param {number} aspect
   * @param {Flow | null} old
   */
  begin(aspect, old = null) {
    this.aspect = aspect;
    this.flow = new Flow(this.kernels, this.rows, aspect, 2, old);
    this.flow.bodies = () => this.balls;
    if (scenes[this.settings.scene].body && this.balls.length === 0) this.addBall();
    this.apply();
  }

  /** @param {number} aspect */
  resize(aspect) {
    this.begin(aspect, this.flow);
  }

  clear() {
    const old = this.flow;
    this.begin(this.aspect);
    old.destroy();
  }

  /**
   * Makes the grid finer or coarser where the GPU is much faster or slower than the screen.
   * @param {number} milliseconds - that a picture takes
   */
  adapt(milliseconds) {
    if (this.place < 0) return;
    if (milliseconds > 15 && this.place > 0) {
      this.place -= 1;
      this.ceiling = this.place;
    } else if (milliseconds < 5 && this.place < this.ceiling) {
      this.place += 1;
    } else return;
    this.begin(this.aspect, this.flow);
  }

  apply() {
    const {scene, swirl, fade, glow, relief, palette} = this.settings;
    const {buoyancy = 0, cooling = 0.2, fire = false} = scenes[scene];
    Object.assign(this.flow.settings, {swirl, fade, buoyancy, cooling});
    Object.assign(this.look.settings, {glow, relief, fire: fire ? 1 : 0, paper: palettes[palette].paper && !fire ? 1 : 0});
  }

  /** One more ball, up to three; then none. */
  addBall() {
    if (this.balls.length === placesOfBalls.length) {
      this.balls.length = 0;
      return;
    }
    const [x, y] = placesOfBalls[this.balls.length];
    this.balls.push({x: this.aspect * x, y, u: 0, v: 0, radius: 0.075});
  }

  /** @param {number} n */
  colour(n) {
    const {colours} = palettes[this.settings.palette];
    return colours[n % colours.length];
  }

  /**
   * What the fingers do: one splat for each of their strokes.
   * @param {Stroke[]} strokes
   * @returns {import('./flow.js').Splat[]}
   */
  splatsOf(strokes) {
    const {scene, radius, push} = this.settings;
    const hot = Boolean(scenes[scene].buoyancy);
    const strength = scenes[scene].fire ? 0.03 : 0.4;
    return strokes.map(({from, to, number, dye}) => ({from, to, radius,
      push: [push * (to[0] - from[0]), push * (to[1] - from[1])],
      heat: dye && hot ? 0.5 : 0, colour: dye ? this.colour(number).map((part) => strength * part) : [0, 0, 0]}));
  }

  /**
   * What happens by itself in these scenes.
   * @param {number} dt
   * @param {number} time
   * @param {boolean} idle
   * @returns {import('./flow.js').Splat[]}
   */
  ownSplats(dt, time, idle) {
    const {scene} = this.settings;
    if (scene === 'smoke' || scene === 'fire') return this.flames(time, scene === 'fire');
    if (scene === 'wake') return this.wake(dt, time);
    return idle ? this.stir(dt, time) : [];
  }

  /**
   * @param {number} time
   * @param {boolean} isFire
   */
  flames(time, isFire) {
    return [0, 1, 2].map((n) => {
      const x = this.aspect / 2 + 0.05 * (n - 1) + 0.02 * Math.sin(7 * time + 2 * n) + 0.015 * Math.sin(17 * time + n);
      const colour = this.colour(n).map((part) => part * (isFire ? 0.004 : 0.09));
      return {from: [x - 0.02, 0.93], to: [x + 0.02, 0.93], push: [0.05 * Math.sin(9 * time + n), -0.08], radius: 0.03,
        heat: isFire ? 0.22 : 0.1, colour};
    });
  }

  /**
   * @param {number} dt
   * @param {number} time
   */
  stir(dt, time) {
    const at = (/** @type {number} */ t, /** @type {number} */ n) =>
      [this.aspect * (0.5 + 0.34 * Math.sin(0.9 * t + 2.1 * n)), 0.5 + 0.33 * Math.sin(1.37 * t + 1.7 * n)];
    return [0, 1, 2].map((n) => {
      const from = at(1.5 * time, n), to = at(1.5 * (time + dt), n);
      return {from, to, push: [9 * (to[0] - from[0]), 9 * (to[1] - from[1])], radius: 0.024,
        colour: this.colour(n + Math.floor(time / 7)).map((part) => 0.3 * part)};
    });
  }

  /**
   * The ball swims to and fro, and colours what flows past it.
   * @param {number} dt
   * @param {number} time
   */
  wake(dt, time) {
    const [ball] = this.balls;
    if (!ball) return [];
    if (!ball.held) {
      const at = (/** @type {number} */ t) => [this.aspect * (0.5 - 0.36 * Math.cos(0.55 * t)), 0.5 + 0.12 * Math.sin(1.1 * t)];
      const [x, y] = at(time), [nextX, nextY] = at(time + dt);
      Object.assign(ball, {x, y, u: (nextX - x) / dt, v: (nextY - y) / dt});
    }
    const speed = Math.hypot(ball.u, ball.v) || 1;
    const side = [-ball.v / speed, ball.u / speed];
    return [-1, -0.35, 0.35, 1].map((share, n) => {
      const place = [ball.x + 1.12 * ball.radius * share * side[0] + 1.1 * ball.radius * (1 - Math.abs(share)) * ball.u / speed,
        ball.y + 1.12 * ball.radius * share * side[1] + 1.1 * ball.radius * (1 - Math.abs(share)) * ball.v / speed];
      return {from: place, to: place, push: [0, 0], radius: 0.014, colour: this.colour(n).map((part) => 0.35 * part)};
    });
  }

  /**
   * The ball under a finger.
   * @param {number[]} place - in heights of the picture
   */
  ballAt([x, y]) {
    return this.balls.find((ball) => Math.hypot(x - ball.x, y - ball.y) < ball.radius + 0.015);
  }

  /**
   * @param {number} dt - seconds that pass
   * @param {number} time - seconds since the beginning
   * @param {Stroke[]} strokes
   * @param {boolean} idle - whether the fluid is to be stirred by itself
   */
  step(dt, time, strokes, idle) {
    const own = this.ownSplats(dt, time, idle);
    this.flow.step(dt, [...own, ...this.splatsOf(strokes)].slice(0, 16));
    for (const ball of this.balls) {
      if (!ball.held && this.settings.scene !== 'wake') ball.u = ball.v = 0;
    }
  }

  /** @param {GPUTexture} target */
  draw(target) {
    this.look.draw(this.flow, target);
  }

  words() {
    return `${this.flow.wide} × ${this.flow.high} cells, dye ${this.flow.dyeWide} × ${this.flow.dyeHigh}`;
  }

  /**
   * Gives its memory back.
   * @param {any} next - the scene that follows, which may have this one's kernels
   */
  destroy(next) {
    this.flow.destroy();
    if (next.look !== this.look) this.look.destroy();
  }
}
