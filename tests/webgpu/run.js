// Runs the tests of chapter 24 in headless Chromium, on its software adapter:
//   node run.js --bin DIR [--cells FILE] [--json]
// --bin    the folder with 22_cells and cells_of_22
// --cells  the file with the functions of one cell: the chapter's, if none is named
// --json   prints [[test, what is wrong or nothing], ...], for `workbook check`
// 77: no Chromium.
'use strict';
const fs = require('fs');
const path = require('path');
const {find, root, withPage} = require('../../webgpu/node/gpu_page.js');
const {references} = require('../../webgpu/node/references.js');

const chapterCells = path.join(root, 'chapters', '24_webgpu', 'cells.wgsl');

function flag(name, otherwise) {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : process.argv[at + 1];
}

// In a page: from now on `notGivenBack` has the buffers and textures that were made and are not destroyed.
const watchMemory = `(() => {
  window.notGivenBack = new Set();
  for (const [name, kind] of [['createBuffer', GPUBuffer], ['createTexture', GPUTexture]]) {
    const [make, destroy] = [GPUDevice.prototype[name], kind.prototype.destroy];
    GPUDevice.prototype[name] = function (what) {
      const made = make.call(this, what);
      notGivenBack.add(made);
      return made;
    };
    kind.prototype.destroy = function () {
      notGivenBack.delete(this);
      destroy.call(this);
    };
  }
})()`;

// Calls work(run), where run(cells, first, sources) runs the tests against such a text.
async function withTests(bin, work) {
  return withPage('', references(bin), async (page, address) => {
    await page.go(address + 'blank.html');
    await page.value(`import('/tests/webgpu/tests.js').then(async (tests) => {
      window.tests = tests;
      window.bench = await tests.open();
    })`);
    return work((cells, first, sources = {}) =>
      page.value(`tests.run(bench, ${JSON.stringify(cells)}, ${first}, ${JSON.stringify(sources)})`));
  });
}

async function main() {
  if (!find()) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    process.exit(77);
  }
  const cells = fs.readFileSync(flag('--cells', chapterCells), 'utf8');
  const results = await withTests(flag('--bin', path.join(root, 'build', 'bin')), (run) => run(cells, false));
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify(results));
    return;
  }
  for (const [name, wrong] of results) console.log(wrong ? `FAILED: ${name}\n  ${wrong}` : `passes  ${name}`);
  const failed = results.filter(([, wrong]) => wrong).length;
  console.log(`24_webgpu: ${results.length} tests, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

if (require.main === module) {
  main().catch((error) => {
    console.log(`FAILED: ${error.message}`);
    process.exit(1);
  });
}

module.exports = {withTests, chapterCells, flag, watchMemory};
