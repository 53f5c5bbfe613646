// Drives Chromium through its DevTools, over two pipes, so that nothing but Node is needed.
'use strict';
const {spawn, spawnSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

function find() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
  return [process.env.CHROMIUM, ...names].filter(Boolean).find(
    (name) => spawnSync(name, ['--version']).status === 0);
}

class Chromium {
  // `graphics` are the browser's flags for its GPU.
  constructor(program, graphics = ['--disable-gpu']) {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'chromium-'));
    const flags = ['--headless=new', '--remote-debugging-pipe', '--disable-dev-shm-usage',
      '--no-first-run', '--window-size=1200,900', '--user-data-dir=' + this.profile, ...graphics];
    if (process.getuid && process.getuid() === 0) flags.push('--no-sandbox');
    this.process = spawn(program, flags, {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.waiting = new Map();
    this.listeners = [];
    this.count = 0;
    let held = '';
    this.process.stdio[4].on('data', (data) => {
      const messages = (held + data).split('\0');
      held = messages.pop();
      messages.forEach((message) => this.hear(JSON.parse(message)));
    });
  }

  hear(message) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) {
      this.listeners.forEach((listener) => listener(message));
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) waiting.no(new Error(message.error.message));
    else waiting.yes(message.result);
  }

  send(method, params = {}, sessionId) {
    const id = ++this.count;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
    return new Promise((yes, no) => this.waiting.set(id, {yes, no}));
  }

  async open() {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const page = new Page(this, sessionId);
    await Promise.all(['Page', 'Runtime', 'Log', 'Network'].map((domain) => page.send(domain + '.enable')));
    return page;
  }

  async close() {
    const ended = new Promise((done) => this.process.once('exit', done));
    this.send('Browser.close').catch(() => {});
    await ended;
    fs.rmSync(this.profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 200});
  }
}

class Page {
  constructor(chromium, session) {
    this.chromium = chromium;
    this.session = session;
    this.errors = [];
    chromium.listeners.push(({method, params, sessionId}) => {
      if (sessionId !== session) return;
      if (method === 'Runtime.exceptionThrown') {
        const {exception, text} = params.exceptionDetails;
        this.errors.push((exception && exception.description) || text);
      } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
        this.errors.push(`${params.entry.text} ${params.entry.url || ''}`);
      } else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(params.type)) {
        this.errors.push(params.args.map((one) => one.value || one.description).join(' '));
      }
    });
  }

  send(method, params) {
    return this.chromium.send(method, params, this.session);
  }

  // The value of an expression, a promise's too, in the page.
  async value(expression) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate',
      {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
    return result.value;
  }

  // Waits until the expression is true. Throws after some seconds.
  async until(expression, what, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; ;) {
      if (await this.value(expression).catch(() => false)) return;
      if (Date.now() > end) throw new Error(`waited ${seconds} s in vain: ${what}`);
      await sleep(30);
    }
  }

  async go(url) {
    this.errors.length = 0;
    await this.send('Page.navigate', {url});
    await this.until(`location.href === ${JSON.stringify(url)} && document.readyState !== 'loading'`, url);
  }

  async mouse(type, x, y, more = {}) {
    await this.send('Input.dispatchMouseEvent', {type, x, y, button: 'none', ...more});
  }

  async drag(places) {
    const held = {button: 'left', buttons: 1, clickCount: 1};
    await this.mouse('mousePressed', ...places[0], held);
    for (const place of places) {
      await this.mouse('mouseMoved', ...place, held);
      await sleep(20);
    }
    await this.mouse('mouseReleased', ...places[places.length - 1], held);
    await this.mouse('mouseMoved', 2, 2);
  }

  async touch(places) {
    const at = (type, points) => this.send('Input.dispatchTouchEvent', {type, touchPoints: points});
    const point = ([x, y]) => [{x, y}];
    await at('touchStart', point(places[0]));
    for (const place of places) {
      await at('touchMove', point(place));
      await sleep(20);
    }
    await at('touchEnd', []);
  }

  // Two fingers, each from the first of its places to the last.
  async pinch(one, other) {
    const at = (type, k) => this.send('Input.dispatchTouchEvent', {type, touchPoints:
      [one, other].map((places, id) => ({id, x: places[k][0], y: places[k][1]}))});
    await this.send('Input.dispatchTouchEvent', {type: 'touchStart',
      touchPoints: [{id: 0, x: one[0][0], y: one[0][1]}]});
    await at('touchStart', 0);
    for (let k = 0; k < one.length; ++k) {
      await at('touchMove', k);
      await sleep(20);
    }
    await this.send('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
  }

  async key(key) {
    const code = key === '.' ? 190 : key.toUpperCase().charCodeAt(0);
    await this.send('Input.dispatchKeyEvent', {type: 'keyDown', key, text: key, windowsVirtualKeyCode: code});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key, windowsVirtualKeyCode: code});
  }

  async screenshot(file) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// A GPU that the processor computes, with WebGPU and its canvas: where no card is, kernels run on this.
const softwareGPU = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--use-angle=swiftshader',
  '--enable-features=Vulkan', '--use-vulkan=swiftshader'];

module.exports = {Chromium, find, sleep, softwareGPU};
