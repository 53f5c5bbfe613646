// State files, as all chapters write and read them: a line for each cell, with the names of the fields above.

/**
 * Reads a state file of a cube.
 * @param {string} text
 * @returns {{N: number, fields: Object<string, Float32Array>}}
 * @throws {Error} a line that says what is wrong, and in which line
 */
export function parseState(text) {
  const lines = text.split(/\r?\n/).map((line, n) => ({line, number: n + 1}))
    .filter(({line}) => line !== '' && !line.startsWith('#'));
  const names = lines.length > 0 ? lines[0].line.split(',') : [];
  if (names.slice(0, 3).join() !== 'i,j,k') throw new Error('this is no state file of a cube: it does not begin with i,j,k');
  const N = Math.round(Math.cbrt(lines.length - 1));
  if (N < 3 || N ** 3 !== lines.length - 1) throw new Error(`a cube has N x N x N cells, and this file has ${lines.length - 1}`);
  /** @type {Object<string, Float32Array>} */
  const fields = {};
  for (const name of names.slice(3)) fields[name] = new Float32Array(N ** 3);
  for (const {line, number} of lines.slice(1)) {
    const numbers = line.split(',').map(Number);
    const [i, j, k] = numbers;
    const at = i + N * (j + N * k);
    if (numbers.length !== names.length || !numbers.every(Number.isFinite) || !(at in fields[names[3]])) {
      throw new Error(`line ${number}: '${line.slice(0, 40)}' is not a cell of ${N} x ${N} x ${N}`);
    }
    numbers.slice(3).forEach((value, n) => (fields[names[3 + n]][at] = value));
  }
  return {N, fields};
}

/**
 * Writes a state file of a cube, with all digits that a float has.
 * @param {number} N
 * @param {Object<string, Float32Array>} fields
 * @returns {string}
 */
export function formatState(N, fields) {
  const lines = [['i', 'j', 'k', ...Object.keys(fields)].join(',')];
  for (let at = 0; at < N ** 3; ++at) {
    const numbers = Object.values(fields).map((cells) => Number(cells[at].toPrecision(9)));
    lines.push([at % N, Math.floor(at / N) % N, Math.floor(at / (N * N)), ...numbers].join(','));
  }
  return lines.join('\n') + '\n';
}
