// The tests of chapter 24, in the page: each compares kernels on the GPU with what chapter 22's functions make of the
// same cells, or with chapter 22's program.
import {Bench, Different, compare, stepFrom} from '/webgpu/compare.js';
import {WrongKernel, compile, sweeps} from '/webgpu/device.js';
import {Queue} from '/webgpu/fluid.js';

const types = ['a scalar', 'u', 'v', 'w'];

const nearly = 1e-6; // of the largest value: some roundings of a float, which has 24 bits
const flow = {u: 'u', v: 'v', w: 'w'};

function settingsOf({reference}, more = {}) {
  const {a, c, dt, N} = reference;
  return {a, c_recip: Math.fround(1 / c), dt0: Math.fround(dt * (N - 2)), ...more};
}

const compareWith = (bench, found, name, what) => compare(bench.reference.N, found, bench.reference[name], nearly, what);

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

// A kernel that calls set_cell for each fluid cell, with the cell's value in x0.
const setCells = `@compute @workgroup_size(32, 4, 2)
fn set_cells(@builtin(global_invocation_id) thread: vec3u) {
    let cell = vec3i(thread) + 1;
    if (is_fluid(cell.x, cell.y, cell.z)) {
        set_cell(cell.x, cell.y, cell.z, x0[IX(cell.x, cell.y, cell.z)]);
    }
}`;

async function sweepTwice(bench, name, boundary) {
  await bench.need([name]);
  const fluid = bench.fluid();
  fluid.sweep = name;
  fluid.upload({u: bench.reference[`x_${boundary}`], u_prev: bench.reference.x0});
  const queue = new Queue(bench.device);
  fluid.lin_solve(queue.pass(), boundary, 'u', 'u_prev', bench.reference.a, bench.reference.c, 2);
  queue.submit();
  const found = await fluid.download('u');
  fluid.destroy();
  bench.forgetGroups();
  return found;
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
  'set_cell: a cell, and the wall cells that mirror it': async (bench) => {
    bench.kernels.set_cells = await compile(bench.device, 'set_cells', setCells, bench.cells, ['x', 'x0']);
    for (const boundary of [0, 1, 2, 3]) {
      const found = await bench.run(bench.fluid(), 'set_cells', {x: null, x0: `x_${boundary}`}, {boundary});
      compare(bench.reference.N, found, bench.reference[`x_${boundary}`], nearly, `set_cell, of ${types[boundary]}`);
    }
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
    compareWith(bench, found, 'interpolate', 'what the flow brings');
  },
  'neighbours_at: the sum of the six neighbours in x': async (bench) => {
    const found = await bench.each('neighbours_at(i, j, k)', {x: 'x'});
    compareWith(bench, found, 'neighbours_at', 'the sum of the neighbours');
  },
  'colour_of: red where i + j + k is even': async (bench) => {
    const found = await bench.each('colour_of(i, j, k)', {});
    compareWith(bench, found, 'colour_of', 'the colour (0 is red)');
  },
  'relaxed_at: what a cell\'s equation asks for': async (bench) => {
    const found = await bench.each('relaxed_at(i, j, k)', {x: 'x', x0: 'x0'}, settingsOf(bench));
    compareWith(bench, found, 'relaxed_at', 'a relaxed cell');
  },
  'divergence_at: what flows out, per second': async (bench) => {
    const found = await bench.each('divergence_at(i, j, k)', flow);
    compareWith(bench, found, 'divergence_at', 'the divergence');
  },
  'gradient_at: how the pressure rises along each axis': async (bench) => {
    for (const axis of ['x', 'y', 'z']) {
      const found = await bench.each(`gradient_at(i, j, k).${axis}`, {pressure: 'pressure'});
      compareWith(bench, found, `gradient_${axis}`, `the gradient along ${axis}`);
    }
  },
  'advect: each cell, and its walls, from its departure point': async (bench) => {
    await bench.need(['advect']);
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
    await bench.need(['relax_3_tile', 'divergence', 'gradient']);
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
    bench.forgetGroups();
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

export const open = Bench.open;

/**
 * Runs the tests against the functions of one cell in this text.
 * @returns a list of [test, what is wrong or nothing], up to the first that fails if `first` says so
 */
export async function run(bench, cells, first, sources = {}) {
  bench.useCells(cells, sources);
  const results = [];
  for (const [name, test] of Object.entries(tests)) {
    let wrong = '';
    try {
      await test(bench);
    } catch (error) {
      if (error instanceof WrongKernel) return [['It compiles', error.message]];
      wrong = error.message;
    }
    results.push([name, wrong]);
    if (wrong && first) break;
  }
  return results;
}
