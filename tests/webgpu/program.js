// Tries the program of chapter 24, which has no window:
//   node program.js --bin DIR
// A state file of 22_cells goes in and what comes out after a step is 22_cells' own; a picture is one; bad words are
// refused in one line, with nothing half-written. 77: no Chromium.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const zlib = require('zlib');
const {execFileSync, spawnSync} = require('child_process');
const {find, root} = require('../../webgpu/node/gpu_page.js');
const {flag} = require('./run.js');

const bin = flag('--bin', path.join(root, 'build', 'bin'));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'program-'));
let problems = 0;

function check(is, what) {
  if (is) return;
  problems += 1;
  console.log('FAILED: ' + what);
}

const run = (flags) => spawnSync(path.join(bin, '24_webgpu'), flags, {cwd: folder, encoding: 'utf8'});

function refuses(flags, status, words) {
  const {status: found, stderr} = run(flags);
  check(found === status && stderr.split('\n').length === 2 && stderr.startsWith('24_webgpu: ') && stderr.includes(words),
    `${flags.join(' ')}: status ${found}, '${stderr}'`);
}

// The numbers of a state file, line by line.
const numbersIn = (name) => fs.readFileSync(path.join(folder, name), 'utf8').trim().split('\n').slice(1)
  .map((line) => line.split(',').map(Number));

// How many of a picture's pixels are bright: brighter than the lines of the cube. png.js writes the pixels in one
// piece, and before each row a byte that says that they stand as they are.
function brightIn(png) {
  const length = png.readUInt32BE(33); // behind the signature and the head
  const rows = zlib.inflateSync(png.subarray(41, 41 + length));
  const wide = 3 * png.readUInt32BE(16) + 1;
  let bright = 0;
  for (let at = 0; at < rows.length; at += wide) {
    for (let pixel = at + 1; pixel < at + wide; pixel += 3) {
      if (Math.max(...rows.subarray(pixel, pixel + 3)) > 100) bright += 1;
    }
  }
  return bright;
}

function main() {
  if (!find()) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    return 77;
  }
  const native = path.join(bin, '22_cells');
  execFileSync(native, ['--headless', '--n', '12', '--scene', 'jets', '--steps', '3', '--save', 'begun.csv'], {cwd: folder});
  execFileSync(native, ['--headless', '--load', 'begun.csv', '--steps', '1', '--save', 'expected.csv', '--diff', '0.001'], {cwd: folder});
  const done = run(['--headless', '--load', 'begun.csv', '--steps=1', '--iterations', '4', '--diff', '0.001', '--visc', '0.0001',
    '--save', 'found.csv', '--png', 'picture.png', '--size', '64']);
  check(done.status === 0, `a step fails: ${done.stderr}`);
  const [expected, found] = [numbersIn('expected.csv'), numbersIn('found.csv')];
  const worst = Math.max(...expected.map((row, n) => Math.max(...row.map((value, m) => Math.abs(value - found[n][m])))));
  check(expected.length === 12 ** 3 && worst < 1e-5, `after a step the largest difference is ${worst}`);
  const picture = fs.readFileSync(path.join(folder, 'picture.png'));
  check(picture.readUInt32BE(16) === 64 && picture.readUInt32BE(20) === 64, 'the picture is not 64 pixels wide and high');
  const bright = brightIn(picture);
  check(bright > 100 && bright < 64 * 64, `${bright} pixels of the picture are bright`);
  refuses(['--headless', '--n', 'many'], 2, "'many'");
  refuses(['--headless', '--n', '2'], 2, "'2'");
  refuses(['--headless', '--kernels', 'relax_9'], 2, 'relax_3_tile');
  refuses(['--nonsense'], 2, '--nonsense');
  refuses([], 2, './workbook run 24');
  fs.writeFileSync(path.join(folder, 'bad.csv'), 'i,j,k,density\n0,0,0,nan\n');
  refuses(['--headless', '--load', 'bad.csv', '--save', 'never.csv'], 1, 'this file has 1');
  refuses(['--headless', '--load', 'gone.csv'], 1, 'gone.csv');
  refuses(['--headless', '--n', '6', '--steps', '0', '--save', 'no/folder.csv'], 1, 'no/folder.csv');
  fs.mkdirSync(path.join(folder, 'a_folder'));
  refuses(['--headless', '--n', '6', '--steps', '0', '--save', 'a_folder'], 1, 'a_folder');
  refuses(['--headless', '--n', '6', '--steps', '0', '--size', '64', '--png', 'a_folder'], 1, 'a_folder');
  const left = fs.readdirSync(folder).sort();
  const whole = ['a_folder', 'bad.csv', 'begun.csv', 'expected.csv', 'found.csv', 'picture.png'];
  check(left.join() === whole.join() && fs.readdirSync(path.join(folder, 'a_folder')).length === 0,
    `something is half-written: there are ${left}`);
  console.log(`program: ${problems} problems`);
  return problems > 0 ? 1 : 0;
}

try {
  process.exitCode = main();
} finally {
  fs.rmSync(folder, {recursive: true});
}
