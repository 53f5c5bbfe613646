// What chapter 24 is compared with: chapter 22's functions on random cells, and its program's state files.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const {execFileSync} = require('child_process');

// `bin` is the folder with 22_cells and cells_of_22. Returns what a page may fetch, by its address.
function references(bin) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'webgpu-'));
  const made = {};
  try {
    made['/reference.json'] = execFileSync(path.join(bin, 'cells_of_22'), ['17', '24'], {maxBuffer: 1 << 28});
    for (const steps of [0, 1, 20]) {
      const file = path.join(folder, 'state.csv');
      execFileSync(path.join(bin, '22_cells'), ['--headless', '--n', '18', '--scene', 'jets', '--steps', String(steps), '--save', file]);
      made[`/state_${steps}.csv`] = fs.readFileSync(file);
    }
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
  return made;
}

module.exports = {references};
