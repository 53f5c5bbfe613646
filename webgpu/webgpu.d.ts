// The types of WebGPU, as far as the modules of webgpu/ and playground/ use it, after the W3C's specification "WebGPU".
// Before TypeScript 6 its library of the browser's types had none. `tests/webgpu/types.sh` checks the modules against these.

interface Navigator {
  readonly gpu: GPU;
}

interface HTMLCanvasElement {
  getContext(kind: 'webgpu'): GPUCanvasContext | null;
}

interface GPU {
  /** Returns null where no GPU can be had. */
  requestAdapter(options?: {powerPreference?: 'low-power' | 'high-performance'}): Promise<GPUAdapter | null>;
}

type GPUFeatureName = 'timestamp-query';

interface GPULimits {
  readonly maxBufferSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxTextureDimension2D: number;
  readonly maxTextureDimension3D: number;
}

interface GPUAdapter {
  readonly features: ReadonlySet<string>;
  readonly limits: GPULimits;
  readonly info: {readonly vendor: string; readonly architecture: string; readonly description: string};
  requestDevice(what?: {
    requiredFeatures?: GPUFeatureName[];
    requiredLimits?: {[name in keyof GPULimits]?: number};
  }): Promise<GPUDevice>;
}

interface GPUDevice extends EventTarget {
  readonly features: ReadonlySet<string>;
  readonly limits: GPULimits;
  readonly lost: Promise<GPUDeviceLostInfo>;
  readonly queue: GPUQueue;
  createBindGroup(what: {label?: string; layout: GPUBindGroupLayout; entries: GPUBindGroupEntry[]}): GPUBindGroup;
  createBindGroupLayout(what: {label?: string; entries: GPUBindGroupLayoutEntry[]}): GPUBindGroupLayout;
  createBuffer(what: {label?: string; size: number; usage: number; mappedAtCreation?: boolean}): GPUBuffer;
  createCommandEncoder(what?: {label?: string}): GPUCommandEncoder;
  createComputePipelineAsync(what: {
    label?: string;
    layout: GPUPipelineLayout | 'auto';
    compute: GPUProgrammableStage;
  }): Promise<GPUComputePipeline>;
  createPipelineLayout(what: {label?: string; bindGroupLayouts: GPUBindGroupLayout[]}): GPUPipelineLayout;
  createQuerySet(what: {label?: string; type: 'timestamp'; count: number}): GPUQuerySet;
  createRenderPipelineAsync(what: {
    label?: string;
    layout: GPUPipelineLayout | 'auto';
    vertex: GPUProgrammableStage;
    fragment?: GPUProgrammableStage & {targets: {format: GPUTextureFormat}[]};
  }): Promise<GPURenderPipeline>;
  createSampler(what?: {magFilter?: GPUFilterMode; minFilter?: GPUFilterMode}): GPUSampler;
  createShaderModule(what: {label?: string; code: string}): GPUShaderModule;
  createTexture(what: {
    label?: string;
    size: number[];
    dimension?: '1d' | '2d' | '3d';
    format: GPUTextureFormat;
    usage: number;
  }): GPUTexture;
  destroy(): void;
}

interface GPUDeviceLostInfo {
  readonly reason: 'unknown' | 'destroyed';
  readonly message: string;
}

interface GPUUncapturedErrorEvent extends Event {
  readonly error: {readonly message: string};
}

interface GPUQueue {
  /** Resolves when the GPU has done all that was submitted so far. */
  onSubmittedWorkDone(): Promise<undefined>;
  submit(commands: GPUCommandBuffer[]): void;
  writeBuffer(buffer: GPUBuffer, offset: number, data: ArrayBuffer | ArrayBufferView): void;
}

// What a GPU has, and what says how it is used.

interface GPUBuffer {
  readonly label: string;
  readonly size: number;
  destroy(): void;
  getMappedRange(): ArrayBuffer;
  mapAsync(mode: number): Promise<undefined>;
}

type GPUTextureFormat = 'rgba8unorm' | 'rgba16float';

interface GPUTexture {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  createView(): GPUTextureView;
  destroy(): void;
}

type GPUFilterMode = 'nearest' | 'linear';

interface GPUQuerySet {
  destroy(): void;
}

// A member that no object has keeps these types apart: without it each would stand for all others.
interface GPUBindGroup { readonly __is: 'GPUBindGroup' }
interface GPUBindGroupLayout { readonly __is: 'GPUBindGroupLayout' }
interface GPUCommandBuffer { readonly __is: 'GPUCommandBuffer' }
interface GPUPipelineLayout { readonly __is: 'GPUPipelineLayout' }
interface GPUSampler { readonly __is: 'GPUSampler' }
interface GPUTextureView { readonly __is: 'GPUTextureView' }

interface GPUComputePipeline {
  readonly __is: 'GPUComputePipeline';
  getBindGroupLayout(group: number): GPUBindGroupLayout;
}

interface GPURenderPipeline {
  readonly __is: 'GPURenderPipeline';
  getBindGroupLayout(group: number): GPUBindGroupLayout;
}

interface GPUShaderModule {
  getCompilationInfo(): Promise<{readonly messages: readonly GPUCompilationMessage[]}>;
}

interface GPUCompilationMessage {
  readonly lineNum: number;
  readonly message: string;
  readonly type: 'error' | 'warning' | 'info';
}

interface GPUProgrammableStage {
  module: GPUShaderModule;
  entryPoint?: string;
}

interface GPUBindGroupEntry {
  binding: number;
  resource: GPUSampler | GPUTextureView | {buffer: GPUBuffer; offset?: number; size?: number};
}

type GPUBufferBindingType = 'uniform' | 'storage' | 'read-only-storage';

interface GPUBindGroupLayoutEntry {
  binding: number;
  visibility: number;
  buffer?: {type?: GPUBufferBindingType};
  sampler?: {};
  storageTexture?: {access?: 'write-only'; format: GPUTextureFormat};
  texture?: {sampleType?: 'float'};
}

// What is recorded, to be submitted at once.

interface GPUCommandEncoder {
  beginComputePass(what?: {
    label?: string;
    timestampWrites?: {querySet: GPUQuerySet; beginningOfPassWriteIndex?: number; endOfPassWriteIndex?: number};
  }): GPUComputePassEncoder;
  beginRenderPass(what: {
    colorAttachments: {view: GPUTextureView; loadOp: 'load' | 'clear'; storeOp: 'store' | 'discard'}[];
  }): GPURenderPassEncoder;
  clearBuffer(buffer: GPUBuffer, offset?: number, size?: number): void;
  copyBufferToBuffer(source: GPUBuffer, from: number, destination: GPUBuffer, to: number, size: number): void;
  copyTextureToBuffer(source: {texture: GPUTexture}, destination: {buffer: GPUBuffer; bytesPerRow: number},
    size: number[]): void;
  finish(): GPUCommandBuffer;
  resolveQuerySet(querySet: GPUQuerySet, first: number, count: number, destination: GPUBuffer, offset: number): void;
}

interface GPUComputePassEncoder {
  dispatchWorkgroups(x: number, y?: number, z?: number): void;
  end(): void;
  setBindGroup(group: number, bound: GPUBindGroup): void;
  setPipeline(pipeline: GPUComputePipeline): void;
}

interface GPURenderPassEncoder {
  draw(vertices: number): void;
  end(): void;
  setBindGroup(group: number, bound: GPUBindGroup): void;
  setPipeline(pipeline: GPURenderPipeline): void;
}

interface GPUCanvasContext {
  configure(how: {device: GPUDevice; format: GPUTextureFormat; alphaMode?: 'opaque' | 'premultiplied'}): void;
  getCurrentTexture(): GPUTexture;
}

// The names of single bits, to be added.

declare const GPUBufferUsage: {
  readonly MAP_READ: number; readonly COPY_SRC: number; readonly COPY_DST: number; readonly UNIFORM: number;
  readonly STORAGE: number; readonly QUERY_RESOLVE: number;
};
declare const GPUMapMode: {readonly READ: number};
declare const GPUShaderStage: {readonly COMPUTE: number};
declare const GPUTextureUsage: {
  readonly COPY_SRC: number; readonly TEXTURE_BINDING: number; readonly STORAGE_BINDING: number;
  readonly RENDER_ATTACHMENT: number;
};
declare const GPUBuffer: {prototype: GPUBuffer; new(): never};
