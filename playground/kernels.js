// The kernels of the playground, and how they are queued.

/**
 * The kernels of the flow: what each of them has bound in group 1, in order (see `kinds`), and what it is compiled with.
 * @type {Object<string, {binds: string, with?: string[]}>}
 */
const flowKernels = {
  advect: {binds: 'wwrr'}, forces: {binds: 'wwwwtt'}, divergence: {binds: 'wrr'},
  relax: {binds: 'uwrrr', with: ['level', 'matrix']}, restrict: {binds: 'urrrrww', with: ['level', 'matrix']},
  prolong: {binds: 'uwr', with: ['level']}, coarsen: {binds: 'urrww', with: ['level']}, gradient: {binds: 'wwrrr'}, middle: {binds: 'srr'}, dye: {binds: 'stt'},
  sharpen: {binds: 'sttt'}, resample: {binds: 'wwstt'}, glow: {binds: 'ust'},
};

/** @typedef {{pipeline: GPUComputePipeline, layout: GPUBindGroupLayout, groups: Map<string, GPUBindGroup>}} Kernel */

// A buffer that is written, one that is read, numbers, a texture that is read, one that is written.
/** @type {Object<string, Partial<GPUBindGroupLayoutEntry>>} */
const kinds = {
  w: {buffer: {type: 'storage'}},
  r: {buffer: {type: 'read-only-storage'}},
  u: {buffer: {type: 'uniform'}},
  t: {texture: {sampleType: 'float'}},
  s: {storageTexture: {access: 'write-only', format: 'rgba16float'}},
};

/** @param {string} name */
const textOf = async (name) => (await fetch(new URL(`${name}.wgsl`, import.meta.url))).text();

/** A queue of kernels, which are all given the same settings, bodies and splats in group 0. */
export class Kernels {
  /** @type {GPUDevice} */ device;
  /** @type {GPUBindGroupLayout} */ sharedLayout;
  /** @type {Object<string, Kernel>} */ all = {};

  /** @param {GPUDevice} device */
  static async make(device) {
    const kernels = new Kernels();
    kernels.device = device;
    const visibility = GPUShaderStage.COMPUTE;
    kernels.sharedLayout = device.createBindGroupLayout({entries: [
      ...[0, 1, 2].map((binding) => ({binding, visibility, ...kinds.u})), {binding: 3, visibility, sampler: {}}]});
    await Promise.all(Object.entries(flowKernels).map(async ([name, {binds, with: files = []}]) => {
      const layout = device.createBindGroupLayout({entries: [...binds].map((kind, binding) => ({binding, visibility, ...kinds[kind]}))});
      const code = (await Promise.all(['common', ...files, name].map(textOf))).join('\n');
      const module = device.createShaderModule({label: name, code});
      const pipeline = await device.createComputePipelineAsync({label: name, compute: {module},
        layout: device.createPipelineLayout({bindGroupLayouts: [kernels.sharedLayout, layout]})});
      kernels.all[name] = {pipeline, layout, groups: new Map()};
    }));
    return kernels;
  }

  /** Forgets what is bound to buffers and textures that are gone. */
  forget() {
    for (const kernel of Object.values(this.all)) kernel.groups.clear();
  }

  /**
   * @param {string} name
   * @param {(GPUBuffer | GPUTexture)[]} bound
   */
  groupOf(name, bound) {
    const kernel = this.all[name];
    const key = bound.map((one) => one.label).join(' ');
    let group = kernel.groups.get(key);
    if (!group) {
      const entries = bound.map((one, binding) => ({binding, resource: one instanceof GPUBuffer ? {buffer: one} : one.createView()}));
      group = this.device.createBindGroup({layout: kernel.layout, entries});
      kernel.groups.set(key, group);
    }
    return group;
  }

  /**
   * Queues a kernel for `wide` x `high` threads, in workgroups whose side is `side`.
   * @param {GPUComputePassEncoder} pass
   * @param {string} name
   * @param {(GPUBuffer | GPUTexture)[]} bound
   * @param {number} wide
   * @param {number} high
   */
  queue(pass, name, bound, wide, high, side = 16) {
    pass.setPipeline(this.all[name].pipeline);
    pass.setBindGroup(1, this.groupOf(name, bound));
    pass.dispatchWorkgroups(Math.ceil(wide / side), Math.ceil(high / side));
  }
}
