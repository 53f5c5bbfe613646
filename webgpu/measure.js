// What the kernels cost on the reader's GPU, as a table.
import {forgetGroups, sweeps} from './device.js';
import {DeviceFluid, Queue, SCALAR, tileEdge, tileInside} from './fluid.js';

const repeats = 20;
const moreCopies = 200;

// What a sweep asks memory for, for each cell that it writes: x and x0 are read and x is written, four bytes each,
// once for each colour; a tile reads x with a rim of two cells, and x0 with a rim of one.
/** @type {Object<string, number>} */
export const bytesACell = {
  relax_1_cell: 24,
  relax_2_colour: 24,
  relax_3_tile: 4 * ((tileEdge / tileInside) ** 3 + ((tileEdge - 2) / tileInside) ** 3 + 1),
};

/** @typedef {(pass: GPUComputePassEncoder) => void} Work - puts dispatches into a pass */

/**
 * Milliseconds that the GPU takes for such work, by the GPU's clock where it has one.
 * @param {GPUDevice} device
 * @param {Work} work
 */
async function time(device, work) {
  if (!device.features.has('timestamp-query')) return timeByHost(device, work);
  const clock = device.createQuerySet({type: 'timestamp', count: 2});
  const size = 16;
  const ticks = device.createBuffer({size, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC});
  const copy = device.createBuffer({size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
  const queue = new Queue(device);
  queue.open = queue.encoder.beginComputePass({timestampWrites: {querySet: clock, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1}});
  work(queue.open);
  queue.end();
  queue.encoder.resolveQuerySet(clock, 0, 2, ticks, 0);
  queue.encoder.copyBufferToBuffer(ticks, 0, copy, 0, size);
  queue.submit();
  await copy.mapAsync(GPUMapMode.READ);
  const [began, ended] = new BigUint64Array(copy.getMappedRange().slice(0));
  for (const buffer of [ticks, copy]) buffer.destroy();
  clock.destroy();
  return Number(ended - began) / 1e6;
}

/**
 * @param {GPUDevice} device
 * @param {Work} work
 */
async function timeByHost(device, work) {
  await device.queue.onSubmittedWorkDone();
  const began = performance.now();
  const queue = new Queue(device);
  work(queue.pass());
  queue.submit();
  await device.queue.onSubmittedWorkDone();
  return performance.now() - began;
}

/**
 * The middle one of five.
 * @param {GPUDevice} device
 * @param {Work} work
 */
async function middle(device, work) {
  const times = [];
  for (let n = 0; n < 5; ++n) times.push(await time(device, work));
  return times.sort((a, b) => a - b)[2];
}

/**
 * Milliseconds until the GPU has copied a field so many times, and the way there and back.
 * @param {GPUDevice} device
 * @param {DeviceFluid} fluid
 * @param {number} count
 */
async function timeCopies(device, fluid, count) {
  await device.queue.onSubmittedWorkDone();
  const began = performance.now();
  const queue = new Queue(device);
  for (let n = 0; n < count; ++n) queue.copy(fluid.fields.u, fluid.fields.u_prev);
  queue.submit();
  await device.queue.onSubmittedWorkDone();
  return performance.now() - began;
}

/**
 * Milliseconds for a copy of a field. A copy has no pass, so it is the host who looks at the clock. The way to the GPU
 * and back is the same for many copies and for few, so it is not in their difference.
 * @param {GPUDevice} device
 * @param {DeviceFluid} fluid
 */
async function timeCopy(device, fluid) {
  const times = [];
  for (let n = 0; n < 5; ++n) {
    const few = await timeCopies(device, fluid, repeats);
    const many = await timeCopies(device, fluid, repeats + moreCopies);
    times.push((many - few) / moreCopies);
  }
  return times.sort((a, b) => a - b)[2];
}

/**
 * A row of the table. A clock may see no time pass, and then there is no speed.
 * @param {string} what
 * @param {number} milliseconds
 * @param {number} bytes - for each cell
 * @param {number} cells
 */
function rowOf(what, milliseconds, bytes, cells) {
  const speed = milliseconds > 0 ? ((bytes * cells) / (1e6 * milliseconds)).toFixed(1) : 'too short';
  return [what, Math.max(0, milliseconds).toFixed(4), bytes.toFixed(1), speed];
}

/**
 * Measures each kernel in a cube of N x N x N cells.
 * @param {GPUDevice} device
 * @param {Object<string, import('./device.js').Kernel>} kernels
 * @param {string} name - of the GPU
 * @param {number} N
 * @returns {Promise<string>} a table, to be read and to be sent
 */
export async function measure(device, kernels, name, N) {
  forgetGroups(kernels);
  const fluid = new DeviceFluid(device, kernels, N);
  fluid.upload({u: Float32Array.from({length: N ** 3}, () => Math.random() - 0.5)});
  const cells = (N - 2) ** 3;
  /** @type {string[][]} */
  const rows = [];
  const row = (/** @type {string} */ what, /** @type {number} */ milliseconds, /** @type {number} */ bytes) =>
    rows.push(rowOf(what, milliseconds, bytes, cells));
  row('copy of a field', await timeCopy(device, fluid), (8 * N ** 3) / cells); // it copies the walls, too
  for (const sweep of sweeps) {
    fluid.sweep = sweep;
    /** @type {Work} */
    const work = (pass) => fluid.lin_solve(pass, SCALAR, 'u', 'v', 1, 6, repeats);
    row(sweep, (await middle(device, work)) / repeats, bytesACell[sweep]);
  }
  /** @type {(kernel: string, fields: Object<string, string>, settings: import('./fluid.js').Settings) => Promise<number>} */
  const one = (kernel, fields, settings) => middle(device, (pass) => {
    for (let n = 0; n < repeats; ++n) fluid.dispatch(pass, kernel, fields, settings);
  }).then((milliseconds) => milliseconds / repeats);
  const flow = {u: 'u', v: 'v', w: 'w'};
  row('advect', await one('advect', {x: 'density', x0: 'density_prev', ...flow}, {dt0: 1}), 20);
  row('divergence', await one('divergence', {x: 'divergence', ...flow}, {}), 16);
  row('gradient', await one('gradient', {x: 'spare', pressure: 'pressure'}, {boundary: 1}), 12);
  fluid.destroy();
  forgetGroups(kernels);
  const clock = device.features.has('timestamp-query') ? "the GPU's clock" : "the host's clock";
  return [`24_webgpu, ${name}, N = ${N}, by ${clock}`, navigator.userAgent, '',
    ['', 'ms', 'bytes a cell', 'GB/s'], ...rows]
    .map((line) => typeof line === 'string' ? line : line.map((word, n) => n ? word.padStart(14) : word.padEnd(18)).join(''))
    .join('\n');
}
