// Tries the worked answers of chapter 24, tests/answers/24_webgpu.wgsl, in headless Chromium:
//   node answers.js --bin DIR
// 77: no Chromium.
'use strict';
const fs = require('fs');
const path = require('path');
const {find, root, withPage} = require('../../webgpu/node/gpu_page.js');
const {references} = require('../../webgpu/node/references.js');
const {chapterCells, flag} = require('./run.js');

// In the page. Returns what is wrong.
async function inPage(cells, answers) {
  const {Bench, compare} = await import('/webgpu/compare.js');
  const bench = await Bench.open();
  const {reference} = bench;
  const settings = {a: reference.a, c_recip: Math.fround(1 / reference.c)};
  bench.useCells(cells + answers);
  const wrong = [];
  const expect = (found, expected, what) => {
    try {
      compare(reference.N, found, expected, 1e-6, what);
    } catch (error) {
      wrong.push(error.message);
    }
  };
  const farther = reference.x.map((old, at) => (reference.relaxed_at[at] === 0 ? 0 : old + 1.5 * (reference.relaxed_at[at] - old)));
  expect(await bench.each('over_relaxed_at(i, j, k, 1.5)', {x: 'x', x0: 'x0'}, settings), farther, 'an over-relaxed cell');
  // A workgroup of each() has 32 x 4 x 2 threads. N = 17 has 15 cells in a row, so each group adds those of one row,
  // four rows high and two layers deep; what is beyond the fluid hands in the value of its place, which is 1.
  const sums = new Float32Array(reference.N ** 3);
  for (let k = 1; k < 16; ++k) {
    for (let j = 1; j < 16; ++j) {
      for (let i = 1; i < 16; ++i) sums[i + 17 * (j + 17 * k)] = 256;
    }
  }
  const thread = '(u32(i - 1) % 32u) + 32u * (u32(j - 1) % 4u) + 128u * (u32(k - 1) % 2u)';
  expect(await bench.each('ones', {}, {}, `let ones = sum_of_workgroup(1.0, ${thread});`), sums, 'the sum of 256 ones');
  const numbers = sums.map((value) => (value ? 255 * 128 : 0));
  expect(await bench.each('sum', {}, {}, `let sum = sum_of_workgroup(f32(${thread}), ${thread});`), numbers, 'the sum of 0 to 255');
  return wrong;
}

async function main() {
  if (!find()) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    process.exit(77);
  }
  const cells = fs.readFileSync(chapterCells, 'utf8');
  const answers = fs.readFileSync(path.join(root, 'tests', 'answers', '24_webgpu.wgsl'), 'utf8');
  const made = references(flag('--bin', path.join(root, 'build', 'bin')));
  const wrong = await withPage(cells, made, async (page, address) => {
    await page.go(address + 'blank.html');
    return page.value(`(${inPage})(${JSON.stringify(cells)}, ${JSON.stringify(answers)})`);
  });
  wrong.forEach((line) => console.log('FAILED: ' + line));
  console.log(`answers: ${wrong.length} problems`);
  process.exit(wrong.length > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log('FAILED: ' + error.stack);
  process.exit(1);
});
