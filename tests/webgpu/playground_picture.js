// Draws playground/picture.jpg anew, which the browser edition's front page shows: what the playground does by itself in
// 150 steps, on the software adapter.
//   node playground_picture.js
'use strict';
const fs = require('fs');
const path = require('path');
const {root, withPage} = require('../../webgpu/node/gpu_page.js');

async function inPage(width, height) {
  const [{openDevice}, {Scene2D}, {fromAddress}] = await Promise.all(
    ['/webgpu/device.js', '/playground/scene_2d.js', '/playground/settings.js'].map((name) => import(name)));
  const {device} = await openDevice();
  const scene = await Scene2D.make(device, fromAddress('?palette=orchid&rows=192'), width / height);
  let time = 0;
  for (let n = 0; n < 150; ++n) {
    time += 1 / 60;
    scene.step(1 / 60, time, [], true);
    if (n % 20 === 0) await device.queue.onSubmittedWorkDone();
  }
  const target = device.createTexture({size: [width, height], format: 'rgba8unorm',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC});
  scene.draw(target);
  const size = 4 * width * height;
  const copy = device.createBuffer({size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({texture: target}, {buffer: copy, bytesPerRow: 4 * width}, [width, height]);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const canvas = Object.assign(document.createElement('canvas'), {width, height});
  const pixels = new Uint8ClampedArray(copy.getMappedRange().slice(0));
  canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
  return canvas.toDataURL('image/jpeg', 0.86).split(',')[1];
}

withPage('', {}, async (page, address) => {
  await page.go(address + 'blank.html');
  const picture = await page.value(`(${inPage})(1216, 608)`); // a row is a multiple of 256 bytes
  fs.writeFileSync(path.join(root, 'playground', 'picture.jpg'), Buffer.from(picture, 'base64'));
});
