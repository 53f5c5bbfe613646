// Opens the browser edition's pages in headless Chromium and plays with them:
//   node pages.js EDITION [--screenshots DIR] [CHAPTER...]
// Each page opens without an error; a drag and a finger draw; a key works; a bad flag shows its line. One page
// is opened without a network, takes a dropped state, and offers what --save and S write. 77: no Chromium.
'use strict';
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const {Chromium, find, sleep} = require('./chromium.js');

const types = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css',
  '.wasm': 'application/wasm', '.png': 'image/png', '.svg': 'image/svg+xml', '.woff2': 'font/woff2'};

function serve(folder) {
  const server = http.createServer((request, response) => {
    let file = path.join(folder, decodeURIComponent(new URL(request.url, 'http://here').pathname));
    if (file.endsWith('/')) file += 'index.html';
    fs.readFile(file, (error, data) => {
      response.writeHead(error ? 404 : 200, {'Content-Type': types[path.extname(file)] || 'text/plain'});
      response.end(data);
    });
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

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
  const height = Math.floor(canvas.height * 0.75);
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

async function playWith(page, address, folder, screenshots) {
  const began = Date.now();
  await page.go(`${address}${folder}/index.html`);
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
  await page.touch(await across(page, 0.2));
  await morePictures(page, 2);
  check((await page.value(changed)) > 20, `${folder}: a finger changes nothing`);
  await page.value(remember);
  await page.key('h');
  await morePictures(page, 2);
  check((await page.value(changed)) > 500, `${folder}: the key H shows no help`);
  check(page.errors.length === 0, `${folder}: ${page.errors[0]}`);
  await page.go(`${address}${folder}/index.html?n=many`);
  await page.until(`${message} !== ''`, 'the line about a bad flag');
  const line = await page.value(message);
  check(line.startsWith(`${folder}: --n: 'many'`), `${folder}: a bad flag says '${line}'`);
  console.log(`${folder}: the first picture after ${seconds.toFixed(2)} s`);
}

// What one page shows for all.
async function special(chromium, page, server, address, folder) {
  const here = `${address}${folder}/index.html`;
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
  const there = fs.readdirSync(edition).filter((name) => fs.existsSync(path.join(edition, name, name + '.wasm')));
  const folders = words.length > 0 ? words : there;
  const server = await serve(edition);
  const address = `http://127.0.0.1:${server.address().port}/`;
  const chromium = new Chromium(program);
  try {
    const page = await chromium.open();
    await page.go(address + 'index.html');
    check((await page.value(`document.querySelectorAll('.cards a').length`)) >= there.length, 'the index is not whole');
    check(page.errors.length === 0, 'index.html: ' + page.errors[0]);
    if (screenshots) await page.screenshot(path.join(screenshots, 'index.png'));
    for (const folder of folders) {
      await playWith(page, address, folder, screenshots).catch((error) => check(false, `${folder}: ${error.message}`));
    }
    if (folders.includes('07_project')) {
      await special(chromium, page, server, address, '07_project');
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
