// The table behind `./workbook numbers 24`: chapter 24's kernels on the software adapter, beside chapter 22.
'use strict';
const fs = require('fs');
const path = require('path');
const {root, withPage} = require('./gpu_page.js');
const {references} = require('./references.js');

// In the page: what the rows need.
async function inPage() {
  const [compare, fluids, measuring] = await Promise.all(['compare', 'fluid', 'measure'].map((name) => import(`/webgpu/${name}.js`)));
  const bench = await compare.Bench.open();
  bench.useCells(await (await fetch('/webgpu/cells.wgsl')).text());
  await bench.need(['relax_1_cell', 'relax_2_colour', 'relax_3_tile', 'advect', 'divergence', 'gradient']);
  const found = {sweeps: fluids.defaults.iterations, bytes: measuring.bytesACell, read: (fluids.tileEdge / fluids.tileInside) ** 3, dispatches: {}, differences: {}};
  const product = (numbers) => numbers.reduce((all, one) => all * one);
  const larger = new fluids.DeviceFluid(bench.device, bench.kernels, 40);
  found.workgroups = product(larger.groupsOf('relax_1_cell'));
  found.threads = found.workgroups * product(fluids.group);
  found.cells = (larger.N - 2) ** 3;
  larger.destroy();
  for (const sweep of ['relax_1_cell', 'relax_2_colour', 'relax_3_tile']) {
    const fluid = bench.fluid();
    fluid.sweep = sweep;
    fluid.step(fluids.defaults, 1 / 60);
    found.dispatches[sweep] = fluid.dispatches;
    fluid.destroy();
    bench.forgetGroups();
  }
  for (const [steps, sweep] of [[1, 'relax_1_cell'], [1, 'relax_3_tile'], [20, 'relax_2_colour']]) {
    found.differences[`${steps} ${sweep}`] = await compare.differences(bench, steps, sweep);
  }
  return found;
}

const digits = (value) => String(Number(value.toPrecision(6)));

class Table {
  constructor() {
    this.good = true;
  }

  title(text, expected) {
    console.log(`\n${text.padEnd(54)}${expected.padStart(12)}${'ours'.padStart(14)}  difference`);
  }

  // A row whose value must be what is expected, within so much.
  row(name, expected, ours, within, source) {
    const difference = ours - expected;
    const differs = Math.abs(difference) <= within ? '' : '  DIFFERS';
    this.good = this.good && differs === '';
    console.log(`${name.padEnd(54)}${digits(expected).padStart(12)}${digits(ours).padStart(14)}  ` +
      `${scientific(difference)}  ${source}${differs}`);
  }
}

// As printf's %.0e has it.
const scientific = (value) => value.toExponential(0).replace(/e([+-])(\d)$/, 'e$10$2').padStart(10);

async function numbers(bin) {
  const cells = fs.readFileSync(path.join(root, 'chapters/24_webgpu/cells.wgsl'), 'utf8');
  const found = await withPage(cells, references(bin), async (page, address) => {
    await page.go(address + 'blank.html');
    return page.value(`(${inPage})()`);
  });
  const table = new Table();
  console.log('24_webgpu: the numbers of the software adapter');
  table.title('Settings, as the text states them', 'stated');
  table.row('sweeps', 4, found.sweeps, 0, 'Ash, FluidCubeStep');
  table.title('Results that no text prints', 'expected');
  for (const [how, differences] of Object.entries(found.differences)) {
    const [steps, sweep] = how.split(' ');
    const within = 1e-6 * (1 + Number(steps));
    // The software adapter takes numbers below 1e-38 for 0, and 22_cells keeps them. The table ignores differences below
    // 1e-30.
    differences.forEach((difference, n) => table.row(
      `${n ? '  ' : ''}${['dye', 'u', 'v', 'w'][n]}${n ? '' : ` differs from 22_cells, ${steps} step${steps === '1' ? '' : 's'}, ${sweep}`}`,
      0, Math.abs(difference) < 1e-30 ? 0 : difference, within, 'over the largest value'));
  }
  table.row('dispatches of a step: relax_1_cell', 60, found.dispatches.relax_1_cell, 0, 'by hand');
  table.row('  relax_2_colour', 60, found.dispatches.relax_2_colour, 0, 'by hand');
  table.row('  relax_3_tile', 36, found.dispatches.relax_3_tile, 0, 'by hand');
  table.row('bytes a cell of a sweep: relax_1_cell', 24, found.bytes.relax_1_cell, 0, 'by hand');
  table.row('  relax_3_tile', 19.8333, found.bytes.relax_3_tile, 1e-4, 'by hand');
  table.row('cells that a tile reads for each that it writes', 2.37037, found.read, 1e-5, '4096 / 1728');
  table.row('workgroups of relax_1_cell at N = 40', 380, found.workgroups, 0, '2 * 10 * 19');
  table.row('  its threads', 97280, found.threads, 0, '380 * 256');
  table.row('  those of them that have a cell', 54872, found.cells, 0, '38^3');
  return table.good;
}

module.exports = {numbers};
