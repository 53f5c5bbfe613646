// What happens before the first step, as chapter 22's scenes have it.

/**
 * @param {number} N
 * @returns {Object<string, Float32Array>} the fields of a fluid in which nothing happens
 */
function still(N) {
  return {density: new Float32Array(N ** 3), u: new Float32Array(N ** 3), v: new Float32Array(N ** 3), w: new Float32Array(N ** 3)};
}

/**
 * Calls visit(at, x, y, z) for each fluid cell; at is its place in the array, and the cube is from 0 to 1.
 * @param {number} N
 * @param {(at: number, x: number, y: number, z: number) => void} visit
 */
function forEachCell(N, visit) {
  const n = N - 2;
  for (let k = 1; k < N - 1; ++k) {
    for (let j = 1; j < N - 1; ++j) {
      for (let i = 1; i < N - 1; ++i) {
        visit(i + N * (j + N * k), (i - 0.5) / n, (j - 0.5) / n, (k - 0.5) / n);
      }
    }
  }
}

/**
 * Two jets of dye that cross, one a little above the other. No cell of them is beside a wall.
 * @param {number} N
 */
function jets(N) {
  const fields = still(N);
  forEachCell(N, (at, x, y, z) => {
    if (x > 0.1 && x < 0.35 && Math.hypot(y - 0.45, z - 0.5) < 0.09) {
      fields.density[at] += 3;
      fields.u[at] += 1.2;
    }
    if (z > 0.1 && z < 0.35 && Math.hypot(x - 0.6, y - 0.55) < 0.09) {
      fields.density[at] += 3;
      fields.v[at] -= 0.3;
      fields.w[at] += 1.2;
    }
  });
  return fields;
}

/**
 * Two rings of dye that fly towards each other along x, and meet in the middle.
 * @param {number} N
 */
function rings(N) {
  const fields = still(N);
  forEachCell(N, (at, x, y, z) => {
    const off = Math.hypot(y - 0.5, z - 0.5);
    for (const [middle, way] of [[0.25, 1], [0.75, -1]]) {
      const ring = Math.hypot(x - middle, off - 0.17);
      fields.density[at] += 2.5 * Math.exp(-((ring / 0.035) ** 2));
      fields.u[at] += way * 3.2 * Math.exp(-(((x - middle) / 0.06) ** 2) - (off / 0.16) ** 4);
    }
  });
  return fields;
}

/** @type {Object<string, (N: number) => Object<string, Float32Array>>} */
export const scenes = {jets, rings, none: still};
