// Opens the playground in headless Chromium, on the software adapter, and plays with it:
//   node playground.js [--screenshots DIR]
// 77: no Chromium.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {find, withPage} = require('../../webgpu/node/gpu_page.js');
const {chapterCells, flag, watchMemory} = require('./run.js');
const {sleep} = require('../../common/browser/chromium.js');

let problems = 0;
function check(is, what) {
  if (is) return;
  problems += 1;
  console.log('FAILED: ' + what);
}

const most = 400000; // bytes before the first picture
const pictures = `Number(document.querySelector('#picture').dataset.pictures || 0)`;

async function open(page, address, query) {
  await page.go(`${address}playground/index.html?still&rows=16${query}`);
  await page.until(`${pictures} >= 2`, 'the first pictures');
  await page.value(`document.querySelector('#bar').style.display = document.querySelector('#corner').style.display = 'none'`);
}

async function morePictures(page, count) {
  const seen = await page.value(pictures);
  await page.until(`${pictures} >= ${seen + count}`, 'more pictures');
}

const size = (page, width, height) =>
  page.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});

// In the page: the dye near a place of the picture, from 0 to 1 along each side.
const dyeAt = (x, y) => `(async () => {
  const {flow, flow: {device}} = playground.scene;
  const [wide, high] = [flow.dyeWide, flow.dyeHigh];
  const row = Math.ceil(8 * wide / 256) * 256;
  const copy = device.createBuffer({size: row * high, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({texture: flow.dye}, {buffer: copy, bytesPerRow: row}, [wide, high]);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const halves = new Uint16Array(copy.getMappedRange().slice(0));
  copy.destroy();
  const at = Math.floor(${y} * high) * row / 2 + 4 * Math.floor(${x} * wide);
  return halves[at] + halves[at + 1] + halves[at + 2];
})()`;

async function loads(page, address) {
  const began = Date.now();
  await open(page, address, '');
  const seconds = (Date.now() - began) / 1000;
  const bytes = await page.value(`performance.getEntriesByType('resource').reduce((sum, one) => sum + one.decodedBodySize, 0)`);
  check(bytes > 10000 && bytes <= most, `${bytes} bytes are loaded before the first picture`);
  console.log(`playground: the first picture after ${seconds.toFixed(2)} s and ${(bytes / 1000).toFixed(0)} kB`);
}

async function drags(page) {
  check(await page.value(dyeAt(0.5, 0.5)) === 0, 'there is dye before anybody has touched the fluid');
  await page.drag([0.4, 0.45, 0.5, 0.55, 0.6].map((x) => [240 * x, 60]));
  await morePictures(page, 2);
  check(await page.value(dyeAt(0.5, 0.5)) > 0, 'a drag leaves no dye');
  // Two fingers at once, one to the left and one to the right.
  const to = (x) => [0, 1, 2, 3].map((k) => [240 * x + 4 * k, 25]);
  check(await page.value(dyeAt(0.15, 0.2)) === 0, 'there is dye where no finger was');
  await page.pinch(to(0.15), to(0.75));
  await morePictures(page, 2);
  const [left, right] = [await page.value(dyeAt(0.17, 0.2)), await page.value(dyeAt(0.77, 0.2))];
  check(left > 0 && right > 0, `two fingers leave the dye ${left} and ${right}`);
}

async function resizes(page) {
  await size(page, 300, 100);
  await page.until(`playground.scene.flow.wide === 48 && playground.scene.flow.high === 16`, 'a grid of another shape');
  await morePictures(page, 2);
  check(await page.value(dyeAt(0.5, 0.5)) > 0, 'after another size of the window the dye is gone');
  await size(page, 240, 120);
  await morePictures(page, 2);
}

async function losesDevice(page) {
  await page.value(`window.lost = playground, playground.device.destroy()`);
  await page.until(`playground !== lost && playground.pictures >= 2`, 'another GPU');
  check(await page.value(`document.querySelector('#message').hidden`), 'a message stays after a lost GPU');
}

async function choosesScenes(page) {
  for (const name of await page.value(`[...document.querySelectorAll('#scenes button')].map((one) => one.dataset.name)`)) {
    await page.value(`window.before = playground.scene, document.querySelector('#scenes [data-name=${name}]').click()`);
    await page.until(`playground.scene !== before`, `the scene ${name}`);
    await morePictures(page, 3);
    check(await page.value('location.search').then((search) => search.includes(`scene=${name}`)), `the address does not say ${name}`);
    check(page.errors.length === 0, `${name}: ${page.errors[0]}`);
    const shown = await page.value(`[...document.querySelectorAll('#more label, [data-does=body]:not([hidden])')].length`);
    check(shown === (name.endsWith('3d') ? 4 : 8), `${name} has ${shown} of the choices and the ball`);
    check(await page.value(`getComputedStyle(document.querySelector('#palettes')).display !== 'none'`) === (name !== 'fire3d'), `the colours in ${name}`);
  }
}

// As many cells as the reader chooses. What is chosen for the plane would be too many in three dimensions, so it does not stay.
async function choosesCells(page, address) {
  await open(page, address, '&scene=wake');
  const choose = (value) => page.value(`(() => {
    const choice = document.querySelector('#choose-cells');
    choice.value = '${value}';
    choice.dispatchEvent(new Event('change'));
  })()`);
  check(await page.value(`document.querySelector('#choose-cells').value`) === '16', 'the rows of the address are not chosen');
  await choose(96);
  await page.until(`playground.scene.flow.high === 96`, '96 rows');
  check(await page.value('location.search').then((search) => search.includes('rows=96')), 'the address does not say 96 rows');
  await page.value(`document.querySelector('#scenes [data-name=smoke3d]').click()`);
  await page.until(`playground.scene.fluid`, 'smoke in three dimensions');
  check(await page.value('playground.scene.fluid.N') < 96, 'the rows of the plane are taken for those of a cube');
  await choose(48);
  await page.until(`playground.scene.fluid.N === 50`, '48 cells along an edge');
  check(page.errors.length === 0, `other cells: ${page.errors[0]}`);
}

// In the page: a step of smoke in so many cells, from rest, and the divergence before projection and after, in 1/s.
async function stepOfSmoke(edge) {
  const [{openDevice}, {Scene3D}, {fromAddress}] = await Promise.all(
    ['/webgpu/device.js', '/playground/scene_3d.js', '/playground/settings.js'].map((name) => import(name)));
  const {device} = await openDevice();
  const errors = [];
  device.addEventListener('uncapturederror', ({error}) => errors.push(error.message));
  const scene = await Scene3D.make(device, fromAddress(`?scene=smoke3d&rows=${edge}`), 2);
  const {fluid, fluid: {N}} = scene;
  scene.step(1 / 60, 0, [], false);
  const [before, u, v, w, density] = await Promise.all(
    ['divergence', 'u', 'v', 'w', 'density'].map((name) => fluid.download(name)));
  const h = 1 / (N - 2);
  const sums = {before: 0, after: 0, dye: 0};
  for (let at = N * N; at < N * N * (N - 1); ++at) {
    const [i, j] = [at % N, Math.floor(at / N) % N];
    if (i === 0 || i === N - 1 || j === 0 || j === N - 1) continue;
    const after = (u[at + 1] - u[at - 1] + v[at + N] - v[at - N] + w[at + N * N] - w[at - N * N]) / (2 * h);
    sums.before += (before[at] / h / h) ** 2;
    sums.after += after ** 2;
    sums.dye += density[at];
  }
  return {N, errors, dye: sums.dye * h ** 3, before: Math.sqrt(sums.before * h ** 3), after: Math.sqrt(sums.after * h ** 3)};
}

async function stepsIn96(page, address) {
  await page.go(address + 'blank.html');
  const {N, errors, dye, before, after} = await page.value(`(${stepOfSmoke})(96)`);
  console.log(`playground: a step of smoke in 96^3 cells takes the divergence from ${before.toExponential(2)} to ${after.toExponential(2)}`);
  check(N === 98 && errors.length === 0, `96 cells along an edge: N = ${N}, ${errors[0]}`);
  check(dye > 0 && after < 0.7 * before, `after a step there is the dye ${dye}, and the divergence ${after}`);
}

// The GPU's textures have a largest edge, and a window may be very wide.
async function fitsGPU(page, address) {
  await page.go(address + 'blank.html');
  const sizes = await page.value(`import('/playground/flow.js').then(({sizeOf}) => [sizeOf(256, 2, 4096), sizeOf(1024, 7, 4096),
    sizeOf(2048, 0.4, 4096), sizeOf(2048, 0.4, 1000), sizeOf(16, 300, 4096)])`);
  check(sizes.join(' ') === '512,256 4032,576 832,2048 384,992 4096,16', `the sizes of grids are ${sizes.join(' ')}`);
}

// A scene that is left gives back what it has on the GPU. (How much it has depends on how regularly its pictures come:
// each length of a step has numbers of its own.)
async function givesBack(page, address) {
  await open(page, address, '');
  await page.value(watchMemory);
  const [held, kept] = [[], []];
  for (const name of ['smoke3d', 'wake', 'smoke3d', 'wake']) {
    held.push(await page.value(`window.ofLast = new Set(notGivenBack), ofLast.size`));
    await page.value(`window.before = playground.scene, document.querySelector('#scenes [data-name=${name}]').click()`);
    await page.until(`playground.scene !== before`, `the scene ${name}`);
    await morePictures(page, 2);
    kept.push(await page.value(`[...ofLast].filter((one) => notGivenBack.has(one)).length`));
  }
  check(Math.min(...held.slice(1)) > 0, `buffers and textures of scene after scene: ${held}`);
  check(Math.max(...kept) === 0, `of the scene before, buffers and textures that are kept: ${kept}`);
}

// In the page: so many frames, and what was made during them.
async function run(count) {
  const {device} = window.playground;
  const made = {buffers: 0, textures: 0, pipelines: 0};
  for (const [name, counted] of [['createBuffer', 'buffers'], ['createTexture', 'textures'], ['createComputePipelineAsync', 'pipelines']]) {
    const make = device[name].bind(device);
    device[name] = (what) => {
      made[counted] += 1;
      return make(what);
    };
  }
  window.playground.stopped = true; // the page's own loop ends
  await new Promise((done) => setTimeout(done, 300));
  window.playground.stopped = false;
  for (let n = 0; n < count; ++n) {
    const x = 0.2 + 0.1 * (n % 10);
    window.playground.strokes.push({from: [x, 0.5], to: [x + 0.1, 0.5], number: n, dye: true});
    window.playground.frame((3 + (7.3 * n) % 31) / 960); // no two pictures take the same time
    if (n % 25 === 0) await device.queue.onSubmittedWorkDone();
  }
  await device.queue.onSubmittedWorkDone();
  const {kernels, whirls, thin} = window.playground.scene;
  const all = Object.values(kernels.all || {...kernels, whirls, thin});
  return {...made, groups: all.reduce((sum, one) => sum + one.groups.size, 0)};
}

// The first frames meet all that frames are about: in some, time passes in more steps than in others.
async function doesNotGrow(page, address, scene, begun, frames) {
  await size(page, 96, 64);
  await open(page, address, `&scene=${scene}`);
  const heap = async () => {
    await page.send('HeapProfiler.collectGarbage');
    return (await page.send('Runtime.getHeapUsage')).usedSize;
  };
  const first = await page.value(`(${run})(${begun})`);
  const before = await heap();
  // A software adapter takes long for each kernel, and a cycle over blocks has many.
  await page.value(`Object.assign(playground.scene.flow || {}, {solver: 'sweeps', sweeps: 2})`);
  const rest = await page.value(`(${run})(${frames})`);
  const grown = await heap() - before;
  check(rest.buffers + rest.textures + rest.pipelines === 0, `${scene}: frames make new things: ${JSON.stringify(rest)}`);
  check(rest.groups === first.groups, `${scene}: the bind groups grow from ${first.groups} to ${rest.groups}`);
  check(grown < 3e5, `${scene}: ${frames} frames leave ${grown} bytes`);
}

// In the page: the divergence that is left after some steps, by both solvers, and what flows through a ball.
async function project() {
  const [{openDevice}, {Kernels}, {Flow}] = await Promise.all(
    ['/webgpu/device.js', '/playground/kernels.js', '/playground/flow.js'].map((name) => import(name)));
  const {device} = await openDevice();
  const kernels = await Kernels.make(device);
  const left = async (solver, count) => {
    const flow = new Flow(kernels, 64, 1.5, 1);
    Object.assign(flow, {solver, cycles: count, sweeps: count});
    const ball = {x: 0.75, y: 0.5, u: 0.5, v: 0.25, radius: 0.12};
    flow.bodies = () => [ball];
    for (let n = 0; n < 6; ++n) {
      flow.step(1 / 60, [{from: [0.3, 0.4], to: [0.4, 0.45], push: [1, 0.3], radius: 0.06, colour: [1, 1, 1]}]);
    }
    const u = await flow.download(flow.u);
    const inside = u[Math.round(0.75 * flow.high) + (flow.wide + 1) * Math.floor(0.5 * flow.high)];
    return {divergence: await flow.divergence(), inside};
  };
  return {none: await left('sweeps', 0), sweeps: await left('sweeps', 40), cycle: await left('blocks', 1), cycles: await left('blocks', 6)};
}

async function projects(page, address) {
  await page.go(address + 'blank.html');
  const {none, sweeps, cycle, cycles} = await page.value(`(${project})()`);
  console.log('playground: the divergence left by nothing, 40 sweeps, 1 cycle and 6 cycles: ' +
    [none, sweeps, cycle, cycles].map(({divergence}) => divergence.toExponential(2)).join(', '));
  check(sweeps.divergence < 0.5 * none.divergence, '40 sweeps leave half of the divergence');
  check(cycle.divergence < sweeps.divergence, 'a cycle over blocks leaves more than 40 sweeps');
  check(cycles.divergence < 0.01 * cycle.divergence, 'six cycles leave a hundredth of what one leaves, or more');
  check(Math.abs(cycles.inside - 0.5) < 1e-6, `within a ball that moves at 0.5 the fluid moves at ${cycles.inside}`);
}

async function keepsSettings(page, address) {
  await page.go(address + 'blank.html');
  const [same, usual, inherited] = await page.value(`import('/playground/settings.js').then(({fromAddress, toAddress}) => {
    const asked = '?scene=smoke&palette=aurora&swirl=3.5&radius=0.05';
    const there = fromAddress(asked);
    const back = fromAddress(toAddress(there));
    return [JSON.stringify(there) === JSON.stringify(back) && there.swirl === 3.5 && there.palette === 'aurora',
      fromAddress('?scene=sea&palette=9&swirl=many&rows=-3'), fromAddress('?scene=constructor&palette=toString')];
  })`);
  check(same, 'a link does not keep the settings');
  check(usual.scene === 'ink' && usual.palette === 'ember' && usual.swirl === 6 && usual.rows === 0, 'what is not known is not as usual');
  check(inherited.scene === 'ink' && inherited.palette === 'ember', 'what every object has is taken for a scene or a palette');
}

async function records(page, address, chromium) {
  const downloads = fs.mkdtempSync(path.join(os.tmpdir(), 'downloads-'));
  await chromium.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: downloads});
  await open(page, address, '');
  await page.value(`document.querySelector('[data-does=film]').click()`);
  await morePictures(page, 5);
  await sleep(1200);
  await page.value(`document.querySelector('[data-does=film]').click()`);
  await page.value(`document.querySelector('[data-does=picture]').click()`);
  const there = () => fs.readdirSync(downloads).filter((name) => /^fluid\.(mp4|webm|png)$/.test(name));
  for (let n = 0; n < 200 && there().length < 2; ++n) await sleep(50);
  check(there().length === 2, `a film and a picture are not offered, but ${there()}`);
  for (const name of there()) check(fs.statSync(path.join(downloads, name)).size > 500, `${name} is empty`);
  fs.rmSync(downloads, {recursive: true});
}

async function main() {
  if (!find()) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    process.exit(77);
  }
  await withPage(fs.readFileSync(chapterCells, 'utf8'), {}, async (page, address, chromium) => {
    await size(page, 240, 120);
    await loads(page, address);
    await drags(page);
    await resizes(page);
    await losesDevice(page);
    await choosesScenes(page);
    const screenshots = flag('--screenshots');
    if (screenshots) await page.screenshot(path.join(screenshots, 'playground.png'));
    check(page.errors.length === 0, `the page: ${page.errors[0]}`);
    await givesBack(page, address);
    await choosesCells(page, address);
    await stepsIn96(page, address);
    await fitsGPU(page, address);
    await projects(page, address);
    await keepsSettings(page, address);
    await records(page, address, chromium);
    await doesNotGrow(page, address, 'wake', 300, 450);
    await doesNotGrow(page, address, 'smoke3d', 240, 60);
    check(page.errors.length === 0, `the page: ${page.errors[0]}`);
  });
  console.log(`playground: ${problems} problems`);
  process.exit(problems > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log('FAILED: ' + error.stack);
  process.exit(1);
});
