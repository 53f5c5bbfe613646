// The picture of the flow.

export class Look {
  /** @type {GPUDevice} */ device;
  /** @type {GPURenderPipeline} */ pipeline;
  /** @type {GPUBuffer} */ numbers;
  /** @type {GPUSampler} */ sampler;
  settings = {relief: 2.2, glow: 0.8, fire: 0, paper: 0};

  /**
   * @param {GPUDevice} device
   * @param {GPUTextureFormat} format - of the texture that is drawn into
   */
  static async make(device, format) {
    const look = new Look();
    look.device = device;
    const code = await (await fetch(new URL('look.wgsl', import.meta.url))).text();
    const module = device.createShaderModule({label: 'look', code});
    look.pipeline = await device.createRenderPipelineAsync({label: 'look', layout: 'auto', vertex: {module},
      fragment: {module, targets: [{format}]}});
    look.numbers = device.createBuffer({size: 32, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST});
    look.sampler = device.createSampler({magFilter: 'linear', minFilter: 'linear'});
    return look;
  }

  destroy() {
    this.numbers.destroy();
  }

  /**
   * @param {import('./flow.js').Flow} flow
   * @param {GPUTexture} target
   */
  draw(flow, target) {
    const {relief, glow, fire, paper} = this.settings;
    this.device.queue.writeBuffer(this.numbers, 0, new Float32Array(
      [flow.wide / flow.high, target.height, relief, glow, fire, paper, 0, 0]));
    const group = this.device.createBindGroup({layout: this.pipeline.getBindGroupLayout(0), entries: [
      {binding: 0, resource: {buffer: this.numbers}},
      {binding: 1, resource: {buffer: flow.shared[1]}},
      {binding: 2, resource: this.sampler},
      {binding: 3, resource: flow.dye.createView()},
      {binding: 4, resource: flow.glowSpare.createView()}]});
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginRenderPass({colorAttachments: [{view: target.createView(), loadOp: 'clear', storeOp: 'store'}]});
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    this.device.queue.submit([encoder.finish()]);
  }
}
