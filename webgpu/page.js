// The page of chapter 24: the fluid in its canvas, what the mouse and the fingers do, and the buttons.
import {Brush} from './brush.js';
import {NoWebGPU, WrongKernel, cellsText, compileAll, forgetGroups, openDevice, sweeps} from './device.js';
import {DeviceFluid, Queue, defaults, whyNotSize} from './fluid.js';
import {Picture} from './draw.js';
import {measure} from './measure.js';
import {scenes} from './scenes.js';

const section = /** @type {HTMLElement} */ (document.getElementById('webgpu'));
const find = (/** @type {string} */ name) => /** @type {any} */ (section.querySelector(name));
const canvas = /** @type {HTMLCanvasElement} */ (find('canvas'));
const message = find('.message');

/** @param {string} words */
function tell(words) {
  message.textContent = words;
  message.hidden = words === '';
}

// ---- What the address says -----------------------------------------------------------------------

const asked = new URLSearchParams(location.search);

/**
 * A number that the address gives, or the usual one. Throws a line that names what is wrong.
 * @param {string} name
 * @param {number} usual
 * @param {number} least
 * @param {number} most
 */
function number(name, usual, least, most, whole = false) {
  if (!asked.has(name)) return usual;
  const value = Number(asked.get(name));
  if (asked.get(name) === '' || !(least <= value && value <= most) || (whole && !Number.isInteger(value))) {
    throw new RangeError(`${name}: '${asked.get(name)}' is not a ${whole ? 'whole number' : 'number'} from ${least} to ${most}`);
  }
  return value;
}

/**
 * A word that the address gives, one of these, or the usual one.
 * @param {string} name
 * @param {string} usual
 * @param {string[]} known
 */
function word(name, usual, known) {
  const value = asked.get(name) ?? usual;
  if (!known.includes(value)) throw new RangeError(`${name}: there is no '${value}'; there are ${known.join(', ')}`);
  return value;
}

function settingsOfAddress() {
  return {
    N: number('n', 66, 3, 512, true),
    scene: word('scene', 'rings', Object.keys(scenes)),
    sweep: word('kernels', 'relax_2_colour', sweeps),
    parameters: {...defaults, visc: number('visc', 0, 0, 1e6), diff: number('diff', 0, 0, 1e6),
      iterations: number('iterations', 8, 1, 200, true)},
  };
}

// ---- The fluid -----------------------------------------------------------------------------------

/** @typedef {{from: number[], to: number[], dye: boolean}} Stroke */

class Run {
  /** @type {GPUDevice} */ device;
  /** @type {string} */ name;
  /** @type {GPUCanvasContext} */ context;
  /** @type {Object<string, import('./device.js').Kernel>} */ kernels;
  /** @type {string} */ cells; // the text that they are compiled with
  /** @type {string} */ refused; // such a text that cannot be compiled
  /** @type {Brush} */ brush;
  /** @type {Picture} */ picture;
  /** @type {DeviceFluid} */ fluid;
  /** @type {Stroke[]} */ strokes = [];
  measuring = false;

  /** @param {ReturnType<typeof settingsOfAddress>} settings */
  constructor(settings) {
    this.settings = settings;
    this.paused = false;
    this.turning = false;
    this.pictures = 0;
    this.stopped = false;
  }

  async start() {
    const {device, name} = await openDevice();
    this.device = device;
    this.name = name;
    device.lost.then((lost) => this.lose(lost));
    device.addEventListener('uncapturederror', (event) => {
      console.error(/** @type {GPUUncapturedErrorEvent} */ (event).error.message);
    });
    this.context = /** @type {GPUCanvasContext} */ (canvas.getContext('webgpu'));
    this.context.configure({device, format: 'rgba8unorm', alphaMode: 'opaque'});
    await this.compile(await cellsText());
    this.begin();
  }

  /**
   * Compiles all kernels behind these functions of one cell. The fluid goes on as it is.
   * @param {string} cells
   */
  async compile(cells) {
    const kernels = await compileAll(this.device, cells);
    const brush = await Brush.make(this.device, cells);
    const picture = await Picture.make(this.device, cells);
    if (this.picture) {
      picture.camera = this.picture.camera;
      this.picture.destroy();
      this.brush.destroy();
    }
    this.brush = brush;
    this.picture = picture;
    this.kernels = kernels;
    this.cells = cells;
    if (this.fluid) this.fluid.kernels = kernels;
  }

  begin() {
    const {N, scene, sweep} = this.settings;
    const refused = whyNotSize(this.device, N);
    if (refused) throw new RangeError(refused);
    if (this.fluid) this.fluid.destroy();
    forgetGroups(this.kernels);
    this.fluid = new DeviceFluid(this.device, this.kernels, N);
    this.fluid.sweep = sweep;
    this.fluid.upload(scenes[scene](N));
  }

  /**
   * A GPU may go: a laptop sleeps, a driver is exchanged. The page begins anew with another.
   * @param {GPUDeviceLostInfo} lost
   */
  async lose(lost) {
    if (this.stopped) return;
    this.stopped = true;
    tell(`The GPU was lost (${lost.reason}). Beginning again ...`);
    await begin();
  }

  /** @param {Stroke} stroke */
  stroke({from, to, dye}) {
    const queue = new Queue(this.device);
    this.brush.stroke(this.fluid, queue, {from, to, push: 12, dye: dye ? 0.8 : 0, radius: 0.07});
    queue.submit();
  }

  frame() {
    if (this.stopped) return;
    for (const stroke of this.strokes.splice(0)) this.stroke(stroke);
    if (!this.paused) this.fluid.step(this.settings.parameters, 1 / 60);
    this.picture.draw(this.fluid, this.context.getCurrentTexture());
    this.pictures += 1;
    canvas.dataset.pictures = String(this.pictures);
  }

  /** Draws picture after picture, but no faster than the GPU: what is queued would come late. */
  async show() {
    let since = performance.now(), count = 0;
    while (!this.stopped) {
      await new Promise(requestAnimationFrame);
      if (this.measuring || !visible) continue;
      this.frame();
      await this.device.queue.onSubmittedWorkDone();
      count += 1;
      const seconds = (performance.now() - since) / 1000;
      if (seconds > 0.5) {
        find('.speed').textContent = `${this.name}: N = ${this.settings.N}, ${(count / seconds).toFixed(0)} pictures a second`;
        since = performance.now();
        count = 0;
      }
    }
  }
}

/** @type {Run} */
let run;
let visible = true;
new IntersectionObserver((seen) => (visible = seen[seen.length - 1].isIntersecting)).observe(canvas);

function fit() {
  const side = Math.floor(Math.min(section.clientWidth, 0.8 * innerHeight, 900));
  canvas.style.width = canvas.style.height = `${side}px`;
  canvas.width = canvas.height = Math.max(1, Math.floor(side * Math.min(devicePixelRatio || 1, 2)));
}

/**
 * The page without a GPU says why, and shows the program of chapter 22.
 * @param {NoWebGPU} error
 */
function withoutGPU(error) {
  tell(`${error.message}. Chapter 22's program runs instead: the same fluid, on the processor.`);
  canvas.hidden = true;
  for (const element of section.querySelectorAll('.gpu')) /** @type {HTMLElement} */ (element).hidden = true;
  section.dispatchEvent(new Event('without-webgpu'));
}

async function begin() {
  try {
    fit();
    run = new Run(settingsOfAddress());
    Object.assign(section, {run}); // for who looks on from the console
    await run.start();
    tell('');
    section.dataset.ready = '';
    await run.show();
  } catch (error) {
    if (error instanceof NoWebGPU) withoutGPU(error);
    else tell(error.message);
  }
}

// ---- What the reader does ------------------------------------------------------------------------

/**
 * What each finger does, and where it was: in the picture, and in the cube.
 * @type {Map<number, {turns: boolean, dye: boolean, last: number[], point: number[]}>}
 */
const held = new Map();

/**
 * Where an event is in the picture: from -1 to 1 along each side.
 * @param {PointerEvent} event
 * @returns {[number, number]}
 */
function place(event) {
  const seen = canvas.getBoundingClientRect();
  return [2 * (event.clientX - seen.left) / seen.width - 1, 2 * (event.clientY - seen.top) / seen.height - 1];
}

const pointOf = (/** @type {PointerEvent} */ event) => run.picture.camera.pointAt(...place(event), 1);

canvas.addEventListener('pointerdown', (event) => {
  if (!run || !run.picture) return;
  canvas.focus({preventScroll: true});
  canvas.setPointerCapture(event.pointerId);
  const turns = run.turning || event.button === 1 || event.altKey;
  held.set(event.pointerId, {turns, dye: event.button === 0, last: place(event), point: pointOf(event)});
  event.preventDefault();
});

canvas.addEventListener('pointermove', (event) => {
  const finger = held.get(event.pointerId);
  if (!finger) return;
  const [x, y] = place(event);
  if (finger.turns) {
    run.picture.camera.turn(1.5 * (x - finger.last[0]), 1.5 * (y - finger.last[1]));
  } else {
    const point = pointOf(event);
    run.strokes.push({from: finger.point, to: point, dye: finger.dye});
    finger.point = point;
  }
  finger.last = [x, y];
});

for (const kind of ['pointerup', 'pointercancel']) {
  canvas.addEventListener(kind, (event) => held.delete(/** @type {PointerEvent} */ (event).pointerId));
}
canvas.addEventListener('contextmenu', (event) => event.preventDefault());

/** @type {Object<string, () => any>} */
const actions = {
  pause: () => (run.paused = !run.paused),
  again: () => run.begin(),
  turn: () => {
    run.turning = !run.turning;
    find('[data-does=turn]').textContent = run.turning ? 'drag: turn' : 'drag: dye';
  },
  kernels: () => {
    const at = sweeps.indexOf(run.fluid.sweep);
    run.fluid.sweep = run.settings.sweep = sweeps[(at + 1) % sweeps.length];
    find('[data-does=kernels]').textContent = run.fluid.sweep;
  },
  measure: async () => {
    if (run.measuring) return;
    run.measuring = true;
    find('pre').hidden = false;
    find('pre').textContent = 'measuring ...';
    try {
      find('pre').textContent = await measure(run.device, run.kernels, run.name, run.settings.N);
    } finally {
      run.measuring = false;
    }
  },
};
for (const button of section.querySelectorAll('button[data-does]')) {
  button.addEventListener('click', () => run && run.fluid && actions[String(/** @type {HTMLElement} */ (button).dataset.does)]());
}
/** @type {Object<string, string>} */
const keys = {' ': 'pause', r: 'again', t: 'turn', k: 'kernels', m: 'measure'};
canvas.addEventListener('keydown', (event) => {
  const does = keys[event.key.toLowerCase()];
  if (!does || event.ctrlKey || event.metaKey || !run || !run.fluid) return;
  actions[does]();
  event.preventDefault();
});
new ResizeObserver(fit).observe(section);

// ---- The reader's own cells.wgsl -----------------------------------------------------------------

/** Compiles the reader's file each time it is saved. The fluid goes on; a mistake is named, with its line. */
async function watch() {
  for (;;) {
    await new Promise((done) => setTimeout(done, 700));
    const cells = await cellsText().catch(() => run.cells);
    if (!run.kernels || cells === run.cells || cells === run.refused) continue;
    try {
      await run.compile(cells);
      tell('');
    } catch (error) {
      run.refused = cells;
      tell(error instanceof WrongKernel ? error.message : String(error));
    }
  }
}

begin();
if (section.dataset.watch !== undefined) watch();
