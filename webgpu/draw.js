// The picture of a DeviceFluid, and the camera that looks at it.
import {textOf} from './device.js';

/** Looks at the middle of the cube, which lies from 0 to 1 along each axis. y points down. */
export class Camera {
  constructor() {
    this.yaw = 0.6; // radians, about the vertical
    this.pitch = 0.35; // radians: above 0 it looks down
    this.distance = 2.6;
    this.zoom = 2.7;
  }

  axes() {
    const forward = [Math.sin(this.yaw) * Math.cos(this.pitch), Math.sin(this.pitch), Math.cos(this.yaw) * Math.cos(this.pitch)];
    const right = [Math.cos(this.yaw), 0, -Math.sin(this.yaw)];
    const down = [forward[1] * right[2] - forward[2] * right[1], forward[2] * right[0] - forward[0] * right[2],
      forward[0] * right[1] - forward[1] * right[0]];
    return {forward, right, down, eye: forward.map((part) => 0.5 - this.distance * part)};
  }

  /**
   * @param {number} dx - radians to the right
   * @param {number} dy - radians down
   */
  turn(dx, dy) {
    this.yaw -= dx;
    this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + dy));
  }

  /**
   * The point of the plane through the cube's middle, seen at (x, y) of the picture: from -1 to 1, y down.
   * @param {number} x
   * @param {number} y
   * @param {number} aspect - the picture's width over its height
   * @returns {number[]}
   */
  pointAt(x, y, aspect) {
    const {forward, right, down, eye} = this.axes();
    const far = this.distance;
    return eye.map((part, n) => part + far * (forward[n] + (x * aspect * right[n] + y * down[n]) / this.zoom));
  }
}

export class Picture {
  /** @type {GPUDevice} */ device;
  /** @type {GPURenderPipeline} */ pipeline; // it draws the texture `volume`
  /** @type {GPUComputePipeline} */ filler; // it fills that
  /** @type {GPUBuffer} */ view;
  /** @type {GPUSampler} */ sampler;
  /** @type {GPUTexture} */ volume;
  /** @type {GPUBindGroup} */ group;
  colours = {deep: [0.16, 0.05, 0.30], bright: [1.00, 0.62, 0.28], thin: [0.20, 0.55, 0.95]};
  camera = new Camera();
  steps = 110; // of a ray through the cube
  opacity = 22;
  N = 0; // of the fluid that `volume` was made for

  /**
   * @param {GPUDevice} device
   * @param {string} cells - the text of cells.wgsl
   */
  static async make(device, cells) {
    const picture = new Picture();
    picture.device = device;
    const module = device.createShaderModule({label: 'draw', code: await textOf('draw.wgsl')});
    picture.pipeline = await device.createRenderPipelineAsync({label: 'draw', layout: 'auto', vertex: {module},
      fragment: {module, targets: [{format: 'rgba8unorm'}]}});
    const filler = device.createShaderModule({label: 'volume', code: cells + '\n' + await textOf('volume.wgsl')});
    picture.filler = await device.createComputePipelineAsync({label: 'volume', layout: 'auto', compute: {module: filler}});
    picture.view = device.createBuffer({size: 112, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST});
    picture.sampler = device.createSampler({magFilter: 'linear', minFilter: 'linear'});
    return picture;
  }

  destroy() {
    this.view.destroy();
    if (this.volume) this.volume.destroy();
  }

  /** @param {number} N */
  prepare(N) {
    if (this.N === N) return;
    if (this.volume) this.volume.destroy();
    this.N = N;
    this.volume = this.device.createTexture({size: [N - 2, N - 2, N - 2], dimension: '3d', format: 'rgba16float',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING});
    this.group = this.device.createBindGroup({layout: this.pipeline.getBindGroupLayout(0), entries: [
      {binding: 0, resource: {buffer: this.view}},
      {binding: 1, resource: this.volume.createView()},
      {binding: 2, resource: this.sampler}]});
  }

  /**
   * Draws the fluid's dye into a texture.
   * @param {import('./fluid.js').DeviceFluid} fluid
   * @param {GPUTexture} target
   */
  draw(fluid, target) {
    this.prepare(fluid.N);
    const {forward, right, down, eye} = this.camera.axes();
    const {deep, bright, thin} = this.colours;
    this.device.queue.writeBuffer(this.view, 0, new Float32Array([...eye, this.steps, ...right, target.width / target.height,
      ...down, this.camera.zoom, ...forward, this.opacity, ...[deep, bright, thin].flatMap((colour) => [...colour, 1])]));
    const filling = this.device.createBindGroup({layout: this.filler.getBindGroupLayout(0), entries: [
      {binding: 0, resource: {buffer: fluid.settingsOf({})}},
      {binding: 2, resource: {buffer: fluid.fields.density}},
      {binding: 7, resource: this.volume.createView()}]});
    const encoder = this.device.createCommandEncoder();
    const fill = encoder.beginComputePass();
    fill.setPipeline(this.filler);
    fill.setBindGroup(0, filling);
    const cells = this.N - 2;
    fill.dispatchWorkgroups(Math.ceil(cells / 8), Math.ceil(cells / 8), Math.ceil(cells / 4));
    fill.end();
    const pass = encoder.beginRenderPass({colorAttachments: [{view: target.createView(), loadOp: 'clear', storeOp: 'store'}]});
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, this.group);
    pass.draw(3);
    pass.end();
    this.device.queue.submit([encoder.finish()]);
  }

  /**
   * A picture that is read back, for a file.
   * @param {import('./fluid.js').DeviceFluid} fluid
   * @param {number} size - pixels along an edge, a multiple of 64
   * @returns {Promise<Uint8ClampedArray>} rows of red, green, blue and opacity
   */
  async pixels(fluid, size) {
    if (size % 64 !== 0) throw new RangeError('a picture that is read back is a multiple of 64 pixels wide');
    const target = this.device.createTexture({size: [size, size], format: 'rgba8unorm',
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC});
    this.draw(fluid, target);
    const copy = this.device.createBuffer({size: 4 * size * size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
    const encoder = this.device.createCommandEncoder();
    encoder.copyTextureToBuffer({texture: target}, {buffer: copy, bytesPerRow: 4 * size}, [size, size]);
    this.device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const pixels = new Uint8ClampedArray(copy.getMappedRange().slice(0));
    copy.destroy();
    target.destroy();
    return pixels;
  }
}
