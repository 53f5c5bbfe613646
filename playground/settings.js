// What a link keeps: the settings of the playground, their bounds, and what the reader chooses among.

/**
 * Colours of dye. Each is a list of red, green and blue: of light, or of ink on `paper`.
 * @type {Object<string, {colours: number[][], paper?: boolean}>}
 */
export const palettes = {
  ember: {colours: [[1.0, 0.22, 0.05], [1.0, 0.55, 0.12], [0.85, 0.08, 0.22], [0.25, 0.20, 0.95]]},
  lagoon: {colours: [[0.03, 0.55, 0.75], [0.08, 0.85, 0.62], [0.12, 0.22, 0.90], [0.95, 0.85, 0.45]]},
  orchid: {colours: [[0.85, 0.10, 0.55], [0.42, 0.12, 0.95], [0.10, 0.45, 0.98], [1.0, 0.55, 0.65]]},
  aurora: {colours: [[0.10, 0.90, 0.45], [0.05, 0.55, 0.85], [0.55, 0.15, 0.85], [0.75, 0.95, 0.30]]},
  ivory: {colours: [[0.80, 0.74, 0.64], [0.42, 0.48, 0.60], [0.95, 0.90, 0.82], [0.28, 0.24, 0.30]]},
  ink: {colours: [[0.20, 0.42, 1.0], [1.0, 0.25, 0.20], [0.95, 0.70, 0.10], [0.10, 0.62, 0.45]], paper: true},
};

/**
 * What flows. `set` has the sliders' values where they are not as usual. `buoyancy` is how fast heat rises and `cooling`
 * the share of it that stays, both each second. `fire` is drawn as fire, `body` begins with a ball, and `three` is in
 * three dimensions.
 * @typedef {{label: string, set: Object<string, number>, buoyancy?: number, cooling?: number, fire?: boolean, body?: boolean,
 *   three?: boolean}} Scene
 * @type {Object<string, Scene>}
 */
export const scenes = {
  ink: {label: 'dye', set: {swirl: 6, fade: 0.85}},
  smoke: {label: 'smoke', set: {swirl: 14, fade: 0.75}, buoyancy: 2.6, cooling: 0.45},
  fire: {label: 'fire', set: {swirl: 16, fade: 0.3}, buoyancy: 3.4, cooling: 0.16, fire: true},
  wake: {label: 'wake', set: {swirl: 3, fade: 0.88}, body: true},
  smoke3d: {label: 'smoke in 3D', three: true, set: {swirl: 5, fade: 0.6}, buoyancy: 2.2},
  fire3d: {label: 'fire in 3D', three: true, set: {swirl: 12, fade: 0.05}, buoyancy: 6, fire: true},
};

/**
 * What can be slid: the least, the most, and the usual value. Those of the `plane` do nothing in three dimensions.
 * @type {Object<string, {label: string, least: number, most: number, usual: number, plane?: boolean}>}
 */
export const sliders = {
  swirl: {label: 'whirls', least: 0, most: 30, usual: 6},
  fade: {label: 'dye left after a second', least: 0.02, most: 1, usual: 0.85},
  radius: {label: 'width of a finger', least: 0.004, most: 0.1, usual: 0.022, plane: true},
  push: {label: 'strength of a finger', least: 0, most: 30, usual: 10},
  glow: {label: 'glow', least: 0, most: 2, usual: 0.5, plane: true},
  relief: {label: 'relief', least: 0, most: 8, usual: 2.2, plane: true},
};

/**
 * What a finger does: where it was and where it is, in heights of the picture, which finger it is, and whether it leaves dye.
 * @typedef {{from: number[], to: number[], number: number, dye: boolean}} Stroke
 */

/**
 * What a playground is told: the names of its scene and its palette, the rows of cells (0: by the GPU's speed; in three
 * dimensions there are as many columns and layers), whether nobody stirs the dye or turns the cube while no finger does
 * (smoke, fire and the wake flow all the same), and the sliders' values.
 * @typedef {{scene: string, palette: string, rows: number, still: boolean, swirl: number, fade: number, radius: number,
 *   push: number, glow: number, relief: number}} Settings
 */

/**
 * The settings that an address keeps. One that it does not name, or gives a wrong value, has its usual value.
 * @param {string} search - what stands behind the question mark
 * @returns {Settings}
 */
export function fromAddress(search) {
  const asked = new URLSearchParams(search);
  const one = (/** @type {string} */ name, /** @type {Object<string, any>} */ known, /** @type {string} */ usual) => {
    const value = asked.get(name) ?? usual;
    return Object.hasOwn(known, value) ? value : usual;
  };
  /** @type {any} */
  const settings = {scene: one('scene', scenes, 'ink'), palette: one('palette', palettes, 'ember'), rows: 0, still: asked.has('still')};
  for (const [name, {least, most, usual}] of Object.entries(sliders)) {
    const given = asked.has(name) ? Number(asked.get(name)) : NaN;
    settings[name] = given >= least && given <= most ? given : scenes[settings.scene].set[name] ?? usual;
  }
  const rows = Number(asked.get('rows'));
  if (rows >= 16 && rows <= (scenes[settings.scene].three ? 256 : 2048)) settings.rows = Math.round(rows);
  return settings;
}

/**
 * @param {Settings} settings
 * @returns {string} what fromAddress reads
 */
export function toAddress(settings) {
  const asked = new URLSearchParams({scene: settings.scene, palette: settings.palette});
  for (const [name, {usual}] of Object.entries(sliders)) {
    const value = /** @type {any} */ (settings)[name];
    if (value !== (scenes[settings.scene].set[name] ?? usual)) asked.set(name, String(Number(value.toPrecision(4))));
  }
  if (settings.rows) asked.set('rows', String(settings.rows));
  if (settings.still) asked.set('still', '');
  return '?' + asked;
}
