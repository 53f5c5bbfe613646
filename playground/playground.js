// The playground: a fluid as wide as the window.
import {NoWebGPU, openDevice} from '../webgpu/device.js';
import {film, pictureFile} from './recorder.js';
import {Scene2D, rowsTried} from './scene_2d.js';
import {Scene3D, edgesTried} from './scene_3d.js';
import {fromAddress, palettes, scenes, sliders, toAddress} from './settings.js';

const find = (/** @type {string} */ name) => /** @type {any} */ (document.querySelector(name));
const canvas = /** @type {HTMLCanvasElement} */ (find('#picture'));
const message = find('#message');
const settings = fromAddress(location.search);
const values = /** @type {Object<string, any>} */ (settings); // the same, where a slider's name is a variable

const longestStep = 1 / 30, shortestStep = 1 / 240; // seconds
const idleAfter = 9; // seconds without a finger: then the fluid is stirred by itself
const mostPixels = 2600; // along a side

/** Few different steps, so that the kernels find the settings and bind groups of an earlier picture. */
const rounded = (/** @type {number} */ seconds) => Math.round(960 * seconds) / 960;

/** @param {string} words */
function tell(words) {
  message.textContent = words;
  message.hidden = words === '';
}

// ---- One GPU, and what runs on it ----------------------------------------------------------------

class Run {
  /** @type {GPUDevice} */ device;
  /** @type {string} */ name;
  /** @type {GPUCanvasContext} */ context;
  /** @type {Scene2D | Scene3D} */ scene;
  /** @type {import('./settings.js').Stroke[]} */ strokes = [];

  constructor() {
    this.stopped = false;
    this.paused = false;
    this.pictures = 0;
    this.time = 0;
    this.touched = settings.still ? 0 : -Infinity; // when a finger was last seen, in milliseconds
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
    fit();
    await this.choose();
  }

  /** Begins the scene that the settings name. */
  async choose() {
    const kind = scenes[settings.scene].three ? Scene3D : Scene2D;
    const scene = await kind.make(this.device, settings, canvas.width / canvas.height, this.scene);
    if (this.scene) this.scene.destroy(scene);
    this.scene = scene;
  }

  /** @param {GPUDeviceLostInfo} lost */
  async lose(lost) {
    if (this.stopped) return;
    this.stopped = true;
    tell(`The GPU was lost (${lost.reason || 'unknown'}). Beginning again ...`);
    await begin();
  }

  isIdle() {
    return !settings.still && performance.now() - this.touched > 1000 * idleAfter;
  }

  /** @param {number} seconds - since the last one */
  frame(seconds) {
    const dt = Math.min(longestStep, Math.max(shortestStep, rounded(seconds)));
    if (!this.paused) {
      this.time += dt;
      const ready = this.strokes.splice(0, 12);
      this.scene.step(dt, this.time, ready, this.isIdle());
    }
    this.scene.draw(this.context.getCurrentTexture());
    this.pictures += 1;
    canvas.dataset.pictures = String(this.pictures);
  }

  /** Draws picture after picture, and looks at how long the GPU takes for them. */
  async show() {
    let before = performance.now(), since = before, count = 0, computing = 0;
    while (!this.stopped) {
      const now = await new Promise(requestAnimationFrame);
      if (document.hidden) continue;
      const began = performance.now();
      this.frame((now - before) / 1000);
      before = now;
      await this.device.queue.onSubmittedWorkDone();
      computing += performance.now() - began;
      count += 1;
      if (now - since > 1000 && !this.stopped) {
        find('#speed').textContent = `${this.scene.words()} · ${Math.round(1000 * count / (now - since))} pictures/s`;
        if (count > 2 || computing > 1000) this.scene.adapt(computing / count);
        since = now;
        count = 0;
        computing = 0;
      }
    }
  }
}

/** @type {Run} */
let run;

function fit() {
  const scale = Math.min(devicePixelRatio || 1, 2, mostPixels / Math.max(innerWidth, innerHeight, 1));
  const [width, height] = [Math.max(1, Math.round(innerWidth * scale)), Math.max(1, Math.round(innerHeight * scale))];
  if (canvas.width === width && canvas.height === height) return;
  canvas.width = width;
  canvas.height = height;
  if (run && run.scene) run.scene.resize(width / height);
}

async function begin() {
  const mine = new Run();
  run = mine;
  Object.assign(window, {playground: run}); // for who looks on from the console
  try {
    await mine.start();
    tell('');
    await mine.show();
  } catch (error) {
    if (error instanceof NoWebGPU) {
      const {instead} = await import('./instead.js');
      await instead(error.message, settings.scene);
    } else {
      tell(error.message);
    }
  }
}

// ---- Fingers -------------------------------------------------------------------------------------

/**
 * @typedef {import('./flow.js').Body} Body
 * @type {Map<number, {last: number[], number: number, dye: boolean, ball?: Body, at: number}>}
 */
const fingers = new Map();
let pressed = 0;

/** Where an event is, in heights of the picture. */
const place = (/** @type {PointerEvent} */ event) => [event.clientX / innerHeight, event.clientY / innerHeight];

canvas.addEventListener('pointerdown', (event) => {
  if (!run || !run.scene) return;
  canvas.focus({preventScroll: true});
  canvas.setPointerCapture(event.pointerId);
  find('#hint').classList.add('gone');
  const last = place(event);
  const ball = run.scene.ballAt(last);
  if (ball) ball.held = true;
  fingers.set(event.pointerId, {last, number: pressed, dye: event.button === 0, ball, at: event.timeStamp});
  pressed += 1;
  run.touched = performance.now();
  event.preventDefault();
});

canvas.addEventListener('pointermove', (event) => {
  const finger = fingers.get(event.pointerId);
  if (!finger) return;
  const here = place(event);
  if (finger.ball) {
    moveBall(finger.ball, finger.last, here, event.timeStamp - finger.at);
  } else {
    run.strokes.push({from: finger.last, to: here, number: finger.number, dye: finger.dye});
  }
  finger.last = here;
  finger.at = event.timeStamp;
  run.touched = performance.now();
});

/**
 * @param {Body} ball
 * @param {number[]} last - where the finger was
 * @param {number[]} here - where it is now
 * @param {number} milliseconds - between the two
 */
function moveBall(ball, last, here, milliseconds) {
  const seconds = Math.max(milliseconds / 1000, 1 / 120);
  ball.u = Math.max(-4, Math.min(4, (here[0] - last[0]) / seconds));
  ball.v = Math.max(-4, Math.min(4, (here[1] - last[1]) / seconds));
  ball.x += here[0] - last[0];
  ball.y += here[1] - last[1];
}

for (const kind of ['pointerup', 'pointercancel']) {
  canvas.addEventListener(kind, (event) => {
    const {pointerId} = /** @type {PointerEvent} */ (event);
    const finger = fingers.get(pointerId);
    if (finger && finger.ball) Object.assign(finger.ball, {held: false, u: 0, v: 0});
    fingers.delete(pointerId);
  });
}
canvas.addEventListener('contextmenu', (event) => event.preventDefault());
addEventListener('resize', fit);

// ---- Buttons and keys ----------------------------------------------------------------------------

/**
 * @param {Element} group - of buttons
 * @param {string} chosen
 */
function press(group, chosen) {
  for (const button of /** @type {Iterable<HTMLElement>} */ (group.children)) {
    button.setAttribute('aria-pressed', String(button.dataset.name === chosen));
  }
}

function remember() {
  history.replaceState(null, '', location.pathname + toAddress(settings));
}

/** @param {string} name */
async function chooseScene(name) {
  if (scenes[settings.scene].three !== scenes[name].three) settings.rows = 0;
  settings.scene = name;
  for (const [slider, {usual}] of Object.entries(sliders)) values[slider] = scenes[name].set[slider] ?? usual;
  press(find('#scenes'), name);
  makeControls();
  remember();
  await run.choose();
}

/** @param {string} name */
function choosePalette(name) {
  settings.palette = name;
  press(find('#palettes'), name);
  remember();
  run.scene.apply();
}

function makeChoices() {
  for (const [name, {label}] of Object.entries(scenes)) {
    const button = Object.assign(document.createElement('button'), {type: 'button', textContent: label});
    button.dataset.name = name;
    button.addEventListener('click', () => chooseScene(name));
    find('#scenes').append(button);
  }
  for (const [name, {colours}] of Object.entries(palettes)) {
    const button = Object.assign(document.createElement('button'), {type: 'button', title: name});
    button.dataset.name = name;
    button.setAttribute('aria-label', `colours: ${name}`);
    const parts = colours.map((colour) => `rgb(${colour.map((part) => Math.round(255 * Math.sqrt(part))).join(' ')})`);
    button.style.background = `linear-gradient(90deg, ${parts.join(', ')})`;
    button.addEventListener('click', () => choosePalette(name));
    find('#palettes').append(button);
  }
  press(find('#scenes'), settings.scene);
  press(find('#palettes'), settings.palette);
}

/** Shows what does something in this scene: in three dimensions there is no ball, nothing that glows, and one colour of fire. */
function makeControls() {
  const {three, fire} = scenes[settings.scene];
  find('#palettes').hidden = Boolean(three && fire);
  find('[data-does=body]').hidden = Boolean(three);
  const shown = Object.entries(sliders).filter(([, {plane}]) => !(three && plane));
  find('#more').replaceChildren(...cellsControl(three), ...shown.flatMap(([name, {label, least, most}]) => {
    const words = Object.assign(document.createElement('label'), {textContent: label, htmlFor: `slide-${name}`});
    const slider = Object.assign(document.createElement('input'), {type: 'range', id: `slide-${name}`, min: String(least),
      max: String(most), step: String((most - least) / 200), value: values[name]});
    const value = Object.assign(document.createElement('span'), {textContent: String(Number(values[name].toPrecision(2)))});
    slider.addEventListener('input', () => {
      values[name] = Number(slider.value);
      value.textContent = String(Number(values[name].toPrecision(2)));
      remember();
      run.scene.apply();
    });
    return [words, slider, value];
  }));
}

/**
 * How many cells there are: as many as the GPU is fast enough for, or as the reader chooses.
 * @param {boolean | undefined} three
 */
function cellsControl(three) {
  const words = Object.assign(document.createElement('label'), {textContent: 'cells', htmlFor: 'choose-cells'});
  const known = three ? edgesTried : rowsTried;
  const all = known.includes(settings.rows) || !settings.rows ? known : [settings.rows, ...known];
  const choice = Object.assign(document.createElement('select'), {id: 'choose-cells'});
  choice.add(new Option('by the GPU\'s speed', '0'));
  for (const count of all) choice.add(new Option(three ? `${count}³` : `${count} rows`, String(count)));
  choice.value = String(settings.rows);
  choice.addEventListener('change', () => {
    settings.rows = Number(choice.value);
    remember();
    run.choose().catch((error) => tell(error.message));
  });
  return [words, choice, document.createElement('span')];
}

async function copyLink() {
  const button = find('[data-does=link]');
  const address = location.origin + location.pathname + toAddress(settings);
  try {
    if (navigator.share && matchMedia('(pointer: coarse)').matches) {
      await navigator.share({url: address});
      button.textContent = 'shared';
    } else {
      await navigator.clipboard.writeText(address);
      button.textContent = 'copied';
    }
  } catch (error) {
    button.textContent = 'it is in the address'; // remember() keeps it there
  }
  setTimeout(() => (button.textContent = 'link'), 2000);
}

/** @type {Object<string, () => any>} */
const actions = {
  pause: () => {
    run.paused = !run.paused;
    find('[data-does=pause]').textContent = run.paused ? 'go on' : 'pause';
  },
  clear: () => {
    run.scene.clear();
    run.touched = performance.now();
  },
  body: () => run.scene.addBall(),
  whole: () => {
    if (document.fullscreenElement) return document.exitFullscreen();
    return document.documentElement.requestFullscreen();
  },
  link: copyLink,
  film: () => film(canvas, find('[data-does=film]'), tell),
  picture: () => pictureFile(canvas),
  more: () => {
    find('#more').hidden = !find('#more').hidden;
    find('[data-does=more]').setAttribute('aria-expanded', String(!find('#more').hidden));
  },
};

/** @param {string} name - of an action */
function act(name) {
  if (run && run.scene) Promise.resolve(actions[name]()).catch((error) => tell(error.message));
}

for (const button of document.querySelectorAll('button[data-does]')) {
  button.addEventListener('click', () => act(String(/** @type {HTMLElement} */ (button).dataset.does)));
}
/** @type {Object<string, string>} */
const keys = {' ': 'pause', c: 'clear', b: 'body', f: 'whole', l: 'link', r: 'film', s: 'picture', m: 'more'};
addEventListener('keydown', (event) => {
  const does = keys[event.key.toLowerCase()];
  if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLButtonElement && event.key === ' ') return;
  if (event.target instanceof HTMLSelectElement) return;
  act(does);
  event.preventDefault();
});

// The bar steps back while somebody plays, and when nobody has moved for six seconds.
let seen = performance.now();
for (const kind of ['pointermove', 'pointerdown', 'pointerup', 'keydown']) {
  addEventListener(kind, (event) => {
    if (fingers.size === 0) seen = performance.now();
    const isPlaying = fingers.size > 0 && event.target === canvas;
    for (const part of ['#bar', '#corner']) find(part).classList.toggle('quiet', isPlaying);
  });
}
setInterval(() => {
  const isQuiet = performance.now() - seen > 6000 && find('#more').hidden;
  for (const part of ['#bar', '#corner']) find(part).classList.toggle('quiet', isQuiet);
}, 1000);
setTimeout(() => find('#hint').classList.add('gone'), 6000);

makeChoices();
makeControls();
begin();
