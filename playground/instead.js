// Where there is no WebGPU: the program of a chapter, compiled to WebAssembly, which is loaded now.
import {scenes} from './settings.js';

/** @type {(src: string) => Promise<Event>} */
const load = (src) => new Promise((done, fail) => {
  const script = Object.assign(document.createElement('script'), {src});
  script.addEventListener('load', done);
  script.addEventListener('error', () => fail(new Error(`${src} is not here: ./workbook browser builds it`)));
  document.body.append(script);
});

/**
 * @param {string} why - there is no WebGPU, without a full stop
 * @param {string} scene - what was asked for
 */
export async function instead(why, scene) {
  const folder = scenes[scene].buoyancy ? '31_smoke' : '07_project';
  document.body.classList.add('without');
  const message = /** @type {HTMLElement} */ (document.getElementById('message'));
  message.hidden = false;
  message.textContent = `${why}. Here is the program of a chapter instead, on the processor.`;
  const main = /** @type {HTMLElement} */ (document.querySelector('main'));
  main.insertAdjacentHTML('beforeend', `<section id="fluid" data-program="${folder}" data-flags="" data-at="../${folder}/">
<canvas tabindex="0" width="640" height="640" aria-label="A fluid. H shows its keys."></canvas>
<p id="message-of-program" hidden></p><pre id="output" hidden></pre>
<div id="keys"><button type="button" id="drag">drag: dye</button> <button type="button" id="again" hidden>begin again</button></div>
</section>`);
  message.id = 'without';
  /** @type {HTMLElement} */ (document.getElementById('message-of-program')).id = 'message';
  await load(`../${folder}/${folder}.js`);
  await load('../page.js');
}
