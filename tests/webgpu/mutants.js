// Checks that the tests of chapter 24 catch the mistakes that students make, and say what is wrong:
//   node mutants.js --bin DIR
// tests/mutants/24_webgpu/ has a file for each, as tests/honesty/mutants.py says; where it names a `kernel`, the mistake
// is in webgpu/<kernel>.wgsl, and else in cells.wgsl. What `workbook start` lays down is one more. 77: no Chromium.
'use strict';
const fs = require('fs');
const path = require('path');
const {execFileSync} = require('child_process');
const {find, root} = require('../../webgpu/node/gpu_page.js');
const {chapterCells, flag, withTests} = require('./run.js');

const folder = path.join(root, 'tests', 'mutants', '24_webgpu');
const fewest = 6;
const given = ['IX', 'is_fluid']; // functions that a reader need not write: their tests pass with the start file
let problems = 0;

function problem(words) {
  problems += 1;
  console.log('FAILED: ' + words);
}

function read(name) {
  const text = fs.readFileSync(path.join(folder, name), 'utf8');
  const [, head, old, planted] = /^([\s\S]*?)<<<<\n([\s\S]*?)====\n([\s\S]*?)>>>>\n$/.exec(text) || [];
  const words = Object.fromEntries((head || '').trim().split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
  for (const key of ['title', 'look for', 'message']) {
    if (!words[key]) problem(`${name} has no '${key}:'`);
  }
  return {name, words, old, planted};
}

// The text of cells.wgsl and of a kernel with the mistake in one of them.
function plant({name, words, old, planted}, cells) {
  const {kernel} = words;
  const text = kernel ? fs.readFileSync(path.join(root, 'webgpu', `${kernel}.wgsl`), 'utf8') : cells;
  const count = text.split(old).length - 1;
  if (count !== 1) problem(`${name}: what it changes stands ${count} times in ${kernel || 'cells'}.wgsl`);
  const changed = text.replace(old, () => planted);
  return kernel ? [cells, {[kernel]: changed}] : [changed, {}];
}

async function checkMutant(mutant, cells, run) {
  const [changed, sources] = plant(mutant, cells);
  const results = await run(changed, true, sources);
  const [test, wrong] = results[results.length - 1];
  if (!wrong) problem(`${mutant.name} (${mutant.words.title}) survives`);
  else if (!`${test} ${wrong}`.toLowerCase().includes(mutant.words.message.toLowerCase())) {
    problem(`${mutant.name}: the first test to fail does not say '${mutant.words.message}': ${test}: ${wrong}`);
  } else console.log(`${mutant.name} is killed`);
}

// With what `workbook start` lays down each test of a function that the reader writes fails.
async function checkStartFile(run) {
  const code = "import sys; sys.path.insert(0, 'common/book')\n" +
    "from book import find\nfrom start import start_text\nprint(start_text(find('24_webgpu')))";
  const begun = execFileSync('python3', ['-B', '-c', code], {cwd: root, encoding: 'utf8'});
  for (const [test, wrong] of await run(begun, false)) {
    const isGiven = given.includes(test.split(':')[0]);
    if (test === 'It compiles') problem(`the start file does not compile: ${wrong}`);
    else if (isGiven && wrong) problem(`the start file fails '${test}'`);
    else if (!isGiven && !wrong) problem(`the start file passes '${test}'`);
  }
}

async function main() {
  if (!find()) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    process.exit(77);
  }
  const cells = fs.readFileSync(chapterCells, 'utf8');
  const mutants = fs.readdirSync(folder).filter((name) => name.endsWith('.mutant')).sort().map(read);
  if (mutants.length < fewest) problem(`there are ${mutants.length} mutants, fewer than ${fewest}`);
  if (new Set(mutants.map(({words}) => words.title)).size !== mutants.length) problem('two mutants have the same title');
  await withTests(flag('--bin', path.join(root, 'build', 'bin')), async (run) => {
    for (const mutant of mutants) await checkMutant(mutant, cells, run);
    await checkStartFile(run);
  });
  console.log(`mutants: ${problems} problems`);
  process.exit(problems > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log('FAILED: ' + error.stack);
  process.exit(1);
});
