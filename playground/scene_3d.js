// Smoke and fire in a cube: chapter 24's kernels, and two more.
import {Brush} from '../webgpu/brush.js';
import {cellsText, compile, compileAll, forgetGroups, ownBinding} from '../webgpu/device.js';
import {DeviceFluid, Queue, SCALAR, VELOCITY_DEPTH, VELOCITY_HORIZONTAL, VELOCITY_VERTICAL} from '../webgpu/fluid.js';
import {Picture} from '../webgpu/draw.js';
import {palettes, scenes} from './settings.js';

export const edgesTried = [48, 64, 96, 128, 160]; // cells along an edge, without the walls
const sweeps = 12;
/** @type {[string, number][]} */
const components = [['u', VELOCITY_HORIZONTAL], ['v', VELOCITY_VERTICAL], ['w', VELOCITY_DEPTH]];

/** @param {string} name */
const ownText = async (name) => (await fetch(new URL(`${name}.wgsl`, import.meta.url))).text();

// What is drawn, and what feeds it: a ball at the bottom, in widths of the cube. It wanders by `sway`, and gives dye and a
// push upwards each second. Fire shines by itself, so its shade is as bright as its light.
const kinds = {
  smoke: {opacity: 55, radius: 0.11, sway: 0.05, pace: 2, dye: 6, push: 4},
  fire: {opacity: 30, radius: 0.14, sway: 0.08, pace: 8, dye: 13, push: 3},
};
const flame = {bright: [1.5, 0.95, 0.35], deep: [1.5, 0.75, 0.2], thin: [0.75, 0.10, 0.015]};

/** @typedef {import('../webgpu/device.js').Kernel} Kernel */

export class Scene3D {
  /** @type {GPUDevice} */ device;
  /** @type {import('./settings.js').Settings} */ settings;
  /** @type {number} */ aspect;
  /** @type {Object<string, Kernel>} */ kernels;
  /** @type {Kernel} */ whirls;
  /** @type {Kernel} */ thin;
  /** @type {Brush} */ brush;
  /** @type {Picture} */ picture;
  /** @type {GPUBuffer} */ numbers;
  /** @type {DeviceFluid} */ fluid;
  place = 0; // in edgesTried, or -1 where the settings say how many cells there are
  ceiling = edgesTried.length - 1; // the last place that is not too slow

  /**
   * @param {GPUDevice} device
   * @param {import('./settings.js').Settings} settings
   * @param {number} aspect - the picture's width over its height
   */
  static async make(device, settings, aspect) {
    const scene = new Scene3D();
    scene.device = device;
    scene.settings = settings;
    scene.aspect = aspect;
    const cells = await cellsText();
    const own = [ownBinding('uniform')];
    scene.kernels = await compileAll(device, cells, ['relax_2_colour', 'advect', 'divergence', 'gradient']);
    const fields = ['x', 'x0', 'u', 'v', 'w', 'pressure'];
    scene.whirls = await compile(device, 'whirls', await ownText('whirls'), cells, fields, own);
    scene.thin = await compile(device, 'thin', await ownText('thin'), cells, ['x'], own);
    scene.brush = await Brush.make(device, cells);
    scene.picture = await Picture.make(device, cells);
    scene.picture.steps = 150;
    Object.assign(scene.picture.camera, {pitch: 0.12, zoom: 3.2});
    scene.numbers = device.createBuffer({label: 'smoke', size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST});
    scene.place = settings.rows ? -1 : edgesTried.indexOf(64);
    scene.apply();
    scene.begin();
    return scene;
  }

  begin() {
    const edge = this.place < 0 ? this.settings.rows : edgesTried[this.place];
    if (this.fluid) this.fluid.destroy();
    forgetGroups({...this.kernels, whirls: this.whirls, thin: this.thin});
    this.fluid = new DeviceFluid(this.device, this.kernels, edge + 2); // with its walls
    this.fluid.sweep = 'relax_2_colour';
  }

  /** @param {number} aspect */
  resize(aspect) {
    this.aspect = aspect;
  }

  clear() {
    this.begin();
  }

  get kind() {
    return scenes[this.settings.scene].fire ? kinds.fire : kinds.smoke;
  }

  apply() {
    this.picture.opacity = this.kind.opacity;
    if (this.kind === kinds.fire) {
      this.picture.colours = flame;
      return;
    }
    const [first, second] = palettes[this.settings.palette].colours;
    const pale = (/** @type {number[]} */ colour) => colour.map((part) => 0.55 + 0.45 * part);
    this.picture.colours = {bright: pale(first), deep: second.map((part) => 0.12 * part), thin: pale(second).map((part) => 0.8 * part)};
  }

  addBall() {}

  /** @returns {import('./flow.js').Body | undefined} none */
  ballAt() {
    return undefined;
  }

  /** @param {number} milliseconds - that a picture takes */
  adapt(milliseconds) {
    if (this.place < 0) return;
    if (milliseconds > 16 && this.place > 0) {
      this.place -= 1;
      this.ceiling = this.place;
    } else if (milliseconds < 5 && this.place < this.ceiling) {
      this.place += 1;
    } else return;
    this.begin();
  }

  /**
   * Queues one of this scene's own kernels, which are told `numbers`.
   * @param {GPUComputePassEncoder} pass
   * @param {Kernel} kernel
   * @param {Object<string, string>} fields - which field each of its names is
   * @param {number} boundary
   */
  own(pass, kernel, fields, boundary) {
    /** @type {Object<string, GPUBuffer>} */
    const buffers = {settings: this.fluid.settingsOf({boundary})};
    for (const [name, field] of Object.entries(fields)) buffers[name] = this.fluid.fields[field];
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, kernel.bind({...buffers, guess: this.numbers}));
    const [a, b, c] = this.fluid.groupsOf('add');
    pass.dispatchWorkgroups(a, b, c);
  }

  /**
   * The point in the cube that a finger at this place of the picture is at.
   * @param {number[]} place - in heights of the picture
   */
  point([x, y]) {
    return this.picture.camera.pointAt(2 * x / this.aspect - 1, 2 * y - 1, this.aspect);
  }

  /**
   * @param {number} dt - seconds that pass
   * @param {number} time - seconds since the beginning
   * @param {import('./settings.js').Stroke[]} strokes
   * @param {boolean} idle - whether the picture is to turn by itself
   */
  step(dt, time, strokes, idle) {
    const {scene, swirl, fade} = this.settings;
    this.device.queue.writeBuffer(this.numbers, 0, new Float32Array([dt, swirl, scenes[scene].buoyancy ?? 0, fade]));
    if (idle) this.picture.camera.turn(-0.12 * dt, 0);
    const queue = new Queue(this.device);
    this.carryVelocity(queue, dt);
    this.push(queue, dt, time, strokes);
    this.project(queue);
    this.carrySmoke(queue, dt);
    queue.submit();
  }

  /**
   * Adds what moves the smoke: fingers, the source below, whirls and warmth.
   * @param {Queue} queue
   * @param {number} dt
   * @param {number} time
   * @param {import('./settings.js').Stroke[]} strokes
   */
  push(queue, dt, time, strokes) {
    const {fluid, brush, settings} = this;
    for (const {from, to} of strokes.slice(0, 8)) {
      brush.stroke(fluid, queue, {from: this.point(from), to: this.point(to), push: settings.push, dye: 0.3, radius: 0.07});
    }
    const {radius, sway, pace, dye, push} = this.kind;
    const wander = [0.5 + sway * Math.sin(1.05 * pace * time), 0.9, 0.5 + sway * Math.cos(0.85 * pace * time)];
    brush.add(fluid, queue, 'density', SCALAR, wander, {radius, amount: dye * dt});
    brush.add(fluid, queue, 'v', VELOCITY_VERTICAL, wander, {radius, amount: -push * dt});
    for (const [x] of components) fluid.swap(x, `${x}_prev`);
    for (const [x, boundary] of components) {
      this.own(queue.pass(), this.whirls,
        {x, x0: `${x}_prev`, u: 'u_prev', v: 'v_prev', w: 'w_prev', pressure: 'density'}, boundary);
    }
  }

  /**
   * Takes the divergence out of the velocity, once a step. The first guess is the last pressure: so few sweeps leave less
   * than twice as many that begin with 0.
   * @param {Queue} queue
   */
  project(queue) {
    const {fluid} = this;
    const pass = queue.pass();
    fluid.dispatch(pass, 'divergence', {x: 'divergence', u: 'u', v: 'v', w: 'w'}, {boundary: SCALAR});
    fluid.lin_solve(pass, SCALAR, 'pressure', 'divergence', 1, 6, sweeps);
    for (const [x, boundary] of components) fluid.dispatch(pass, 'gradient', {x, pressure: 'pressure'}, {boundary});
  }

  /**
   * @param {Queue} queue
   * @param {number} dt
   */
  carryVelocity(queue, dt) {
    const {fluid} = this;
    for (const [x] of components) fluid.swap(x, `${x}_prev`);
    const before = {u: 'u_prev', v: 'v_prev', w: 'w_prev'};
    for (const [x, boundary] of components) fluid.advect(queue, boundary, x, `${x}_prev`, before, Math.fround(dt));
  }

  /**
   * @param {Queue} queue
   * @param {number} dt
   */
  carrySmoke(queue, dt) {
    const {fluid} = this;
    fluid.swap('density', 'density_prev');
    fluid.advect(queue, SCALAR, 'density', 'density_prev', {u: 'u', v: 'v', w: 'w'}, Math.fround(dt));
    this.own(queue.pass(), this.thin, {x: 'density'}, SCALAR);
  }

  /** @param {GPUTexture} target */
  draw(target) {
    this.picture.draw(this.fluid, target);
  }

  words() {
    return `${this.fluid.N - 2}³ cells`;
  }

  destroy() {
    for (const one of [this.fluid, this.brush, this.picture, this.numbers]) one.destroy();
  }
}
