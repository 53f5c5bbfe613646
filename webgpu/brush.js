// What the mouse does to a DeviceFluid: it adds dye within a ball, and pushes.
import {compile, ownBinding, textOf} from './device.js';
import {SCALAR, VELOCITY_DEPTH, VELOCITY_HORIZONTAL, VELOCITY_VERTICAL} from './fluid.js';

const atOnce = 64; // balls in a submission: those of the next ones take their memory again

/** @type {[string, number][]} */
const velocity = [['u', VELOCITY_HORIZONTAL], ['v', VELOCITY_VERTICAL], ['w', VELOCITY_DEPTH]];

export class Brush {
  /** @type {GPUDevice} */ device;
  /** @type {import('./device.js').Kernel} */ kernel;
  /** @type {GPUBuffer[]} */ balls;
  next = 0; // of the balls

  /**
   * @param {GPUDevice} device
   * @param {string} cells - the text of cells.wgsl
   */
  static async make(device, cells) {
    const brush = new Brush();
    brush.device = device;
    brush.kernel = await compile(device, 'add', await textOf('add.wgsl'), cells, ['x'], [ownBinding('uniform')]);
    brush.balls = Array.from({length: atOnce}, () =>
      device.createBuffer({size: 32, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST}));
    return brush;
  }

  destroy() {
    for (const buffer of this.balls) buffer.destroy();
  }

  /**
   * Adds to a field within a ball.
   * @param {import('./fluid.js').DeviceFluid} fluid
   * @param {import('./fluid.js').Queue} queue
   * @param {string} x - the field
   * @param {number} boundary - what it holds
   * @param {number[]} centre - in the cube, which is from 0 to 1
   * @param {{radius: number, amount: number}} ball - its radius likewise, and what it adds in its middle
   */
  add(fluid, queue, x, boundary, centre, {radius, amount}) {
    const cells = fluid.N - 2;
    const buffer = this.balls[this.next];
    this.next = (this.next + 1) % atOnce;
    this.device.queue.writeBuffer(buffer, 0, new Float32Array(
      [...centre.map((part) => 0.5 + part * cells), Math.max(1.5, radius * cells), amount]));
    const pass = queue.pass();
    pass.setPipeline(this.kernel.pipeline);
    pass.setBindGroup(0, this.device.createBindGroup({layout: this.kernel.layout, entries: [
      {binding: 0, resource: {buffer: fluid.settingsOf({boundary})}},
      {binding: 1, resource: {buffer: fluid.fields[x]}},
      {binding: 7, resource: {buffer}}]}));
    const [a, b, c] = fluid.groupsOf('add');
    pass.dispatchWorkgroups(a, b, c);
  }

  /**
   * A stroke between two points: it pushes, and adds so much dye.
   * @param {import('./fluid.js').DeviceFluid} fluid
   * @param {import('./fluid.js').Queue} queue
   * @param {{from: number[], to: number[], push: number, dye: number, radius: number}} stroke
   */
  stroke(fluid, queue, {from, to, push, dye, radius}) {
    if (dye > 0) this.add(fluid, queue, 'density', SCALAR, to, {radius, amount: dye});
    velocity.forEach(([x, boundary], n) =>
      this.add(fluid, queue, x, boundary, to, {radius, amount: push * (to[n] - from[n])}));
  }
}
