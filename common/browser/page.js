// The page's half of a window: it runs the chapter's program, shows its pictures on the canvas, and tells it
// what the mouse, the keys and the fingers do. The program is C++, compiled; window.cpp and library.js are
// its half.
'use strict';

(() => {
  const section = document.querySelector('section#fluid');
  if (!section) return; // a page without a program
  const canvas = section.querySelector('canvas');
  const context = canvas.getContext('2d', {alpha: false});
  const message = document.getElementById('message');
  const output = document.getElementById('output');
  const again = document.getElementById('again');

  // The order of Event::Kind and Event::Button in common/app/window.hpp.
  const kinds = {close: 0, resize: 1, key: 2, move: 3, press: 4, release: 5, leave: 6, wheel: 7};
  const buttons = {left: 0, right: 1, turning: 2};

  const least_between_pictures = 12; // milliseconds: at most some 80 pictures a second
  const most_device_pixels = 2; // for each of the page's: letters must not become too small

  // ---- What the address says ---------------------------------------------------------------------

  // ?n=128&scene=jet becomes --n=128 --scene=jet. Two numbers, as of --probe, are two words.
  function flagsOf(address) {
    const flags = [];
    for (const [name, value] of new URLSearchParams(address)) {
      const words = value.split(/[ ,]+/).filter((word) => word !== '');
      if (name === 'probe' && words.length > 1) {
        flags.push('--' + name, ...words);
      } else {
        flags.push(value === '' ? '--' + name : '--' + name + '=' + value);
      }
    }
    return flags;
  }

  // The address, unless it is meant for what the program stands in for.
  const asked = () => section.dataset.flags ?? location.search;

  // ---- One run of the program --------------------------------------------------------------------

  let run = null; // the one that is on the canvas

  class Run {
    constructor() {
      this.events = [];
      this.picture = null; // makes the next one, and returns whether there shall be more
      this.natural = null; // the size that the program asked for
      this.stopped = false;
      this.last = 0;
      this.pictures = 0;
    }

    // What library.js calls.
    open(title, width, height) {
      this.natural = {width, height};
      this.size = {width, height};
      this.fit();
    }

    nextEvent() {
      return this.events.shift();
    }

    show(pixels, width, height) {
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
      }
      context.putImageData(new ImageData(pixels, width, height), 0, 0);
      this.pictures += 1;
      canvas.dataset.pictures = this.pictures;
    }

    begin(picture) {
      this.picture = picture;
      requestAnimationFrame((now) => this.frame(now));
    }

    download(path, bytes) {
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([bytes]));
      link.download = path.split('/').pop();
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    }

    // The rest is the page's own.
    frame(now) {
      if (this.stopped) return;
      if (!visible || now - this.last < least_between_pictures) {
        requestAnimationFrame((then) => this.frame(then));
        return;
      }
      this.last = now;
      let more = false;
      try {
        more = this.picture();
      } catch (error) {
        tell(String(error));
      }
      if (more) {
        requestAnimationFrame((then) => this.frame(then));
      } else {
        this.end();
      }
    }

    end() {
      this.stopped = true;
      again.hidden = false;
    }

    add(kind, {key = '', x = 0, y = 0, button = 'left', steps = 0} = {}) {
      const code = key === '' ? 0 : key.charCodeAt(0);
      this.events.push([kinds[kind], code, x, y, buttons[button], steps]);
    }

    // Gives the canvas the largest size that the page has room for, and the program as many pixels as the
    // screen has there.
    fit() {
      if (!this.natural) return;
      const {width, height} = this.natural;
      const room = section.clientWidth;
      const scale = Math.min(room / width, Math.max(260, 0.8 * innerHeight) / height, 1.25);
      canvas.style.width = Math.floor(width * scale) + 'px';
      canvas.style.height = Math.floor(height * scale) + 'px';
      const pixels = Math.min(devicePixelRatio || 1, most_device_pixels);
      const size = {
        width: Math.floor(width * scale * pixels),
        height: Math.floor(height * scale * pixels),
      };
      if (size.width !== this.size.width || size.height !== this.size.height) {
        this.size = size;
        this.add('resize', {x: size.width, y: size.height});
      }
    }
  }

  function tell(words) {
    message.textContent = words;
    message.hidden = false;
  }

  // What a page cannot do, in a line, or nothing.
  function refusal(flags) {
    if (!flags.some((flag) => /^--frames(=|$)/.test(flag))) return null;
    return section.dataset.program + ': --frames: a page cannot fill a folder; ' +
      'use --png for one picture, or the program on your own machine';
  }

  // Runs the program anew, with these flags and these files: {name, bytes}.
  async function start(flags, files = []) {
    if (run) run.stopped = true;
    const mine = (run = new Run());
    message.hidden = output.hidden = again.hidden = true;
    message.textContent = output.textContent = '';
    const refused = refusal(flags);
    if (refused) {
      tell(refused);
      mine.end();
      section.dataset.ready = '';
      return;
    }
    const lines = (line) => {
      if (run !== mine) return;
      output.textContent += line + '\n';
      output.hidden = false;
    };
    if (flags.some((flag) => flag === '--numbers' || flag === '--headless')) {
      tell('computing …');
      await new Promise((done) => setTimeout(done, 50)); // for the page to show it
    }
    try {
      const loaded = await program({
        page: mine,
        print: lines,
        printErr: (line) => run === mine && tell(line),
        locateFile: (name) => (section.dataset.at || '') + name,
      });
      if (run !== mine) return;
      for (const file of files) {
        loaded.FS.writeFile(file.name, file.bytes);
      }
      loaded.callMain(flags);
      if (message.textContent === 'computing …') message.hidden = true;
      mine.end();
    } catch (error) {
      if (mine.picture) { // the program has left main by a trap, and waits: see window.cpp
        section.dataset.ready = '';
        return;
      }
      tell('This browser cannot run the program: ' + error);
      mine.end();
    }
    section.dataset.ready = '';
  }

  // Follows a link to this very page without loading it again.
  function follow(search) {
    history.pushState(null, '', location.pathname + search);
    start(flagsOf(search));
    section.scrollIntoView({block: 'nearest', behavior: 'smooth'});
  }

  // ---- What the reader does ----------------------------------------------------------------------

  const place = (event) => {
    const seen = canvas.getBoundingClientRect();
    return {
      x: Math.floor(((event.clientX - seen.left) * canvas.width) / seen.width),
      y: Math.floor(((event.clientY - seen.top) * canvas.height) / seen.height),
    };
  };

  let drag = 'left'; // what a finger does, and the mouse's left button: see the button `drag`
  const fingers = new Map();
  let apart = 0; // how far two fingers are

  function buttonOf(event) {
    if (event.button === 2) return 'right';
    if (event.button === 1 || event.altKey) return 'turning';
    return event.button === 0 ? drag : null;
  }

  function distance() {
    const [one, other] = [...fingers.values()];
    return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  }

  canvas.addEventListener('pointerdown', (event) => {
    canvas.focus({preventScroll: true});
    if (event.pointerType === 'touch') {
      fingers.set(event.pointerId, event);
      if (fingers.size === 2) { // a pinch, and no longer a drag
        run.add('release', place(event));
        apart = distance();
      }
      if (fingers.size > 1) return;
    }
    const button = buttonOf(event);
    if (!button) return;
    canvas.setPointerCapture(event.pointerId);
    run.add('press', {...place(event), button});
    event.preventDefault();
  });

  canvas.addEventListener('pointermove', (event) => {
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, event);
    if (fingers.size > 1) {
      const now = distance();
      if (Math.abs(now - apart) > 30) {
        run.add('wheel', {...place(event), steps: now > apart ? 1 : -1});
        apart = now;
      }
      return;
    }
    run.add('move', place(event));
  });

  for (const kind of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(kind, (event) => {
      fingers.delete(event.pointerId);
      run.add('release', place(event));
      if (event.pointerType === 'touch') run.add('leave');
    });
  }
  canvas.addEventListener('pointerleave', () => run.add('leave'));
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('auxclick', (event) => event.preventDefault());

  // The wheel scrolls the page, until the reader has clicked the fluid.
  let turned = 0;
  canvas.addEventListener('wheel', (event) => {
    if (document.activeElement !== canvas) return;
    event.preventDefault();
    turned -= event.deltaMode === 0 ? event.deltaY / 100 : event.deltaY / 3;
    const steps = turned > 0 ? Math.floor(turned + 0.5) : Math.ceil(turned - 0.5);
    if (steps !== 0) {
      turned -= steps;
      run.add('wheel', {...place(event), steps});
    }
  }, {passive: false});

  const named = {Tab: '\t', ArrowLeft: '<', ArrowRight: '>', ArrowUp: '^'};
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Tab' && event.shiftKey) return; // the way back out of the canvas
    if (event.key === 'Escape') { // and the way on, since Tab alone chooses a parameter
      document.querySelector('#keys button').focus();
      return;
    }
    const key = named[event.key] || (/^[ -~]$/.test(event.key) ? event.key.toLowerCase() : '');
    if (key === '') return;
    run.add('key', {key});
    event.preventDefault();
  });

  // Buttons for those without a keyboard.
  for (const button of document.querySelectorAll('button[data-key]')) {
    button.addEventListener('click', () => run.add('key', {key: button.dataset.key}));
  }
  const drags = {left: 'dye', right: 'push', turning: 'turn'};
  const dragButton = document.getElementById('drag');
  dragButton.addEventListener('click', () => {
    const all = Object.keys(drags);
    drag = all[(all.indexOf(drag) + 1) % all.length];
    dragButton.textContent = 'drag: ' + drags[drag];
  });
  again.addEventListener('click', () => start(flagsOf(asked())));

  // Flags that a click sets.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a.play');
    if (link && link.pathname === location.pathname && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      follow(link.search);
    }
  });
  addEventListener('popstate', () => start(flagsOf(asked())));

  // State files, and what belongs to them, dropped onto the fluid: the shortest name is the state's.
  section.addEventListener('dragover', (event) => event.preventDefault());
  section.addEventListener('drop', async (event) => {
    event.preventDefault();
    const dropped = [...event.dataTransfer.files].sort((a, b) => a.name.length - b.name.length);
    if (dropped.length === 0) return;
    const files = await Promise.all(dropped.map(async (file) => ({
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })));
    const others = flagsOf(asked()).filter((flag) => !/^--(load|scene|n|nx|ny|nz)(=|$)/.test(flag));
    start([...others, '--load=' + files[0].name], files);
  });

  // ---- The page around it ------------------------------------------------------------------------

  let visible = true; // what is not seen need not be computed
  new IntersectionObserver((seen) => (visible = seen[seen.length - 1].isIntersecting)).observe(canvas);
  new ResizeObserver(() => run && run.fit()).observe(section);

  start(flagsOf(asked()));
})();

// What can be scrolled to the side can be reached by keys alone, and then scrolled by the arrows.
function reachByKeys() {
  for (const one of document.querySelectorAll('pre, table, .katex-display')) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
    else one.removeAttribute('tabindex');
  }
}
addEventListener('load', reachByKeys);
addEventListener('resize', reachByKeys);
addEventListener('toggle', reachByKeys, true); // a fold that opens

// Everything that this page shows is kept, to be read again without a network.
if ('serviceWorker' in navigator && /^https?:$/.test(location.protocol)) {
  addEventListener('load', async () => {
    try {
      await navigator.serviceWorker.register(document.body.dataset.root + 'worker.js');
      const {active} = await navigator.serviceWorker.ready;
      const shown = [...document.images].map((image) => image.src);
      const used = performance.getEntriesByType('resource').map((entry) => entry.name);
      const page = location.origin + location.pathname;
      active.postMessage([page, ...shown, ...used].filter((url) => url.startsWith(location.origin)));
    } catch (error) {
      // No page depends on it.
    }
  });
}
