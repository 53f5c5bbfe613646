// Opens the pages of the browser edition that compute by WebGPU, in headless Chromium:
//   node webgpu.js EDITION
// On the software adapter 24_webgpu and the playground draw, and no program of a chapter is loaded. Without WebGPU each shows
// such a program instead, whatever the address says; the playground, that of 07_project for dye, and that of 31_smoke for
// smoke.
// 77: no Chromium.
'use strict';
const fs = require('fs');
const path = require('path');
const {Chromium, find, softwareGPU} = require('../../common/browser/chromium.js');
const {serve} = require('./serve.js');

let problems = 0;
function check(is, what) {
  if (is) return;
  problems += 1;
  console.log('FAILED: ' + what);
}

async function withBrowser(graphics, work) {
  const chromium = new Chromium(find(), graphics);
  try {
    const page = await chromium.open();
    await page.send('Emulation.setDeviceMetricsOverride', {width: 480, height: 320, deviceScaleFactor: 1, mobile: false});
    await work(page);
  } finally {
    await chromium.close();
  }
}

const pictures = (selector) => `Number((document.querySelector('${selector} canvas') || {dataset: {}}).dataset.pictures || 0)`;

async function computes(page, address) {
  await page.go(`${address}24_webgpu/index.html?n=14&iterations=2`);
  await page.until(`${pictures('#webgpu')} >= 2`, 'pictures of 24_webgpu');
  check(await page.value(`document.querySelectorAll('article pre').length`) > 8, '24_webgpu: no lesson');
  check(page.errors.length === 0, `24_webgpu: ${page.errors[0]}`);
  await page.go(`${address}playground/index.html?rows=16&still`);
  await page.until(`${pictures('body')} >= 2`, 'pictures of the playground');
  check(page.errors.length === 0, `the playground: ${page.errors[0]}`);
  const programs = await page.value(`performance.getEntriesByType('resource').filter(({name}) => name.endsWith('.wasm')).length`);
  check(programs === 0, 'the playground loads the program of a chapter, which it does not need');
}

// The program of a chapter takes the place of the kernels.
async function fallsBack(page, address, edition) {
  for (const [place, folder] of [['24_webgpu/index.html?kernels=relax_3_tile', '22_cells'],
    ['playground/index.html?scene=wake&palette=ink', '07_project'], ['playground/index.html?scene=smoke&rows=256', '31_smoke']]) {
    if (!fs.existsSync(path.join(edition, folder, folder + '.wasm'))) {
      check(false, `${folder} is not built, so ${place} has nothing to show without WebGPU`);
      continue;
    }
    await page.go(address + place);
    await page.until(`document.querySelector('#fluid canvas')`, `${place}: a canvas for ${folder}`);
    await page.value(`document.querySelector('#fluid canvas').scrollIntoView({behavior: 'instant'})`); // else it waits
    await page.until(`${pictures('#fluid')} >= 2`, `${place}: pictures of ${folder} without WebGPU`);
    check(await page.value(`document.querySelector('#message').hidden`), `${place}: ${folder} says that something is wrong`);
    check(await page.value(`document.querySelector('#fluid').dataset.program`) === folder, `${place} does not show ${folder}`);
    check(await page.value(`document.body.textContent.includes('Firefox from 141')`), `${place} names no browser that has WebGPU`);
    check(page.errors.length === 0, `${place} without WebGPU: ${page.errors[0]}`);
  }
}

async function main() {
  const [edition] = process.argv.slice(2);
  if (!find()) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    process.exit(77);
  }
  const server = await serve(edition);
  const address = `http://127.0.0.1:${server.address().port}/`;
  await withBrowser(softwareGPU, (page) => computes(page, address));
  await withBrowser(['--disable-gpu'], (page) => fallsBack(page, address, edition));
  server.closeAllConnections();
  server.close();
  console.log(`webgpu: ${problems} problems`);
  process.exit(problems > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log('FAILED: ' + error.stack);
  process.exit(1);
});
