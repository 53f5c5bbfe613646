// Calls that are wrong, each in its way. Nobody runs them: types.sh checks that `tsc` reports each, since a type that says
// too little would let it pass.
import {Brush} from '../../webgpu/brush.js';
import {Picture} from '../../webgpu/draw.js';
import {DeviceFluid, Queue} from '../../webgpu/fluid.js';
import {Flow} from '../../playground/flow.js';
import {Kernels} from '../../playground/kernels.js';
import {fromAddress} from '../../playground/settings.js';

/**
 * @param {GPUDevice} device
 * @param {DeviceFluid} fluid
 * @param {Flow} flow
 */
export async function wrongCalls(device, fluid, flow) {
  const kernels = await Kernels.make(device);
  const picture = await Picture.make(device, '');
  const brush = await Brush.make(device, '');
  const queue = new Queue(device);
  // @ts-expect-error: the kernels are missing
  new DeviceFluid(device, 66);
  // @ts-expect-error: a queue, not the pass in it
  fluid.lin_solve(queue, 0, 'u', 'u_prev', 1, 6, 4);
  // @ts-expect-error: not the number of the boundary, but a field
  fluid.advect(queue, 'u', 'u', 'u_prev', {u: 'u', v: 'v', w: 'w'}, 0.1);
  // @ts-expect-error: its third component is missing
  fluid.advect(queue, 0, 'density', 'density_prev', {u: 'u', v: 'v'}, 0.1);
  // @ts-expect-error: a kernel is told no such thing
  fluid.settingsOf({viscosity: 0.1});
  // @ts-expect-error: the radius is missing
  brush.stroke(fluid, queue, {from: [0, 0, 0], to: [1, 1, 1], push: 1, dye: 1});
  // @ts-expect-error: a texture of the flow, and no fluid
  picture.draw(flow.dye, flow.dye);
  // @ts-expect-error: a splat is somewhere
  flow.step(1 / 60, [{push: [1, 0], radius: 0.1}]);
  // @ts-expect-error: a number is bound as a buffer
  kernels.queue(queue.pass(), 'divergence', [flow.u, flow.v, 3], 16, 16);
  // @ts-expect-error: a render pipeline does not compute
  queue.pass().setPipeline(picture.pipeline);
  // @ts-expect-error: the pass may be none
  queue.open.end();
  // @ts-expect-error: there is no such setting
  fromAddress('').viscosity;
  // @ts-expect-error: there may be no adapter
  (await navigator.gpu.requestAdapter()).requestDevice();
}
