// The GPU, and kernels compiled for it.

/** Why there is no GPU to compute on, in a line. */
export class NoWebGPU extends Error {}

/** What a kernel's source lacks, in a line that names the file and the line in it. */
export class WrongKernel extends Error {}

const browsers = 'Chrome and Edge from 113, Safari from 26 and Firefox from 141 have WebGPU, but not yet on every system';

/**
 * Asks the browser for a GPU.
 * @returns {Promise<{device: GPUDevice, name: string}>} the device, and the name of its adapter
 * @throws {NoWebGPU} where there is none
 */
export async function openDevice() {
  if (!navigator.gpu) {
    const why = isSecureContext ? 'this browser has no WebGPU' : 'WebGPU needs https, or localhost';
    throw new NoWebGPU(`${why}; ${browsers}`);
  }
  const adapter = await navigator.gpu.requestAdapter({powerPreference: 'high-performance'});
  if (!adapter) throw new NoWebGPU(`this browser finds no GPU that WebGPU can use; ${browsers}`);
  const {maxStorageBufferBindingSize, maxBufferSize} = adapter.limits;
  const device = await adapter.requestDevice({
    requiredFeatures: adapter.features.has('timestamp-query') ? ['timestamp-query'] : [],
    requiredLimits: {maxStorageBufferBindingSize, maxBufferSize},
  });
  const {vendor, architecture, description} = adapter.info;
  return {device, name: description || [vendor, architecture].filter(Boolean).join(' ') || 'a GPU without a name'};
}

/**
 * @param {string} name
 * @returns {Promise<string>} the text of a file beside this module
 */
export async function textOf(name) {
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name} cannot be read: ${answer.status}`);
  return answer.text();
}

// Where each field of cells.wgsl is bound, and which of them each kernel works on. It writes x, and reads the others.
/** @type {Object<string, number>} */
const bindings = {settings: 0, x: 1, x0: 2, u: 3, v: 4, w: 5, pressure: 6, guess: 7};
const sweepFields = ['x', 'x0'];
/** @type {Object<string, string[]>} */
const fieldsOf = {relax_1_cell: sweepFields, relax_2_colour: sweepFields, relax_3_tile: [...sweepFields, 'guess'],
  advect: ['x', 'x0', 'u', 'v', 'w'], divergence: ['x', 'u', 'v', 'w'], gradient: ['x', 'pressure']};

/**
 * @param {number} binding
 * @param {GPUBufferBindingType} type
 * @returns {GPUBindGroupLayoutEntry} how a kernel uses what is bound there
 */
function entryOf(binding, type) {
  return {binding, visibility: GPUShaderStage.COMPUTE, buffer: {type}};
}

/**
 * The layout of a kernel's bind groups.
 * @param {GPUDevice} device
 * @param {string[]} fields
 * @param {GPUBindGroupLayoutEntry[]} more - further entries
 */
function layoutOf(device, fields, more) {
  const entries = [entryOf(bindings.settings, 'uniform'), ...more];
  for (const name of fields) entries.push(entryOf(bindings[name], name === 'x' ? 'storage' : 'read-only-storage'));
  return device.createBindGroupLayout({entries});
}

/** A kernel, compiled together with the functions of one cell. */
export class Kernel {
  /**
   * @param {GPUDevice} device
   * @param {GPUComputePipeline} pipeline
   * @param {GPUBindGroupLayout} layout
   */
  constructor(device, pipeline, layout) {
    this.device = device;
    this.pipeline = pipeline;
    this.layout = layout;
    /** @type {Map<string, GPUBindGroup>} */
    this.groups = new Map();
  }

  /**
   * Returns the bind group that gives the kernel's names these buffers. It is made once.
   * @param {Object<string, GPUBuffer>} buffers
   */
  bind(buffers) {
    const key = Object.values(buffers).map((buffer) => buffer.label).join(' ');
    let group = this.groups.get(key);
    if (!group) {
      const entries = Object.entries(buffers).map(([name, buffer]) => ({binding: bindings[name], resource: {buffer}}));
      group = this.device.createBindGroup({layout: this.layout, entries});
      this.groups.set(key, group);
    }
    return group;
  }
}

/**
 * Forgets all bind groups. They are found by their buffers' labels, which are the same in each fluid. So this is to be
 * called before these kernels work on another fluid.
 * @param {Object<string, Kernel>} kernels
 */
export function forgetGroups(kernels) {
  for (const kernel of Object.values(kernels)) kernel.groups.clear();
}

/**
 * Compiles a kernel behind the functions of one cell.
 * @param {GPUDevice} device
 * @param {string} name - of its file, webgpu/<name>.wgsl
 * @param {string} source - of the kernel
 * @param {string} cells - the text of cells.wgsl
 * @param {string[]} fields - that it works on
 * @param {GPUBindGroupLayoutEntry[]} more - what else is bound
 * @throws {WrongKernel} where it cannot be compiled
 */
export async function compile(device, name, source, cells, fields = fieldsOf[name], more = []) {
  const module = device.createShaderModule({label: name, code: cells + '\n' + source});
  const {messages} = await module.getCompilationInfo();
  const wrong = messages.find((message) => message.type === 'error');
  if (wrong) {
    const lines = cells.split('\n').length;
    const file = wrong.lineNum <= lines ? 'cells.wgsl' : `${name}.wgsl`;
    const line = wrong.lineNum <= lines ? wrong.lineNum : wrong.lineNum - lines;
    throw new WrongKernel(`${file}, line ${line}: ${wrong.message.split('\n')[0]}`);
  }
  const group = layoutOf(device, fields, more);
  const layout = device.createPipelineLayout({bindGroupLayouts: [group]});
  try {
    const pipeline = await device.createComputePipelineAsync({label: name, layout, compute: {module}});
    return new Kernel(device, pipeline, group);
  } catch (error) {
    const [first] = error.message.split('\n');
    throw new WrongKernel(`${name}.wgsl works on ${fields.join(', ')}: does a function of cells.wgsl use another field? (${first})`);
  }
}

/** What is bound at 7: a kernel's own. */
export const ownBinding = (/** @type {GPUBufferBindingType} */ type) => entryOf(bindings.guess, type);

export const sweeps = ['relax_1_cell', 'relax_2_colour', 'relax_3_tile'];

/** @returns {Promise<string>} the functions of one cell: the chapter's, or the reader's own */
export const cellsText = () => textOf('cells.wgsl');

/** The names of all kernels of a step. */
export const stepKernels = [...sweeps, 'advect', 'divergence', 'gradient'];

/**
 * Compiles kernels: all of a step, or some.
 * @param {GPUDevice} device
 * @param {string} cells - the text of cells.wgsl
 * @param {string[]} names
 * @param {Object<string, string>} sources - texts that take the place of kernels' files, by their names
 * @returns {Promise<Object<string, Kernel>>} the kernels by their files' names
 */
export async function compileAll(device, cells, names = stepKernels, sources = {}) {
  /** @type {Object<string, Kernel>} */
  const kernels = {};
  await Promise.all(names.map(async (name) => {
    kernels[name] = await compile(device, name, sources[name] ?? await textOf(`${name}.wgsl`), cells);
  }));
  return kernels;
}
