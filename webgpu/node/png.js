// Writes a picture as PNG.
'use strict';
const zlib = require('zlib');

function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const length = Buffer.alloc(4), end = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  end.writeUInt32BE(checksum(body));
  return Buffer.concat([length, body, end]);
}

// A square picture: `pixels` are rows of red, green, blue and opacity, which is left out.
function encodePNG(pixels, size) {
  const rows = Buffer.alloc(size * (3 * size + 1));
  for (let row = 0; row < size; ++row) {
    for (let column = 0; column < size; ++column) {
      pixels.copy(rows, row * (3 * size + 1) + 1 + 3 * column, 4 * (row * size + column), 4 * (row * size + column) + 3);
    }
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', zlib.deflateSync(rows, {level: 9})), chunk('IEND', Buffer.alloc(0))]);
}

module.exports = {encodePNG};
