// Looks for what keeps readers out: runs axe-core over pages in headless Chromium, each once bright and once dark.
//   node axe.js AXE.MIN.JS FOLDER...
// A folder is the browser edition or an unpacked EPUB. Its pages are all .html and .xhtml files, but of those that show
// a source file only the first, since they are alike. 77: no Chromium.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const {Chromium, find} = require('./chromium.js');

const types = {'.html': 'text/html; charset=utf-8', '.xhtml': 'application/xhtml+xml', '.js': 'text/javascript',
  '.css': 'text/css', '.wasm': 'application/wasm', '.png': 'image/png', '.svg': 'image/svg+xml', '.woff2': 'font/woff2'};

// WCAG 2.1, levels A and AA. A page of the edition must follow axe's best practices, too. They are about whole pages, with
// landmarks and a heading of the first level, and a page of an EPUB is a part of a book, in a reader that has its own.
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];
const rules = (name) => (name.endsWith('.xhtml') ? wcag : [...wcag, 'best-practice']);

function pagesIn(folder) {
  const found = [];
  let sources = 0;
  for (const entry of fs.readdirSync(folder, {recursive: true}).map(String).sort()) {
    if (!/\.x?html$/.test(entry)) continue;
    if (entry.startsWith('source' + path.sep) && ++sources > 1) continue;
    found.push(entry);
  }
  return found;
}

function serve(folder) {
  const server = http.createServer((request, response) => {
    const file = path.join(folder, decodeURIComponent(new URL(request.url, 'http://here').pathname));
    fs.readFile(file, (error, data) => {
      response.writeHead(error ? 404 : 200, {'Content-Type': types[path.extname(file)] || 'text/plain'});
      response.end(data);
    });
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

// What axe finds on a page, as lines.
async function violations(page, axe, name) {
  await page.value(axe + '; true');
  const found = await page.value(`axe.run(document, ${JSON.stringify({runOnly: rules(name)})}).then((result) => result.violations.map(
    (one) => ({id: one.id, help: one.help, count: one.nodes.length, first: one.nodes[0].target.join(' '),
               why: one.nodes[0].failureSummary, html: one.nodes[0].html.slice(0, 160)})))`);
  return found.map((one) => `${one.id} (${one.count}): ${one.help}; ${one.first}: ${one.html} `
    + one.why.replace(/\s+/g, ' ').slice(0, 200));
}

async function look(chromium, axe, folder) {
  const server = await serve(folder);
  const page = await chromium.open();
  let problems = 0;
  const names = pagesIn(folder);
  for (const name of names) {
    await page.go(`http://127.0.0.1:${server.address().port}/${name.split(path.sep).map(encodeURIComponent).join('/')}`);
    await page.until(`document.readyState === 'complete'`, name);
    for (const light of name.endsWith('.xhtml') ? ['light'] : ['light', 'dark']) {
      await page.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: light}]});
      for (const line of await violations(page, axe, name)) {
        problems += 1;
        console.log(`FAILED: ${name}, ${light}: ${line}`);
      }
    }
  }
  server.close();
  console.log(`axe: ${names.length} pages of ${folder}, ${problems} problems`);
  return problems;
}

async function main() {
  const [script, ...folders] = process.argv.slice(2);
  const program = find();
  if (!program) {
    console.log('SKIPPED: there is no Chromium here (Debian: apt install chromium)');
    process.exit(77);
  }
  const axe = fs.readFileSync(script, 'utf8');
  const chromium = new Chromium(program);
  let problems = 0;
  try {
    for (const folder of folders) problems += await look(chromium, axe, folder);
  } finally {
    await chromium.close();
  }
  process.exit(problems > 0 ? 1 : 0);
}

main().catch((error) => {
  console.log('FAILED: ' + error.stack);
  process.exit(1);
});
