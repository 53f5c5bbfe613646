// A page in headless Chromium on the software adapter, so that kernels run where no card is.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const {Chromium, find, softwareGPU} = require('../../common/browser/chromium.js');

const root = path.join(__dirname, '..', '..');
const types = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css'};

// Serves the repository. `made` has what is not a file of it, by its address.
function serve(made) {
  const server = http.createServer((request, response) => {
    const address = decodeURIComponent(new URL(request.url, 'http://here').pathname);
    const send = (status, data) => {
      response.writeHead(status, {'Content-Type': types[path.extname(address)] || 'text/plain', 'Cache-Control': 'no-store'});
      response.end(data);
    };
    if (address in made) return send(200, made[address]);
    const file = path.join(root, address);
    if (!file.startsWith(root + path.sep)) return send(404, '');
    return fs.readFile(file, (error, data) => send(error ? 404 : 200, data));
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

// Calls work(page, address) with a page on that server, and closes all. `cells` is the text of cells.wgsl, `more`
// what else is served, by its address.
async function withPage(cells, more, work) {
  const program = find();
  if (!program) throw new Error('Chromium is not here; install it (Debian: apt install chromium)');
  const made = {'/webgpu/cells.wgsl': cells, '/blank.html': '<!doctype html><link rel="icon" href="data:,">', ...more};
  const server = await serve(made);
  const chromium = new Chromium(program, softwareGPU);
  try {
    const page = await chromium.open();
    const address = `http://127.0.0.1:${server.address().port}/`;
    return await work(page, address, chromium);
  } finally {
    await chromium.close();
    server.closeAllConnections();
    server.close();
  }
}

module.exports = {withPage, root, find};
