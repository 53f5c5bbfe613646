// Opens the page of chapter 24, as `./workbook run 24` serves it, in headless Chromium:
//   node page.js --bin DIR [--screenshots DIR]
// It draws; a drag changes the picture; the kernels are measured, and the fluid stays as it is; a bad word in the
// address is named; a lost GPU comes back; the reader's file is compiled when it is saved, and a mistake in it is named;
// without WebGPU the page says so. 77: no Chromium.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {spawn} = require('child_process');
const {Chromium, find, sleep, softwareGPU} = require('../../common/browser/chromium.js');
const {root} = require('../../webgpu/node/gpu_page.js');
const {chapterCells, flag, watchMemory} = require('./run.js');

let problems = 0;
function check(is, what) {
  if (is) return;
  problems += 1;
  console.log('FAILED: ' + what);
}

// Calls work(address, ended) while serve.py serves; `ended` is the promise of its status.
async function withServer(flags, work) {
  const server = spawn('python3', ['-B', path.join(root, 'webgpu', 'serve.py'), ...flags],
    {env: {...process.env, BROWSER: 'true', DISPLAY: ''}, stdio: ['ignore', 'pipe', 'pipe']});
  const ended = new Promise((done) => server.once('exit', done));
  let said = '';
  server.stdout.on('data', (data) => (said += data));
  try {
    for (let n = 0; n < 200 && !said.includes('http'); ++n) await sleep(50);
    await work(/http\S+/.exec(said)[0], ended);
  } finally {
    server.kill();
    await ended;
  }
}

const pictures = `Number(document.querySelector('#webgpu canvas').dataset.pictures || 0)`;
const message = `document.querySelector('#webgpu .message').textContent`;

async function morePictures(page, count) {
  const seen = await page.value(pictures);
  await page.until(`${pictures} >= ${seen + count}`, 'more pictures');
}

// In the page: the canvas's picture, as a text that is equal only if the picture is.
const picture = `new Promise((done) => requestAnimationFrame(() => done(document.querySelector('#webgpu canvas').toDataURL())))`;

async function draws(page, address, screenshots) {
  await page.go(address);
  await page.until(`${pictures} >= 2`, 'the first pictures');
  await page.value(`document.querySelector('[data-does=pause]').click()`);
  await morePictures(page, 2);
  const [x, y, side] = await page.value(`(() => {
    const seen = document.querySelector('#webgpu canvas').getBoundingClientRect();
    return [seen.left, seen.top, seen.width];
  })()`);
  const before = await page.value(picture);
  check(before === await page.value(picture), 'the picture changes while time stands still');
  await page.drag([0.4, 0.45, 0.5, 0.55].map((part) => [x + part * side, y + 0.35 * side]));
  await morePictures(page, 2);
  check(before !== await page.value(picture), 'a drag changes nothing');
  if (screenshots) await page.screenshot(path.join(screenshots, '24_webgpu.png'));
  check(page.errors.length === 0, `the page: ${page.errors[0]}`);
}

// In the page: all fields of the fluid, as a text.
const fluid = `(async () => {
  const {fluid} = document.querySelector('#webgpu').run;
  const fields = {};
  for (const name of Object.keys(fluid.fields)) fields[name] = [...await fluid.download(name)];
  return JSON.stringify(fields);
})()`;

// The table of what the kernels cost, while the fluid stands still. M twice measures once.
async function measures(page) {
  const before = await page.value(fluid);
  await page.value(`(() => {
    const {run} = document.querySelector('#webgpu');
    const make = run.device.createBuffer.bind(run.device);
    window.fluidsMade = 0;
    run.device.createBuffer = (what) => {
      if (what.label === 'density') window.fluidsMade += 1;
      return make(what);
    };
    for (const press of [1, 2]) document.querySelector('[data-does=measure]').click();
  })()`);
  const table = `document.querySelector('#webgpu pre').textContent`;
  await page.until(`${table}.includes('gradient')`, 'the table of what the kernels cost');
  await morePictures(page, 2);
  const rows = (await page.value(table)).split('\n').slice(4);
  const names = ['copy of a field', 'relax_1_cell', 'relax_2_colour', 'relax_3_tile', 'advect', 'divergence', 'gradient'];
  check(rows.length === names.length, `the table has ${rows.length} rows`);
  rows.forEach((row, n) => check(row.startsWith(names[n]) && / \d+\.\d{4} +\d+\.\d +(\d+\.\d|too short)$/.test(row),
    `a row of the table is '${row}'`));
  check(await page.value('fluidsMade') === 1, 'M twice measures twice');
  check(await page.value(fluid) === before, 'measuring changes the fluid of the page');
}

async function loses(page) {
  await page.value(`window.runOfTheTest = document.querySelector('#webgpu').run, runOfTheTest.device.destroy()`);
  await page.until(`document.querySelector('#webgpu').run !== runOfTheTest && ${pictures} <= 3`, 'another GPU');
  await morePictures(page, 2);
  check(await page.value(message) === '', `after a lost GPU the page says '${await page.value(message)}'`);
}

async function refuses(page, address) {
  for (const [query, words] of [['n=many', "n: 'many' is not"], ['n=2', "n: '2' is not"], ['n=9.5', "n: '9.5' is not a whole"],
    ['iterations=201', "iterations: '201' is not"], ['iterations=1.5', "iterations: '1.5' is not a whole"], ['scene=sea', "there is no 'sea'"]]) {
    await page.go(`${address.split('?')[0]}?${query}`);
    await page.until(`${message} !== ''`, `the line about ${query}`);
    check((await page.value(message)).includes(words), `?${query} says '${await page.value(message)}'`);
  }
}

// The reader's file, saved while the page is open.
async function watches(page) {
  const folder = path.join(root, 'mine', '24_webgpu');
  const file = path.join(folder, 'cells.wgsl');
  if (fs.existsSync(file)) {
    console.log('skipped: the reader\'s own file is there, which this test would overwrite');
    return;
  }
  const cells = fs.readFileSync(chapterCells, 'utf8');
  fs.mkdirSync(folder, {recursive: true});
  try {
    fs.writeFileSync(file, cells);
    await withServer(['--mine', '--n', '10'], async (address) => {
      await page.go(address);
      await page.until(`${pictures} >= 2`, 'the first pictures');
      fs.writeFileSync(file, cells.replace('return (i + j + k) % 2;', 'retrun (i + j + k) % 2;'));
      await page.until(`${message}.startsWith('cells.wgsl, line ')`, 'the line of a mistake');
      fs.writeFileSync(file, cells + '\n');
      await page.until(`${message} === ''`, 'the right file again');
      await morePictures(page, 2);
      await page.value(watchMemory);
      const held = [];
      for (const more of ['// one', '// two']) {
        fs.writeFileSync(file, cells + more);
        await page.until(`document.querySelector('#webgpu').run.cells.endsWith('${more}')`, 'another file that is right');
        await morePictures(page, 2);
        held.push(await page.value('notGivenBack.size'));
      }
      check(held[0] > 0 && held[0] === held[1], `buffers and textures after one more compilation, and after two: ${held}`);
    });
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
}

async function withBrowser(graphics, work) {
  const chromium = new Chromium(find(), graphics);
  try {
    await work(await chromium.open());
  } finally {
    await chromium.close();
  }
}

async function main() {
  if (!find()) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    process.exit(77);
  }
  await withBrowser(softwareGPU, async (page) => {
    const small = {width: 480, height: 320, deviceScaleFactor: 1, mobile: false}; // the processor draws each pixel
    await page.send('Emulation.setDeviceMetricsOverride', small);
    await withServer(['--n', '14', '--iterations', '2'], async (address) => {
      await draws(page, address, flag('--screenshots'));
      await measures(page);
      await loses(page);
      await refuses(page, address);
    });
    await watches(page);
  });
  await withBrowser(['--disable-gpu'], async (page) => {
    await withServer([], async (address, ended) => {
      await page.go(address);
      await page.until(`${message}.includes('WebGPU')`, 'the line about WebGPU');
      check((await page.value(message)).includes('Firefox from 141'), 'the page names no browser that has WebGPU');
      check(await Promise.race([ended, sleep(5000)]) === 4, 'serve.py does not end with status 4');
    });
  });
  console.log(`page: ${problems} problems`);
  process.exit(problems > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log('FAILED: ' + error.stack);
  process.exit(1);
});
