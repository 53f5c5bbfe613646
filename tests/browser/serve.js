// Serves the browser edition, at a free port of this machine.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');

const types = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css',
  '.wasm': 'application/wasm', '.png': 'image/png', '.svg': 'image/svg+xml', '.woff2': 'font/woff2',
  '.jpg': 'image/jpeg', '.wgsl': 'text/plain; charset=utf-8'};

function serve(folder) {
  const server = http.createServer((request, response) => {
    let file = path.join(folder, decodeURIComponent(new URL(request.url, 'http://here').pathname));
    if (file.endsWith('/')) file += 'index.html';
    fs.readFile(file, (error, data) => {
      response.writeHead(error ? 404 : 200, {'Content-Type': types[path.extname(file)] || 'text/plain'});
      response.end(data);
    });
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

module.exports = {serve};
