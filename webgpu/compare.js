// Chapter 24's kernels beside chapter 22: what both make of the same cells (references.js says where these come from).
import {compile, compileAll, forgetGroups, openDevice, ownBinding} from './device.js';
import {DeviceFluid, Queue, defaults} from './fluid.js';
import {parseState} from './state.js';

const fetched = async (/** @type {string} */ name) => (await fetch(name)).text();

const besideSweeps = ['advect', 'divergence', 'gradient'];
const inputs = ['x', 'x0', 'u', 'v', 'w', 'pressure'];

/** What all tests share: the GPU, its kernels, and what they are compared with. */
export class Bench {
  /** @type {GPUDevice} */ device;
  /** @type {any} */ reference; // what cells_of_22 has written: numbers, and fields by their names
  /** @type {Object<number, ReturnType<typeof parseState>>} */ states = {}; // by the steps before them
  /** @type {string} */ cells;
  /** @type {Object<string, string>} */ sources = {};
  /** @type {Object<string, import('./device.js').Kernel>} */ kernels = {};

  static async open() {
    const bench = new Bench();
    bench.device = (await openDevice()).device;
    bench.reference = JSON.parse(await fetched('/reference.json'));
    for (const [name, value] of Object.entries(bench.reference)) {
      if (Array.isArray(value)) bench.reference[name] = Float32Array.from(value);
    }
    for (const steps of [0, 1, 20]) bench.states[steps] = parseState(await fetched(`/state_${steps}.csv`));
    return bench;
  }

  /**
   * Kernels are compiled behind this text of cells.wgsl from now on.
   * @param {string} cells
   * @param {Object<string, string>} sources - texts in place of kernels' files
   */
  useCells(cells, sources = {}) {
    this.cells = cells;
    this.sources = sources;
    this.kernels = {};
  }

  /**
   * Compiles those of these kernels that are not there yet. Each costs a third of a second on a software adapter.
   * @param {string[]} names
   */
  async need(names) {
    const missing = names.filter((name) => !(name in this.kernels));
    Object.assign(this.kernels, await compileAll(this.device, this.cells, missing, this.sources));
  }

  /** To be called when a fluid's buffers are gone: bind groups would name them. */
  forgetGroups() {
    forgetGroups(this.kernels);
  }

  fluid() {
    return new DeviceFluid(this.device, this.kernels, this.reference.N);
  }

  /**
   * Evaluates an expression of WGSL for each fluid cell.
   * @param {string} expression
   * @param {Object<string, string>} fields - the reference's, by the kernel's names
   * @param {import('./fluid.js').Settings} settings
   * @param {string} first - what all threads do before
   */
  async each(expression, fields, settings = {}, first = '') {
    const source = `@compute @workgroup_size(32, 4, 2)
fn each(@builtin(global_invocation_id) thread: vec3u) {
    let i = i32(thread.x) + 1;
    let j = i32(thread.y) + 1;
    let k = i32(thread.z) + 1;
    ${first}
    if (i < settings.N - 1 && j < settings.N - 1 && k < settings.N - 1) {
        result[i + settings.N * (j + settings.N * k)] = f32(${expression});
    }
}
@group(0) @binding(7) var<storage, read_write> result: array<f32>;`;
    const fluid = this.fluid();
    fluid.kernels = {...this.kernels, each: await compile(this.device, 'each', source, this.cells, inputs, [ownBinding('storage')])};
    const places = Object.fromEntries(inputs.map((name) => [name, fields[name] || null]));
    return this.run(fluid, 'each', {...places, guess: null}, settings, 'guess');
  }

  /**
   * Runs a kernel on fields of the reference. Returns the one that it writes.
   * @param {DeviceFluid} fluid
   * @param {string} kernel
   * @param {Object<string, string | null>} fields - the reference's, by the kernel's names; null is one of zeros
   * @param {import('./fluid.js').Settings} settings
   */
  async run(fluid, kernel, fields, settings, written = 'x') {
    /** @type {Object<string, string>} */
    const places = {};
    const free = Object.keys(fluid.fields);
    Object.entries(fields).forEach(([name, field], n) => {
      places[name] = free[n];
      if (field) fluid.upload({[places[name]]: this.reference[field]});
    });
    const queue = new Queue(this.device);
    fluid.dispatch(queue.pass(), kernel, places, settings);
    queue.submit();
    const result = await fluid.download(places[written]);
    fluid.destroy();
    this.forgetGroups();
    return result;
  }
}

export class Different extends Error {}

/**
 * That two fields are equal within `tolerance` times the largest value. Looks at the fluid first, and then at walls.
 * @param {number} N
 * @param {Float32Array} found
 * @param {Float32Array} expected
 * @param {number} tolerance
 * @param {string} what - they are
 * @throws {Different}
 */
export function compare(N, found, expected, tolerance, what) {
  const scale = expected.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  let worst = 0;
  for (const wall of [false, true]) {
    for (let k = 0; k < N; ++k) {
      for (let j = 0; j < N; ++j) {
        for (let i = 0; i < N; ++i) {
          if (wall === [i, j, k].every((n) => 1 <= n && n < N - 1)) continue;
          const at = i + N * (j + N * k);
          const error = Math.abs(found[at] - expected[at]) / scale;
          if (!(error <= tolerance)) {
            throw new Different(`${what}: ${wall ? 'wall ' : ''}cell (${i}, ${j}, ${k}) of ${N}^3 holds ${found[at]}, not ${expected[at]}`);
          }
          worst = Math.max(worst, error);
        }
      }
    }
  }
  return worst;
}

/**
 * The fields of chapter 22's state after so many steps on the GPU, by their names.
 * @param {Bench} bench
 * @param {number} steps
 * @param {string} sweep - the kernel that relaxes
 */
export async function stepFrom(bench, steps, sweep) {
  const {N, fields} = bench.states[0];
  await bench.need([sweep, ...besideSweeps]);
  const fluid = new DeviceFluid(bench.device, bench.kernels, N);
  fluid.sweep = sweep;
  fluid.upload(fields);
  for (let n = 0; n < steps; ++n) fluid.step(defaults, 1 / 60);
  /** @type {Object<string, Float32Array>} */
  const found = {};
  for (const name of Object.keys(fields)) found[name] = await fluid.download(name);
  fluid.destroy();
  bench.forgetGroups();
  return found;
}

/**
 * The largest difference from chapter 22 after so many steps, for each field, over its largest value.
 * @param {Bench} bench
 * @param {number} steps
 * @param {string} sweep - the kernel that relaxes
 */
export async function differences(bench, steps, sweep) {
  const found = await stepFrom(bench, steps, sweep);
  const {N, fields} = bench.states[steps];
  return Object.keys(fields).map((name) => compare(N, found[name], fields[name], 1, name));
}
