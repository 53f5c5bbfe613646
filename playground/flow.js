// The flow of the playground: velocities on the faces of square cells, bodies, and a dye that is finer than they are.

const boost = 1.8;
const coarsest = 4; // cells along the shorter side of the coarsest grid, at least

/** @returns {Body[]} none */
const noBodies = () => [];

/** @typedef {{x: number, y: number, u: number, v: number, radius: number, held?: boolean}} Body */
/** @typedef {{from: number[], to: number[], push: number[], radius: number, heat?: number, colour?: number[]}} Splat */
/** @typedef {{w: number, h: number, x: GPUBuffer, b: GPUBuffer, wx: GPUBuffer, wy: GPUBuffer, colours: GPUBuffer[]}} Level */

/**
 * The finest grid that can be made coarse again and again, of about so many cells, high and wide.
 * @param {number} rows
 * @param {number} aspect
 * @param {number} most - cells along an edge. A window that is very wide has fewer rows, then
 */
export function sizeOf(rows, aspect, most) {
  const unit = rows >= 256 ? 32 : 16;
  const whole = (/** @type {number} */ cells) => Math.max(1, Math.min(Math.round(cells / unit), Math.floor(most / unit))) * unit;
  const high = whole(Math.min(rows, most / aspect));
  return [whole(high * aspect), high];
}

export class Flow {
  /** @type {number} */ wide;
  /** @type {number} */ high;
  /** @type {GPUBuffer} */ u;
  /** @type {GPUBuffer} */ u0;
  /** @type {GPUBuffer} */ v;
  /** @type {GPUBuffer} */ v0;
  /** @type {GPUTexture} */ flow;
  /** @type {GPUTexture} */ dye;
  /** @type {GPUTexture} */ carried;
  /** @type {GPUTexture} */ spare;
  /** @type {GPUTexture} */ glow;
  /** @type {GPUTexture} */ glowSpare;
  /** @type {GPUBuffer[]} */ glowNumbers;
  /** @type {GPUBuffer[]} */ shared;
  /** @type {GPUBindGroup} */ group;
  /** @type {Level[]} */ levels;

  /**
   * @param {import('./kernels.js').Kernels} kernels
   * @param {number} rows - of cells
   * @param {number} aspect - the picture's width over its height
   * @param {number} finer - cells of the dye for each of them, along each axis
   * @param {Flow | null} old - to go on from, with its velocity and its dye
   */
  constructor(kernels, rows, aspect, finer, old = null) {
    this.kernels = kernels;
    this.device = kernels.device;
    [this.wide, this.high] = sizeOf(rows, aspect, this.device.limits.maxTextureDimension2D / finer);
    this.dyeWide = finer * this.wide;
    this.dyeHigh = finer * this.high;
    this.settings = {swirl: 6, fade: 0.85, cooling: 0.25, buoyancy: 0};
    /** @type {(() => Body[])} */
    this.bodies = noBodies;
    this.solver = 'blocks';
    this.sweeps = 40;
    this.cycles = 2;
    kernels.forget();
    this.makeFields();
    this.makeLevels();
    if (old) this.goOn(old);
  }

  /**
   * @param {string} label
   * @param {number} floats
   */
  buffer(label, floats) {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return this.device.createBuffer({label, size: 4 * floats, usage});
  }

  /**
   * @param {string} label
   * @param {number} width
   * @param {number} height
   */
  texture(label, width, height) {
    const usage = GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC;
    return this.device.createTexture({label, size: [width, height], format: 'rgba16float', usage});
  }

  /**
   * @param {string} label
   * @param {number} bytes
   */
  numbers(label, bytes) {
    return this.device.createBuffer({label, size: bytes, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST});
  }

  makeFields() {
    const {wide, high, device} = this;
    const faces = [(wide + 1) * high, wide * (high + 1)];
    [this.u, this.u0] = ['u', 'u0'].map((name) => this.buffer(name, faces[0]));
    [this.v, this.v0] = ['v', 'v0'].map((name) => this.buffer(name, faces[1]));
    this.flow = this.texture('flow', wide, high);
    [this.dye, this.carried, this.spare] = ['dye', 'carried', 'spare'].map((name) => this.texture(name, this.dyeWide, this.dyeHigh));
    const small = [Math.ceil(this.dyeWide / 8), Math.ceil(this.dyeHigh / 8)];
    [this.glow, this.glowSpare] = ['glow', 'glowSpare'].map((name) => this.texture(name, small[0], small[1]));
    this.glowNumbers = [[1 / small[0], 0, 0.35, 0], [0, 1 / small[1], 0, 0], [2 / small[0], 0, 0, 0], [0, 2 / small[1], 0, 0]]
      .map((numbers, n) => {
        const buffer = this.numbers(`blur ${n}`, 16);
        device.queue.writeBuffer(buffer, 0, new Float32Array(numbers));
        return buffer;
      });
    this.shared = [this.numbers('settings', 40), this.numbers('bodies', 8 * 32), this.numbers('splats', 16 * 48)];
    this.group = device.createBindGroup({layout: this.kernels.sharedLayout, entries: [
      ...this.shared.map((buffer, binding) => ({binding, resource: {buffer}})),
      {binding: 3, resource: device.createSampler({magFilter: 'linear', minFilter: 'linear'})}]});
  }

  /** The grids of the multigrid solver, the finest first. */
  makeLevels() {
    let [w, h] = [this.wide, this.high];
    this.levels = [this.levelOf(0, w, h)];
    while (w % 2 === 0 && h % 2 === 0 && Math.min(w, h) > coarsest) {
      w /= 2;
      h /= 2;
      this.levels.push(this.levelOf(this.levels.length, w, h));
    }
  }

  /**
   * The grid number n, of w x h cells: its fields, and what its kernels are told for each colour.
   * @param {number} n
   * @param {number} w
   * @param {number} h
   * @returns {Level}
   */
  levelOf(n, w, h) {
    const colours = [0, 1].map((colour) => {
      const buffer = this.numbers(`level ${n} ${colour}`, 16);
      const bytes = new DataView(new ArrayBuffer(16));
      [w, h, colour].forEach((whole, k) => bytes.setInt32(4 * k, whole, true));
      bytes.setFloat32(12, boost, true);
      this.device.queue.writeBuffer(buffer, 0, bytes.buffer);
      return buffer;
    });
    return {w, h, colours, x: this.buffer(`x ${n}`, w * h), b: this.buffer(`b ${n}`, w * h),
      wx: this.buffer(`wx ${n}`, (w + 1) * h), wy: this.buffer(`wy ${n}`, w * (h + 1))};
  }

  /** @param {Flow} old */
  goOn(old) {
    this.bodies = old.bodies;
    Object.assign(this.settings, old.settings);
    this.write(0, []);
    const encoder = this.device.createCommandEncoder();
    const pass = this.begin(encoder);
    this.kernels.queue(pass, 'resample', [this.u, this.v, this.dye, old.flow, old.dye], this.dyeWide + 1, this.dyeHigh + 1);
    pass.end();
    this.device.queue.submit([encoder.finish()]);
    this.kernels.forget();
    old.destroy();
  }

  destroy() {
    const {u, v, u0, v0, flow, dye, carried, spare, glow, glowSpare} = this;
    for (const one of [u, v, u0, v0, flow, dye, carried, spare, glow, glowSpare, ...this.shared, ...this.glowNumbers]) one.destroy();
    for (const {x, b, wx, wy, colours} of this.levels) for (const one of [x, b, wx, wy, ...colours]) one.destroy();
  }

  /**
   * Writes what all kernels of a step are told.
   * @param {number} dt
   * @param {Splat[]} splats
   */
  write(dt, splats) {
    const {settings} = this;
    const numbers = new DataView(new ArrayBuffer(40));
    [this.wide, this.high, this.dyeWide, this.dyeHigh].forEach((whole, n) => numbers.setInt32(4 * n, whole, true));
    [dt, settings.swirl, settings.fade, settings.cooling, settings.buoyancy]
      .forEach((number, n) => numbers.setFloat32(16 + 4 * n, number, true));
    this.device.queue.writeBuffer(this.shared[0], 0, numbers.buffer);
    const bodies = new Float32Array(8 * 8);
    this.bodies().slice(0, 8).forEach(({x, y, u, v, radius}, n) => bodies.set([x, y, u, v, radius], 8 * n));
    this.device.queue.writeBuffer(this.shared[1], 0, bodies);
    const fingers = new Float32Array(16 * 12);
    splats.slice(0, 16).forEach(({from, to, push, radius, heat = 0, colour = [0, 0, 0]}, n) =>
      fingers.set([...from, ...to, ...push, radius, heat, ...colour, 0], 12 * n));
    this.device.queue.writeBuffer(this.shared[2], 0, fingers);
  }

  /** @param {GPUCommandEncoder} encoder */
  begin(encoder) {
    const pass = encoder.beginComputePass();
    pass.setBindGroup(0, this.group);
    return pass;
  }

  /**
   * A sweep of the level: red and black, or the other way round.
   * @param {GPUComputePassEncoder} pass
   * @param {Level} level
   */
  relax(pass, level, order = [0, 1]) {
    for (const colour of order) {
      this.kernels.queue(pass, 'relax', [level.colours[colour], level.x, level.b, level.wx, level.wy], Math.ceil(level.w / 2), level.h);
    }
  }

  /** @param {GPUComputePassEncoder} pass */
  cycle(pass, n = 0) {
    const level = this.levels[n], coarse = this.levels[n + 1];
    if (!coarse) {
      for (let sweep = 0; sweep < 12; ++sweep) this.relax(pass, level);
      return;
    }
    const [numbers] = level.colours;
    this.relax(pass, level);
    this.kernels.queue(pass, 'restrict', [numbers, level.x, level.b, level.wx, level.wy, coarse.b, coarse.x], coarse.w, coarse.h, 8);
    this.cycle(pass, n + 1);
    this.kernels.queue(pass, 'prolong', [numbers, level.x, coarse.x], level.w, level.h);
    this.relax(pass, level, [1, 0]);
  }

  /**
   * Takes the divergence out of the velocity. The first guess is the last pressure.
   * @param {GPUComputePassEncoder} pass
   */
  project(pass) {
    const [finest] = this.levels;
    const {kernels, wide, high} = this;
    kernels.queue(pass, 'divergence', [finest.b, this.u, this.v], wide, high);
    if (this.solver === 'blocks') {
      for (let n = 1; n < this.levels.length; ++n) {
        const fine = this.levels[n - 1], level = this.levels[n];
        kernels.queue(pass, 'coarsen', [level.colours[0], fine.wx, fine.wy, level.wx, level.wy], level.w + 1, level.h + 1);
      }
      for (let n = 0; n < this.cycles; ++n) this.cycle(pass);
    } else {
      for (let n = 0; n < this.sweeps; ++n) this.relax(pass, finest);
    }
    kernels.queue(pass, 'gradient', [this.u, this.v, finest.x, finest.wx, finest.wy], wide, high);
  }

  /**
   * Lets `dt` seconds pass.
   * @param {number} dt
   * @param {Splat[]} splats - fingers: places and lengths in heights of the picture
   */
  step(dt, splats) {
    const {kernels, wide, high, dyeWide, dyeHigh} = this;
    this.write(dt, splats);
    const encoder = this.device.createCommandEncoder();
    const pass = this.begin(encoder);
    [this.u, this.u0, this.v, this.v0] = [this.u0, this.u, this.v0, this.v];
    kernels.queue(pass, 'advect', [this.u, this.v, this.u0, this.v0], wide + 1, high + 1);
    const [{wx, wy}] = this.levels;
    kernels.queue(pass, 'forces', [this.u, this.v, wx, wy, this.flow, this.dye], wide + 1, high + 1);
    this.project(pass);
    // In `flow`, `forces` has read the velocity of a step ago. Now it is filled anew.
    kernels.queue(pass, 'middle', [this.flow, this.u, this.v], wide, high);
    kernels.queue(pass, 'dye', [this.carried, this.dye, this.flow], dyeWide, dyeHigh);
    kernels.queue(pass, 'sharpen', [this.spare, this.carried, this.dye, this.flow], dyeWide, dyeHigh);
    [this.dye, this.spare] = [this.spare, this.dye];
    /** @type {GPUTexture[][]} */
    const blurs = [[this.glow, this.dye], [this.glowSpare, this.glow], [this.glow, this.glowSpare], [this.glowSpare, this.glow]];
    blurs.forEach(([to, from], n) => kernels.queue(pass, 'glow', [this.glowNumbers[n], to, from], to.width, to.height, 8));
    pass.end();
    this.device.queue.submit([encoder.finish()]);
  }

  /**
   * Fetches a buffer of floats. It waits for the GPU.
   * @param {GPUBuffer} buffer
   */
  async download(buffer) {
    const copy = this.device.createBuffer({size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    this.device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const floats = new Float32Array(copy.getMappedRange().slice(0));
    copy.destroy();
    return floats;
  }

  /** The root mean square of the divergence, 1/s, in cells that are not covered. */
  async divergence() {
    const [u, v, wx, wy] = await Promise.all([this.u, this.v, this.levels[0].wx, this.levels[0].wy].map((one) => this.download(one)));
    const {wide, high} = this;
    let sum = 0, count = 0;
    for (let j = 0; j < high; ++j) {
      for (let i = 0; i < wide; ++i) {
        const left = i + (wide + 1) * j, upper = i + wide * j;
        if (wx[left] + wx[left + 1] + wy[upper] + wy[upper + wide] === 0) continue;
        sum += ((u[left + 1] - u[left] + v[upper + wide] - v[upper]) * high) ** 2;
        count += 1;
      }
    }
    return Math.sqrt(sum / count);
  }
}
