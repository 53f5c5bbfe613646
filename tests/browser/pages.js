// Opens the browser edition's pages in headless Chromium and plays with them:
//   node pages.js EDITION [--screenshots DIR] [CHAPTER...]
// Each page opens without an error; a drag and a finger draw; a key works, and Esc
// leads out of the canvas for those who have keys alone; a bad flag shows its line. One page
// is opened without a network, takes a dropped state, and offers what --save and S write. It is legible where
// the reader's system is dark. In another the wheel and two fingers choose a slice. 77: no Chromium.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {Chromium, find, sleep} = require('../../common/browser/chromium.js');
const {serve} = require('./serve.js');

let problems = 0;
function check(is, what) {
  if (!is) {
    problems += 1;
    console.log('FAILED: ' + what);
  }
}

// In the page: the pixels of the fluid, without the lines of text, whose frames a second change always.
const pixels = `(() => {
  const canvas = document.querySelector('canvas');
  const height = Math.floor(canvas.height * 0.6);
  return canvas.getContext('2d').getImageData(0, 0, canvas.width, height).data;
})()`;
const remember = `window.before = ${pixels}; true`;
const changed = `(() => {
  const now = ${pixels};
  let count = 0;
  for (let k = 0; k < now.length; k += 4) {
    count += now[k] !== before[k] || now[k + 1] !== before[k + 1] || now[k + 2] !== before[k + 2];
  }
  return count;
})()`;
const pictures = `Number(document.querySelector('canvas').dataset.pictures || 0)`;
const message = `document.getElementById('message').textContent`;

async function morePictures(page, count) {
  const seen = await page.value(pictures);
  await page.until(`${pictures} >= ${seen + count}`, 'more pictures');
}

// Some places across the fluid, in the page's pixels.
async function across(page, share) {
  const [left, top, width, height] = await page.value(`(() => {
    const canvas = document.querySelector('canvas');
    canvas.scrollIntoView({block: 'nearest', behavior: 'instant'});
    const seen = canvas.getBoundingClientRect();
    return [seen.left, seen.top, seen.width, seen.height];
  })()`);
  return [0, 1, 2, 3, 4, 5, 6].map((k) => [left + width * (0.15 + 0.05 * k), top + height * (share + 0.02 * k)]);
}

// Where a drag draws, if not in what a chapter shows first.
const views = {'52_fast': '?view=fluid', '42_water': '?scene=none&keys=v'};

async function playWith(page, address, folder, screenshots) {
  const began = Date.now();
  await page.go(`${address}${folder}/index.html${views[folder] || ''}`);
  await page.until(`${pictures} >= 2`, 'the first pictures');
  const seconds = (Date.now() - began) / 1000;
  if (screenshots) await page.screenshot(path.join(screenshots, folder + '.png'));
  const canvas = await across(page, 0.3);
  await page.mouse('mousePressed', ...canvas[0], {button: 'left', buttons: 1, clickCount: 1});
  await page.mouse('mouseReleased', ...canvas[0], {button: 'left', clickCount: 1});
  await page.key('.'); // time stands still, after a step
  await page.mouse('mouseMoved', 2, 2);
  await morePictures(page, 3);
  await page.value(remember);
  await morePictures(page, 2);
  check((await page.value(changed)) === 0, `${folder}: '.' does not stop time`);
  await page.drag(canvas);
  await morePictures(page, 2);
  check((await page.value(changed)) > 20, `${folder}: a drag changes nothing`);
  await page.value(remember);
  await page.touch(await across(page, 0.4));
  await morePictures(page, 2);
  check((await page.value(changed)) > 20, `${folder}: a finger changes nothing`);
  await page.value(remember);
  await page.key('h');
  await morePictures(page, 2);
  check((await page.value(changed)) > 500, `${folder}: the key H shows no help`);
  await page.value(`document.querySelector('canvas').focus()`);
  await page.send('Input.dispatchKeyEvent', {type: 'keyDown', key: 'Escape', windowsVirtualKeyCode: 27});
  check(await page.value(`document.activeElement.closest('#keys') !== null`), `${folder}: Esc does not lead out of the fluid`);
  check(page.errors.length === 0, `${folder}: ${page.errors[0]}`);
  await page.go(`${address}${folder}/index.html?n=many`);
  await page.until(`${message} !== ''`, 'the line about a bad flag');
  const line = await page.value(message);
  check(line.startsWith(`${folder}: --n: 'many'`), `${folder}: a bad flag says '${line}'`);
  console.log(`${folder}: the first picture after ${seconds.toFixed(2)} s`);
}

// The wheel, and two fingers, in a page whose program makes use of them.
async function slices(page, address, folder) {
  await page.go(`${address}${folder}/index.html?n=16&scene=swirl&view=slice`);
  await page.until(`${pictures} >= 4`, 'pictures');
  const [one] = await across(page, 0.4);
  const to = (x) => [0, 1, 2, 3, 4, 5, 6].map((k) => [one[0] + x * k, one[1]]);
  const wheel = (deltaY) => page.mouse('mouseWheel', ...one, {deltaX: 0, deltaY});
  const difference = async (act) => {
    await page.value(remember);
    await act();
    await sleep(100); // the event has arrived
    await morePictures(page, 3);
    return page.value(changed);
  };
  await page.mouse('mouseMoved', ...one);
  const scrolled = await page.value('scrollY');
  await wheel(100); // scrolls the page, until the fluid has been clicked
  await page.until(`scrollY !== ${scrolled}`, 'the wheel scrolls the page', 5).catch((error) => check(false, `${folder}: ${error.message}`));
  await page.value(`scrollTo({top: ${scrolled}, behavior: 'instant'})`);
  await page.value(`document.querySelector('canvas').focus({preventScroll: true})`);
  await page.key('.');
  await morePictures(page, 3);
  check((await difference(() => wheel(-300))) > 20, `${folder}: the wheel chooses no other slice`);
  check((await page.value('scrollY')) === scrolled, `${folder}: the wheel scrolls the page, too`);
  // The first finger has drawn where it came down; what matters is what the second one does.
  await page.pinch(to(0), to(0));
  await morePictures(page, 3);
  check((await difference(() => page.pinch(to(0), to(30)))) > 20, `${folder}: two fingers choose no other slice`);
  check(page.errors.length === 0, `${folder}: ${page.errors[0]}`);
}

// In the page: the least contrast of its words with what is behind them, and how bright its ground is (WCAG).
const legible = `(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const bright = (colour) => parts(colour).slice(0, 3)
    .map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return parts(colour)[3] === 0 ? ground(element.parentElement) : colour;
  };
  let least = 21;
  for (const element of document.querySelectorAll('p, li, td, a, code, button, .hint, .add, .gone, summary, h1, h2')) {
    const [low, high] = [bright(getComputedStyle(element).color), bright(ground(element))].sort((a, b) => a - b);
    least = Math.min(least, (high + 0.05) / (low + 0.05));
  }
  return [least, bright(getComputedStyle(document.body).backgroundColor)];
})()`;

async function colours(page, here, folder, screenshots) {
  for (const scheme of ['dark', 'light']) {
    await page.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: scheme}]});
    await page.go(here);
    await page.until(`${pictures} >= 2`, 'pictures');
    const [contrast, ground] = await page.value(legible);
    check(contrast >= 4.5, `${folder}, ${scheme}: some words have a contrast of ${contrast.toFixed(1)} only`);
    check(scheme === 'dark' ? ground < 0.05 : ground > 0.8, `${folder}: the page is not ${scheme}`);
    if (screenshots) await page.screenshot(path.join(screenshots, `${folder}_${scheme}.png`));
  }
  await page.send('Emulation.setEmulatedMedia', {features: []});
}

// What one page shows for all.
async function special(chromium, page, server, address, folder, screenshots) {
  const here = `${address}${folder}/index.html`;
  await colours(page, here, folder, screenshots);
  const count = (selector) => page.value(`document.querySelectorAll('${selector}').length`);

  // A button sets its flags, and the address says so.
  await page.go(here);
  await page.until(`${pictures} >= 2`, 'pictures');
  await page.value(`document.querySelector('a.play[href*="n=64"]').click()`);
  await page.until(`location.search.includes('n=64')`, 'a button that sets flags');
  check(await count('.katex') > 5 && await count('img') > 5, `${folder}: no lesson`);

  // Frames a second, as a reader has them.
  await page.go(here + '?n=64&scene=drag');
  await page.until(`${pictures} >= 20`, 'pictures');
  const seen = await page.value(pictures);
  const began = Date.now();
  await sleep(4000);
  const rate = (1000 * ((await page.value(pictures)) - seen)) / (Date.now() - began);
  console.log(`${folder}: ${rate.toFixed(1)} pictures a second at N = 64`);

  // Files come and go.
  const downloads = fs.mkdtempSync(path.join(os.tmpdir(), 'downloads-'));
  await chromium.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: downloads});
  const arrives = async (name) => {
    for (let k = 0; k < 200 && !fs.existsSync(path.join(downloads, name)); ++k) await sleep(50);
    check(fs.existsSync(path.join(downloads, name)), `${folder}: no download of ${name}`);
  };
  await page.go(here + '?n=20&scene=swirl&save=state.csv&steps=3&headless');
  await arrives('state.csv');
  await page.go(here);
  await page.until(`${pictures} >= 2`, 'pictures');
  const state = fs.readFileSync(path.join(downloads, 'state.csv'), 'utf8');
  await page.value(`(() => {
    const files = new DataTransfer();
    files.items.add(new File([${JSON.stringify(state)}], 'state.csv'));
    document.getElementById('fluid').dispatchEvent(new DragEvent('drop', {dataTransfer: files, cancelable: true}));
  })()`);
  await sleep(500);
  await page.until(`${pictures} >= 2`, 'pictures of what was dropped');
  check((await page.value(message)) === '', `${folder}: a dropped state says '${await page.value(message)}'`);
  await page.value(`document.querySelector('button[data-key="."]').click()`);
  await page.value(`document.querySelector('button[data-key="s"]').click()`);
  for (let k = 0; k < 200 && !fs.readdirSync(downloads).some((name) => name.endsWith('.png')); ++k) await sleep(50);
  check(fs.readdirSync(downloads).some((name) => name.endsWith('.png')), `${folder}: S offers no picture`);
  fs.rmSync(downloads, {recursive: true});

  // A folder of pictures cannot be written here: one line says so, and nothing is offered.
  await page.go(here + '?n=20&scene=swirl&frames=film&steps=3&headless');
  await page.until(`${message} !== ''`, 'the line about --frames');
  check((await page.value(message)).startsWith(`${folder}: --frames: a page cannot`), `${folder}: --frames says '${await page.value(message)}'`);

  // The page's numbers are on the page.
  await page.go(here + '?numbers');
  await page.until(`document.getElementById('output').textContent.includes('difference')`, 'the numbers');

  // Without a network.
  await page.go(here);
  await page.value(`new Promise((done) => navigator.serviceWorker.addEventListener('message', done))`);
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await page.go(here + '?n=32');
  await page.until(`${pictures} >= 2`, 'pictures without a network');
  const lost = await page.value(`Promise.all([...document.images].map((image) =>
    new Promise((done) => {
      const other = new Image();
      other.onload = () => done(0);
      other.onerror = () => done(1);
      other.src = image.src;
    }))).then((all) => all.reduce((sum, one) => sum + one, 0))`);
  check(lost === 0, `${folder}: ${lost} pictures are missing without a network`);
  check(page.errors.length === 0, `${folder} without a network: ${page.errors[0]}`);
  await page.go(`${address}${folder}/`);
  await page.until(`${pictures} >= 2`, 'pictures without a network, by the address of the folder');
}

// The chapters whose program runs on their page, as the manifest has them.
function inBrowser() {
  const manifest = path.join(__dirname, '..', '..', 'chapters', 'manifest.json');
  const chapters = JSON.parse(fs.readFileSync(manifest, 'utf8')).parts.flatMap((part) => part.chapters);
  return chapters.filter((chapter) => chapter.in_browser !== false).map((chapter) => chapter.folder);
}

// The library's reference: all entries are there, a search leaves those that have both words, and each leads somewhere.
async function searches(page, address) {
  await page.go(address + 'reference/index.html');
  const shown = `[...document.querySelectorAll('.entries li')].filter((one) => !one.hidden).map((one) => one.textContent)`;
  const all = await page.value(shown);
  check(['stable_fluids_step()', 'Fluid.step()'].every((name) => all.includes(name)), 'the reference lacks a step');
  await page.value(`document.getElementById('words').focus()`);
  for (const letter of 'solid distance') await page.key(letter);
  const found = await page.value(shown);
  check(found.includes('stable_fluids_set_solid()') && found.includes('Fluid.set_solid()') && found.length < all.length / 4,
    'a search for "solid distance" shows ' + found.join(', '));
  const targets = await page.value(`[...document.querySelectorAll('.entries a')].map((link) => link.href)`);
  for (const name of ['c.html', 'python.html']) {
    await page.go(address + 'reference/' + name);
    const places = targets.filter((one) => one.includes('/' + name)).map((one) => one.split('#')[1]);
    const lost = await page.value(`${JSON.stringify(places)}.filter((place) => !document.getElementById(place))`);
    check(places.length > 0 && lost.length === 0, `reference/${name} lacks ${lost.join(', ')}`);
    check(page.errors.length === 0, `reference/${name}: ${page.errors[0]}`);
  }
}

async function main() {
  const words = process.argv.slice(2);
  const edition = words.shift();
  const screenshots = words[0] === '--screenshots' ? (words.shift(), words.shift()) : null;
  const program = find();
  if (!program) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    process.exit(77);
  }
  const expected = words.length > 0 ? words : inBrowser();
  const folders = expected.filter((name) => fs.existsSync(path.join(edition, name, name + '.wasm')));
  for (const name of expected.filter((one) => !folders.includes(one))) {
    check(false, `${name}: its page has no program; ./workbook browser ${name} builds it`);
  }
  const server = await serve(edition);
  const address = `http://127.0.0.1:${server.address().port}/`;
  const chromium = new Chromium(program);
  try {
    const page = await chromium.open();
    await page.go(address + 'index.html');
    check((await page.value(`document.querySelectorAll('.cards a').length`)) >= folders.length, 'the index is not whole');
    check(page.errors.length === 0, 'index.html: ' + page.errors[0]);
    if (screenshots) await page.screenshot(path.join(screenshots, 'index.png'));
    await searches(page, address).catch((error) => check(false, `the reference: ${error.message}`));
    for (const folder of folders) {
      await playWith(page, address, folder, screenshots).catch((error) => check(false, `${folder}: ${error.message}`));
    }
    if (folders.includes('21_3d')) {
      await slices(page, address, '21_3d').catch((error) => check(false, `21_3d: ${error.message}`));
    }
    if (folders.includes('07_project')) {
      await special(chromium, page, server, address, '07_project', screenshots);
    }
  } finally {
    await chromium.close();
    server.close();
  }
  console.log(`pages: ${folders.length} opened, ${problems} problems`);
  process.exit(problems > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log('FAILED: ' + error.stack);
  process.exit(1);
});
