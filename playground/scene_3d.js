// Smoke in a cube: chapter 24's kernels, and two more.
import {Brush} from '../webgpu/brush.js';
import {cellsText, compile, compileAll, forgetGroups, ownBinding} from '../webgpu/device.js';
import {DeviceFluid, Queue, SCALAR, VELOCITY_DEPTH, VELOCITY_HORIZONTAL, VELOCITY_VERTICAL} from '../webgpu/fluid.js';
import {Picture} from '../webgpu/draw.js';
import {palettes} from './settings.js';

const sizesTried = [50, 66, 98, 130, 162]; // N: cells along an edge, walls included
const components = [['u', VELOCITY_HORIZONTAL], ['v', VELOCITY_VERTICAL], ['w', VELOCITY_DEPTH]];

const ownText = async (name) => (await fetch(new URL(`${name}.wgsl`, import.meta.url))).text();

export class Scene3D {
  /**
   * @param {GPUDevice} device
   * @param {ReturnType<import('./settings.js').fromAddress>} settings
   */
  static async make(device, settings, aspect) {
    const scene = new Scene3D();
    scene.device = device;
    scene.settings = settings;
    scene.aspect = aspect;
    scene.balls = [];
    const cells = await cellsText();
    const own = [ownBinding('uniform')];
    scene.kernels = await compileAll(device, cells, ['relax_2_colour', 'advect', 'divergence', 'gradient']);
    const fields = ['x', 'x0', 'u', 'v', 'w', 'pressure'];
    scene.whirls = await compile(device, 'whirls', await ownText('whirls'), cells, fields, own);
    scene.thin = await compile(device, 'thin', await ownText('thin'), cells, ['x'], own);
    scene.brush = await Brush.make(device, cells);
    scene.picture = await Picture.make(device, cells);
    Object.assign(scene.picture, {opacity: 55, steps: 150});
    Object.assign(scene.picture.camera, {pitch: 0.12, zoom: 3.2});
    scene.numbers = device.createBuffer({label: 'smoke', size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST});
    scene.place = settings.rows ? -1 : 1;
    scene.ceiling = sizesTried.length - 1;
    scene.apply();
    scene.begin();
    return scene;
  }

  begin() {
    const N = this.place < 0 ? Math.max(8, this.settings.rows) : sizesTried[this.place];
    if (this.fluid) this.fluid.destroy();
    forgetGroups({...this.kernels, whirls: this.whirls, thin: this.thin});
    this.fluid = new DeviceFluid(this.device, this.kernels, N);
    this.fluid.sweep = 'relax_2_colour';
  }

  resize(aspect) {
    this.aspect = aspect;
  }

  clear() {
    this.begin();
  }

  apply() {
    const [first, second] = palettes[this.settings.palette].colours;
    const pale = (colour) => colour.map((part) => 0.55 + 0.45 * part);
    this.picture.colours = {bright: pale(first), deep: second.map((part) => 0.12 * part), thin: pale(second).map((part) => 0.8 * part)};
  }

  addBall() {}

  ballAt() {
    return undefined;
  }

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

  /** Queues one of this scene's own kernels, which are told `numbers`. */
  own(pass, kernel, fields, boundary) {
    const buffers = {settings: this.fluid.settingsOf({boundary})};
    for (const [name, field] of Object.entries(fields)) buffers[name] = this.fluid.fields[field];
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, kernel.bind({...buffers, guess: this.numbers}));
    const [a, b, c] = this.fluid.groupsOf('add');
    pass.dispatchWorkgroups(a, b, c);
  }

  /** The point in the cube that a finger at this place of the picture is at. */
  point([x, y]) {
    return this.picture.camera.pointAt(2 * x / this.aspect - 1, 2 * y - 1, this.aspect);
  }

  step(dt, time, strokes, idle) {
    const {fluid, brush, settings} = this;
    this.device.queue.writeBuffer(this.numbers, 0, new Float32Array([dt, settings.swirl, 2.2, settings.fade]));
    if (idle) this.picture.camera.turn(-0.12 * dt, 0);
    const queue = new Queue(this.device);
    for (const {from, to} of strokes.slice(0, 8)) {
      brush.stroke(fluid, queue, {from: this.point(from), to: this.point(to), push: settings.push, dye: 0.3, radius: 0.07});
    }
    const wander = [0.5 + 0.05 * Math.sin(2.1 * time), 0.9, 0.5 + 0.05 * Math.cos(1.7 * time)];
    brush.add(fluid, queue, 'density', SCALAR, wander, {radius: 0.11, amount: 6 * dt});
    brush.add(fluid, queue, 'v', VELOCITY_VERTICAL, wander, {radius: 0.11, amount: -4 * dt});
    for (const [x] of components) fluid.swap(x, `${x}_prev`);
    for (const [x, boundary] of components) {
      this.own(queue.pass(), this.whirls,
        {x, x0: `${x}_prev`, u: 'u_prev', v: 'v_prev', w: 'w_prev', pressure: 'density'}, boundary);
    }
    this.move(queue, dt);
    queue.submit();
  }

  move(queue, dt) {
    const {fluid} = this;
    fluid.project(queue, 10);
    for (const [x] of components) fluid.swap(x, `${x}_prev`);
    const before = {u: 'u_prev', v: 'v_prev', w: 'w_prev'};
    for (const [x, boundary] of components) fluid.advect(queue, boundary, x, `${x}_prev`, before, Math.fround(dt));
    fluid.project(queue, 10);
    fluid.swap('density', 'density_prev');
    fluid.advect(queue, SCALAR, 'density', 'density_prev', {u: 'u', v: 'v', w: 'w'}, Math.fround(dt));
    this.own(queue.pass(), this.thin, {x: 'density'}, SCALAR);
  }

  draw(target) {
    this.picture.draw(this.fluid, target);
  }

  words() {
    return `${this.fluid.N}³ cells`;
  }

  destroy() {
    for (const one of [this.fluid, this.brush, this.picture, this.numbers]) one.destroy();
  }
}
