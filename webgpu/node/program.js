// Chapter 24 without a window: its kernels run in headless Chromium, on the software adapter.
'use strict';
const fs = require('fs');
const path = require('path');
const {find, root, withPage} = require('./gpu_page.js');
const {numbers} = require('./numbers.js');
const {encodePNG} = require('./png.js');

const usage = `24_webgpu: The same cells on any GPU
Usage: 24_webgpu --headless [OPTIONS]   (./workbook run 24 opens its page)

Options:
  --help              print this and exit
  --headless          run, write what is asked for, exit
  --n N               cells along each edge, walls included (66)
  --steps N           how many steps to run (60)
  --dt SECONDS        the time step (1/60)
  --scene NAME        what happens before the first step: rings, jets, none (rings)
  --load FILE         begin with a state file, of chapter 22, too
  --save FILE         save the state at the end, as CSV
  --png FILE          write the last picture
  --size PIXELS       how wide it is, a multiple of 64 (512)
  --kernels NAME      which relax: relax_1_cell, relax_2_colour, relax_3_tile (relax_2_colour)
  --iterations COUNT  sweeps spent on each relaxation (8)
  --diff NUMBER       how fast dye spreads (0)
  --visc NUMBER       how fast velocity spreads (0)
  --numbers           print the tutorial's numbers beside ours, and exit`;

class BadFlag extends Error {}

const counts = {n: [3, 512], steps: [0, 1e6], size: [64, 2048], iterations: [1, 200]};
const numbersOf = {dt: [0, 10], diff: [0, 1e6], visc: [0, 1e6]};
const words = {scene: ['rings', 'jets', 'none'], kernels: ['relax_1_cell', 'relax_2_colour', 'relax_3_tile']};
const files = ['load', 'save', 'png', 'bin'];
const switches = ['headless', 'numbers', 'help', 'long'];
const withValue = [...Object.keys(counts), ...Object.keys(numbersOf), ...Object.keys(words), ...files];

function numberOf(name, word, [least, most], whole) {
  const value = Number(word);
  if (word === '' || !(least <= value && value <= most) || (whole && !Number.isInteger(value))) {
    throw new BadFlag(`--${name}: '${word}' is not a ${whole ? 'whole number' : 'number'} from ${least} to ${most}`);
  }
  return value;
}

function valueOf(name, word) {
  if (word === undefined) throw new BadFlag(`--${name} needs a value`);
  if (Object.hasOwn(counts, name)) return numberOf(name, word, counts[name], true);
  if (Object.hasOwn(numbersOf, name)) return numberOf(name, word, numbersOf[name], false);
  if (Object.hasOwn(words, name) && !words[name].includes(word)) {
    throw new BadFlag(`--${name}: there is no '${word}'; there are ${words[name].join(', ')}`);
  }
  return word;
}

function parse(flags) {
  const asked = {n: 66, steps: 60, dt: 1 / 60, scene: 'rings', size: 512, kernels: 'relax_2_colour', iterations: 8, diff: 0, visc: 0};
  for (let at = 0; at < flags.length; ++at) {
    const [, name, value] = /^--([a-z]+)(?:=(.*))?$/s.exec(flags[at]) || [];
    if (switches.includes(name) && value === undefined) asked[name] = true;
    else if (withValue.includes(name)) {
      asked[name] = valueOf(name, value === undefined ? flags[++at] : value);
    } else throw new BadFlag(`there is no flag '${flags[at]}'; --help lists them`);
  }
  if (asked.size % 64 !== 0) throw new BadFlag(`--size: ${asked.size} is not a multiple of 64`);
  return asked;
}

// Writes a file that appears only when it is complete.
function write(file, data) {
  const unfinished = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(unfinished, data);
    fs.renameSync(unfinished, file);
  } catch (error) {
    fs.rmSync(unfinished, {force: true});
    throw new Error(`${file} cannot be written: ${error.message}`);
  }
}

// In the page: runs the steps. Returns what was asked for, binary as base64.
async function inPage(asked, state) {
  const load = (name) => import(`/webgpu/${name}.js`);
  const [device, fluids, draw, scenes, states] = await Promise.all(['device', 'fluid', 'draw', 'scenes', 'state'].map(load));
  const base64 = (bytes) => {
    let text = '';
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  };
  const {device: gpu} = await device.openDevice();
  const cells = await device.cellsText();
  const kernels = await device.compileAll(gpu, cells);
  const begun = state === null ? {N: asked.n, fields: scenes.scenes[asked.scene](asked.n)} : states.parseState(state);
  const fluid = new fluids.DeviceFluid(gpu, kernels, begun.N);
  fluid.sweep = asked.kernels;
  fluid.upload(begun.fields);
  for (let n = 0; n < asked.steps; ++n) {
    fluid.step({...fluids.defaults, iterations: asked.iterations, diff: asked.diff, visc: asked.visc}, asked.dt);
  }
  const result = {};
  if (asked.png) {
    const picture = await draw.Picture.make(gpu, cells);
    result.pixels = base64(await picture.pixels(fluid, asked.size));
  }
  if (asked.save) {
    const fields = {};
    for (const name of ['density', 'u', 'v', 'w']) fields[name] = await fluid.download(name);
    result.state = states.formatState(begun.N, fields);
  }
  return result;
}

async function run(asked) {
  const cells = fs.readFileSync(path.join(root, 'chapters/24_webgpu/cells.wgsl'), 'utf8');
  const state = asked.load ? fs.readFileSync(asked.load, 'utf8') : null;
  const result = await withPage(cells, {}, async (page, address) => {
    await page.go(address + 'blank.html');
    return page.value(`(${inPage})(${JSON.stringify(asked)}, ${JSON.stringify(state)})`);
  });
  if (asked.png) write(asked.png, encodePNG(Buffer.from(result.pixels, 'base64'), asked.size));
  if (asked.save) write(asked.save, result.state);
}

async function main() {
  try {
    const asked = parse(process.argv.slice(2));
    if (asked.help) {
      console.log(usage);
      return;
    }
    if (!find()) throw new Error('Chromium is not installed here (Debian: apt install chromium)');
    if (asked.numbers) {
      process.exitCode = await numbers(asked.bin || path.join(root, 'build', 'bin')) ? 0 : 1;
    } else if (asked.headless) {
      await run(asked);
    } else {
      throw new BadFlag('./workbook run 24 opens its page; this program needs --headless or --numbers');
    }
  } catch (error) {
    const [line] = error.message.replace(/^Error: /, '').split('\n');
    console.error(`24_webgpu: ${line}`);
    process.exitCode = error instanceof BadFlag || line.includes('not installed') ? 2 : 1;
  }
}

main();
