// Chapter 22's fluid in the memory of a GPU. Nothing here computes: it says which kernel works on which fields.
import {forgetGroups} from './device.js';

export const SCALAR = 0, VELOCITY_HORIZONTAL = 1, VELOCITY_VERTICAL = 2, VELOCITY_DEPTH = 3;
const RED = 0, BLACK = 1;

const names = ['density', 'u', 'v', 'w', 'density_prev', 'u_prev', 'v_prev', 'w_prev', 'pressure', 'divergence', 'spare'];
export const group = [32, 4, 2]; // a workgroup's threads, as in the kernels
export const tileEdge = 16, tileInside = 12; // cells along an edge that a tile of relax_3_tile.wgsl reads and writes

/** The parameters of a step, as chapter 22's Fluid has them. */
export const defaults = {diff: 0.0001, visc: 0.0001, iterations: 4, diffuse_velocity: true, advect_velocity: true,
  project_velocity: true};

/** @typedef {{boundary?: number, colour?: number, dt0?: number, a?: number, c_recip?: number}} Settings */

const float = Math.fround;

export class DeviceFluid {
  /**
   * A cube of N x N x N cells, walls included, all of them 0.
   * @param {GPUDevice} device
   * @param {Object<string, import('./device.js').Kernel>} kernels
   * @param {number} N - a whole number, 3 or more
   */
  constructor(device, kernels, N) {
    const refused = whyNotSize(device, N);
    if (refused) throw new RangeError(refused);
    this.device = device;
    this.kernels = kernels;
    this.N = N;
    this.sweep = 'relax_3_tile';
    this.bytes = 4 * N * N * N;
    this.dispatches = 0; // in all
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    /** @type {Object<string, GPUBuffer>} */
    this.fields = {};
    for (const name of names) {
      this.fields[name] = device.createBuffer({label: name, size: this.bytes, usage});
    }
    /** @type {Map<string, GPUBuffer>} */
    this.settings = new Map();
  }

  destroy() {
    for (const buffer of [...Object.values(this.fields), ...this.settings.values()]) buffer.destroy();
  }

  /**
   * Copies whole fields, walls included, to the GPU.
   * @param {Object<string, Float32Array>} fields
   */
  upload(fields) {
    for (const [name, cells] of Object.entries(fields)) {
      if (cells.length !== this.N ** 3) throw new RangeError(`${name} has ${cells.length} cells, not ${this.N ** 3}`);
      this.device.queue.writeBuffer(this.fields[name], 0, cells);
    }
  }

  /**
   * Fetches a whole field, walls included. It waits for the GPU.
   * @param {string} name
   * @returns {Promise<Float32Array>}
   */
  async download(name) {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const copy = this.device.createBuffer({size: this.bytes, usage});
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(this.fields[name], 0, copy, 0, this.bytes);
    this.device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const cells = new Float32Array(copy.getMappedRange().slice(0));
    copy.destroy();
    return cells;
  }

  /**
   * Lets two fields change their names. No number moves: this is the ping-pong.
   * @param {string} one
   * @param {string} other
   */
  swap(one, other) {
    [this.fields[one], this.fields[other]] = [this.fields[other], this.fields[one]];
  }

  /**
   * A small buffer with what a kernel is told, as the struct Settings of cells.wgsl has it.
   * @param {Settings} settings
   */
  settingsOf({boundary = SCALAR, colour = RED, dt0 = 0, a = 0, c_recip = 0}) {
    const key = [boundary, colour, dt0, a, c_recip].join(' ');
    let buffer = this.settings.get(key);
    if (!buffer) {
      if (this.settings.size >= 256) this.forgetSettings(); // many different time steps
      const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
      buffer = this.device.createBuffer({label: key, size: 32, usage});
      const bytes = new DataView(new ArrayBuffer(32));
      [this.N, boundary, colour].forEach((whole, n) => bytes.setInt32(4 * n, whole, true));
      [dt0, a, c_recip].forEach((number, n) => bytes.setFloat32(12 + 4 * n, number, true));
      this.device.queue.writeBuffer(buffer, 0, bytes.buffer);
      this.settings.set(key, buffer);
    }
    return buffer;
  }

  forgetSettings() {
    this.settings.clear();
    forgetGroups(this.kernels);
  }

  /**
   * Queues a kernel.
   * @param {GPUComputePassEncoder} pass
   * @param {string} name - of the kernel
   * @param {Object<string, string>} fields - which field each of its names is
   * @param {Settings} settings
   */
  dispatch(pass, name, fields, settings, groups = this.groupsOf(name)) {
    const kernel = this.kernels[name];
    /** @type {Object<string, GPUBuffer>} */
    const buffers = {settings: this.settingsOf(settings)};
    for (const [own, field] of Object.entries(fields)) buffers[own] = this.fields[field];
    pass.setPipeline(kernel.pipeline);
    pass.setBindGroup(0, kernel.bind(buffers));
    pass.dispatchWorkgroups(groups[0], groups[1], groups[2]);
    this.dispatches += 1;
  }

  /**
   * How many workgroups give each of the (N - 2)^3 fluid cells what it needs.
   * @param {string} name - of the kernel
   */
  groupsOf(name) {
    const cells = this.N - 2;
    if (name === 'relax_3_tile') return Array(3).fill(Math.ceil(cells / tileInside));
    const wide = name === 'relax_2_colour' ? Math.ceil(cells / 2) : cells;
    return [Math.ceil(wide / group[0]), Math.ceil(cells / group[1]), Math.ceil(cells / group[2])];
  }

  /**
   * Red-black sweeps. They start from what x holds, and what they find is in x.
   * @param {GPUComputePassEncoder} pass
   * @param {number} boundary
   * @param {string} x
   * @param {string} x0
   * @param {number} a
   * @param {number} c
   * @param {number} iterations
   */
  lin_solve(pass, boundary, x, x0, a, c, iterations) {
    const equation = {boundary, a, c_recip: float(1 / c)};
    for (let sweep = 0; sweep < iterations; ++sweep) {
      if (this.sweep === 'relax_3_tile') {
        this.dispatch(pass, this.sweep, {x: 'spare', x0, guess: x}, equation);
        this.swap(x, 'spare');
      } else {
        this.dispatch(pass, this.sweep, {x, x0}, {...equation, colour: RED});
        this.dispatch(pass, this.sweep, {x, x0}, {...equation, colour: BLACK});
      }
    }
  }

  /**
   * @param {Queue} queue
   * @param {number} boundary
   * @param {string} x
   * @param {string} x0
   * @param {number} rate
   * @param {number} dt
   * @param {number} iterations
   */
  diffuse(queue, boundary, x, x0, rate, dt, iterations) {
    queue.copy(this.fields[x], this.fields[x0]); // every sweep needs x as it was
    const cells = this.N - 2;
    const a = float(float(float(dt * float(rate)) * cells) * cells);
    this.lin_solve(queue.pass(), boundary, x, x0, a, float(1 + float(6 * a)), iterations);
  }

  /**
   * @param {Queue} queue
   * @param {number} boundary
   * @param {string} d
   * @param {string} d0
   * @param {{u: string, v: string, w: string}} flow
   * @param {number} dt
   */
  advect(queue, boundary, d, d0, flow, dt) {
    const dt0 = float(dt * (this.N - 2));
    this.dispatch(queue.pass(), 'advect', {x: d, x0: d0, ...flow}, {boundary, dt0});
  }

  /**
   * @param {Queue} queue
   * @param {number} iterations
   */
  project(queue, iterations) {
    queue.clear(this.fields.pressure); // the first guess, walls included
    this.dispatch(queue.pass(), 'divergence', {x: 'divergence', u: 'u', v: 'v', w: 'w'}, {boundary: SCALAR});
    this.lin_solve(queue.pass(), SCALAR, 'pressure', 'divergence', 1, 6, iterations);
    const pass = queue.pass();
    this.dispatch(pass, 'gradient', {x: 'u', pressure: 'pressure'}, {boundary: VELOCITY_HORIZONTAL});
    this.dispatch(pass, 'gradient', {x: 'v', pressure: 'pressure'}, {boundary: VELOCITY_VERTICAL});
    this.dispatch(pass, 'gradient', {x: 'w', pressure: 'pressure'}, {boundary: VELOCITY_DEPTH});
  }

  /**
   * @param {Queue} queue
   * @param {typeof defaults} parameters
   * @param {number} dt
   */
  velocity_step(queue, parameters, dt) {
    const {visc, iterations} = parameters;
    if (parameters.diffuse_velocity) {
      this.diffuse(queue, VELOCITY_HORIZONTAL, 'u', 'u_prev', visc, dt, iterations);
      this.diffuse(queue, VELOCITY_VERTICAL, 'v', 'v_prev', visc, dt, iterations);
      this.diffuse(queue, VELOCITY_DEPTH, 'w', 'w_prev', visc, dt, iterations);
    }
    if (parameters.project_velocity) this.project(queue, iterations);
    if (parameters.advect_velocity) {
      this.swap('u', 'u_prev');
      this.swap('v', 'v_prev');
      this.swap('w', 'w_prev');
      const before = {u: 'u_prev', v: 'v_prev', w: 'w_prev'};
      this.advect(queue, VELOCITY_HORIZONTAL, 'u', 'u_prev', before, dt);
      this.advect(queue, VELOCITY_VERTICAL, 'v', 'v_prev', before, dt);
      this.advect(queue, VELOCITY_DEPTH, 'w', 'w_prev', before, dt);
    }
    if (parameters.project_velocity) this.project(queue, iterations);
  }

  /**
   * Lets `dt` seconds pass, as chapter 22's step does. All of it is one submission; nothing waits.
   * @param {typeof defaults} parameters
   * @param {number} dt
   */
  step(parameters, dt) {
    dt = float(dt);
    const queue = new Queue(this.device);
    this.velocity_step(queue, parameters, dt);
    this.diffuse(queue, SCALAR, 'density', 'density_prev', parameters.diff, dt, parameters.iterations);
    this.swap('density', 'density_prev');
    this.advect(queue, SCALAR, 'density', 'density_prev', {u: 'u', v: 'v', w: 'w'}, dt);
    queue.submit();
  }
}

/** What a step asks of the GPU, in order, to be submitted at once. */
export class Queue {
  /** @param {GPUDevice} device */
  constructor(device) {
    this.device = device;
    this.encoder = device.createCommandEncoder();
    /** @type {GPUComputePassEncoder | null} */
    this.open = null;
  }

  /** The pass that kernels are queued in. Copies stand between passes. */
  pass() {
    this.open = this.open || this.encoder.beginComputePass();
    return this.open;
  }

  end() {
    if (this.open) this.open.end();
    this.open = null;
  }

  /**
   * @param {GPUBuffer} from
   * @param {GPUBuffer} to - of the same size
   */
  copy(from, to) {
    this.end();
    this.encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
  }

  /** @param {GPUBuffer} buffer */
  clear(buffer) {
    this.end();
    this.encoder.clearBuffer(buffer);
  }

  submit() {
    this.end();
    this.device.queue.submit([this.encoder.finish()]);
  }
}

/**
 * What is wrong with that N, in a line, or nothing.
 * @param {GPUDevice} device
 * @param {number} N
 */
export function whyNotSize(device, N) {
  if (!Number.isInteger(N) || N < 3) return `N must be a whole number of cells, 3 or more, not ${N}`;
  const most = Math.floor(Math.cbrt(device.limits.maxStorageBufferBindingSize / 4));
  return N > most ? `N is ${N}; this GPU takes fields of ${most} cells along an edge at most` : '';
}
