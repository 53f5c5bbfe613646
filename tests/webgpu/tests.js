// The tests of chapter 24, in the page: each compares kernels on the GPU with what chapter 22's functions make of the
// same cells (cells_of_22, served as reference.json), or with chapter 22's program (its state files).
import {compile, compileAll, openDevice, sweeps} from '/webgpu/device.js';
import {DeviceFluid, Queue, defaults} from '/webgpu/fluid.js';
import {parseState} from '/webgpu/state.js';

const fetched = async (name) => (await fetch(name)).text();

/** What all tests share: the GPU, its kernels, and what they are compared with. */
class Bench {
  static async open() {
    const bench = new Bench();
    bench.device = (await openDevice()).device;
    bench.reference = JSON.parse(await fetched('/reference.json'));
    for (const [name, value] of Object.entries(bench.reference)) {
      if (Array.isArray(value)) bench.reference[name] = Float32Array.from(value);
    }
    bench.states = {};
    for (const steps of [0, 1, 20]) bench.states[steps] = parseState(await fetched(`/state_${steps}.csv`));
    return bench;
  }

  async useCells(cells) {
    this.cells = cells;
    this.kernels = await compileAll(this.device, cells);
  }

  fluid() {
    return new DeviceFluid(this.device, this.kernels, this.reference.N);
  }

  /** Evaluates an expression of WGSL for each fluid cell. `fields` are the reference's, by the kernel's names. */
  async each(expression, fields, settings = {}) {
    const source = `@compute @workgroup_size(32, 4, 2)
fn each(@builtin(global_invocation_id) thread: vec3u) {
    let i = i32(thread.x) + 1;
    let j = i32(thread.y) + 1;
    let k = i32(thread.z) + 1;
    if (i < settings.N - 1 && j < settings.N - 1 && k < settings.N - 1) {
        result[i + settings.N * (j + settings.N * k)] = f32(${expression});
    }
}
@group(0) @binding(7) var<storage, read_write> result: array<f32>;`;
    const fluid = this.fluid();
    fluid.kernels = {...this.kernels, each: await compile(this.device, 'each', source, this.cells)};
    return this.run(fluid, 'each', {...fields, guess: null}, settings, 'guess');
  }

  /** Runs a kernel on fields of the reference. Returns the one that it writes. */
  async run(fluid, kernel, fields, settings, written = 'x') {
    const places = {};
    const free = Object.keys(fluid.fields);
    for (const [name, field] of Object.entries(fields)) {
      places[name] = free.shift();
      if (field) fluid.upload({[places[name]]: this.reference[field]});
    }
    const queue = new Queue(this.device);
    fluid.dispatch(queue.pass('test'), kernel, places, settings);
    queue.submit();
    const result = await fluid.download(places[written]);
    fluid.destroy();
    for (const one of Object.values(this.kernels)) one.groups.clear();
    return result;
  }
}

const types = ['a scalar', 'u', 'v', 'w'];

class Different extends Error {}

/** That two fields are equal within `tolerance` times the largest value. Looks at the fluid first, and then at walls. */
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

const nearly = 1e-6; // of the largest value: some roundings of a float, which has 24 bits
const flow = {u: 'u', v: 'v', w: 'w'};

function settingsOf({reference}, more = {}) {
  const {a, c, dt, N} = reference;
  return {a, c_recip: Math.fround(1 / c), dt0: Math.fround(dt * (N - 2)), ...more};
}

function compareFluid(bench, found, name, what) {
  const fluidOnly = Float32Array.from(found);
  return compare(bench.reference.N, fluidOnly, bench.reference[name], nearly, what);
}

/** That each of these expressions of WGSL has its value. One kernel computes all of them. */
async function expectValues(bench, expected) {
  const expressions = Object.keys(expected);
  const N = bench.reference.N;
  const found = await bench.each(expressions.reduceRight(
    (rest, expression, n) => `select(${rest}, f32(${expression}), i == ${n + 1})`, '0.0'), {});
  expressions.forEach((expression, n) => {
    const value = found[n + 1 + N * (1 + N)];
    if (!(Math.abs(value - expected[expression]) <= 1e-6)) {
      throw new Different(`${expression} is ${value}, not ${expected[expression]}`);
    }
  });
}

const withMembers = (value, members) =>
  Object.fromEntries(Object.entries(members).map(([name, number]) => [`${value}.${name}`, number]));

async function sweepTwice(bench, name, boundary) {
  const fluid = bench.fluid();
  fluid.sweep = name;
  fluid.upload({u: bench.reference[`x_${boundary}`], u_prev: bench.reference.x0});
  const queue = new Queue(bench.device);
  fluid.lin_solve(queue.pass('test'), boundary, 'u', 'u_prev', bench.reference.a, bench.reference.c, 2);
  queue.submit();
  const found = await fluid.download('u');
  fluid.destroy();
  for (const one of Object.values(bench.kernels)) one.groups.clear();
  return found;
}

async function stepFrom(bench, steps, sweep) {
  const {N, fields} = bench.states[0];
  const fluid = new DeviceFluid(bench.device, bench.kernels, N);
  fluid.sweep = sweep;
  fluid.upload(fields);
  for (let n = 0; n < steps; ++n) fluid.step(defaults, 1 / 60);
  const found = {};
  for (const name of Object.keys(fields)) found[name] = await fluid.download(name);
  fluid.destroy();
  for (const one of Object.values(bench.kernels)) one.groups.clear();
  return found;
}

/** The largest difference from chapter 22 after so many steps, for each field, over its largest value. */
export async function differences(bench, steps, sweep) {
  const found = await stepFrom(bench, steps, sweep);
  const {N, fields} = bench.states[steps];
  return Object.keys(fields).map((name) => compare(N, found[name], fields[name], 1, name));
}

// How far a step may be from chapter 22's, in each field, over its largest value: a few roundings for each step.
export const bound = (steps) => 1e-6 * (1 + steps);

/** In the order in which the functions stand in cells.wgsl. Each test returns nothing, or throws. */
export const tests = {
  'IX: cells lie row after row and layer after layer': async (bench) => {
    const {N} = bench.reference;
    const expected = {};
    for (const [i, j, k] of [[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 0, 5], [3, 2, 5]]) {
      expected[`IX(${i}, ${j}, ${k})`] = i + N * (j + N * k);
    }
    await expectValues(bench, expected);
  },
  'is_fluid: from 1 to N - 2 along each axis': async (bench) => {
    const {N} = bench.reference;
    const expected = {};
    for (const axis of [0, 1, 2]) {
      for (const [at, is] of [[0, 0], [1, 1], [N - 2, 1], [N - 1, 0]]) {
        const cell = [2, 3, 4];
        cell[axis] = at;
        expected[`is_fluid(${cell.join(', ')})`] = is;
      }
    }
    await expectValues(bench, expected);
  },
  'source_at: the cell before the point, and weights that say how near it is': async (bench) => {
    const expected = {i0: 2, j0: 5, k0: 7, s0: 0.75, s1: 0.25, t0: 0.5, t1: 0.5, u0: 0.125, u1: 0.875};
    await expectValues(bench, withMembers('source_at(2.25, 5.5, 7.875)', expected));
  },
  'source_at: a point beyond a wall is pulled in to its inner face': async (bench) => {
    const {N} = bench.reference;
    const expected = {i0: 0, s1: 0.5, j0: N - 2, t1: 0.5, k0: N - 2, u1: 0.5};
    await expectValues(bench, withMembers(`source_at(-3.0, ${N}.25, 1e30)`, expected));
  },
  'interpolate: the average of eight cells of x0, at the departure points': async (bench) => {
    const found = await bench.each('interpolate(departure_at(i, j, k))', {x0: 'x0', ...flow}, settingsOf(bench));
    compareFluid(bench, found, 'interpolate', 'what the flow brings');
  },
  'neighbours_at: the sum of the six neighbours in x': async (bench) => {
    const found = await bench.each('neighbours_at(i, j, k)', {x: 'x'});
    compareFluid(bench, found, 'neighbours_at', 'the sum of the neighbours');
  },
  'colour_of: red where i + j + k is even': async (bench) => {
    const found = await bench.each('colour_of(i, j, k)', {});
    compareFluid(bench, found, 'colour_of', 'the colour (0 is red)');
  },
  'relaxed_at: what a cell\'s equation asks for': async (bench) => {
    const found = await bench.each('relaxed_at(i, j, k)', {x: 'x', x0: 'x0'}, settingsOf(bench));
    compareFluid(bench, found, 'relaxed_at', 'a relaxed cell');
  },
  'divergence_at: what flows out, per second': async (bench) => {
    const found = await bench.each('divergence_at(i, j, k)', flow);
    compareFluid(bench, found, 'divergence_at', 'the divergence');
  },
  'gradient_at: how the pressure rises along each axis': async (bench) => {
    for (const axis of ['x', 'y', 'z']) {
      const found = await bench.each(`gradient_at(i, j, k).${axis}`, {pressure: 'pressure'});
      compareFluid(bench, found, `gradient_${axis}`, `the gradient along ${axis}`);
    }
  },
  'set_cell: a cell, and the wall cells that mirror it': async (bench) => {
    for (const boundary of [0, 1, 2, 3]) {
      const settings = settingsOf(bench, {boundary});
      const found = await bench.run(bench.fluid(), 'advect', {x: null, x0: 'x0', ...flow}, settings);
      compare(bench.reference.N, found, bench.reference[`advect_${boundary}`], nearly, `advect, of ${types[boundary]}`);
    }
  },
  ...Object.fromEntries(sweeps.map((name) => [`${name}: two sweeps are those of lin_solve`, async (bench) => {
    for (const boundary of [0, 1, 2, 3]) {
      const found = await sweepTwice(bench, name, boundary);
      compare(bench.reference.N, found, bench.reference[`lin_solve_${boundary}`], nearly, `${name}, of ${types[boundary]}`);
    }
  }])),
  'project: divergence, pressure and gradient are those of 22_cells': async (bench) => {
    const {reference} = bench;
    const fluid = bench.fluid();
    fluid.upload({u: reference.u, v: reference.v, w: reference.w, pressure: reference.pressure});
    const queue = new Queue(bench.device);
    fluid.project(queue, 3);
    queue.submit();
    compare(reference.N, await fluid.download('divergence'), reference.divergence, nearly, 'the right-hand side');
    compare(reference.N, await fluid.download('pressure'), reference.projected_pressure, nearly, 'the pressure');
    for (const name of ['u', 'v', 'w']) {
      compare(reference.N, await fluid.download(name), reference[`projected_${name}`], 4 * nearly, `${name}, projected`);
    }
    fluid.destroy();
    for (const one of Object.values(bench.kernels)) one.groups.clear();
  },
  // A tile takes long on a software adapter, and the sweeps are the same.
  'step: after 1 and 20 steps the fields are those of 22_cells': async (bench) => {
    for (const [steps, sweep] of [[1, 'relax_3_tile'], [1, 'relax_1_cell'], [20, 'relax_2_colour']]) {
      const found = await stepFrom(bench, steps, sweep);
      const {N, fields} = bench.states[steps];
      for (const name of Object.keys(fields)) {
        compare(N, found[name], fields[name], bound(steps), `${name} after ${steps} step${steps > 1 ? 's' : ''}, by ${sweep}`);
      }
    }
  },
};

export const open = () => Bench.open();

/**
 * Runs the tests against the functions of one cell in this text.
 * @returns a list of [test, what is wrong or nothing], up to the first that fails if `first` says so
 */
export async function run(bench, cells, first) {
  try {
    await bench.useCells(cells);
  } catch (error) {
    return [['It compiles', error.message]];
  }
  const results = [];
  for (const [name, test] of Object.entries(tests)) {
    let wrong = '';
    const began = performance.now();
    try {
      await test(bench);
    } catch (error) {
      wrong = error.message;
    }
    results.push([name, wrong, performance.now() - began]);
    if (wrong && first) break;
  }
  return results;
}
