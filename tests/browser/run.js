// Runs a chapter's program of the browser edition under Node, as a native one runs:
//   node run.js PROGRAM.js [flags]
// Files that the flags name are the machine's own. The exit status is the program's.
'use strict';
const fs = require('fs');
const path = require('path');

const [file, ...flags] = process.argv.slice(2);

// The program sees its own file system: what is there to be loaded goes in, what it wrote comes out.
function copyIn(FS, word) {
  if (!word.startsWith('-') && fs.existsSync(word) && fs.statSync(word).isFile()) {
    FS.writeFile(word, fs.readFileSync(word));
  }
}

function copyOut(FS, folder) {
  for (const name of FS.readdir(folder)) {
    if (name === '.' || name === '..') continue;
    const there = folder + '/' + name;
    if (FS.isDir(FS.stat(there).mode)) {
      fs.mkdirSync(name, {recursive: true});
      for (const inside of FS.readdir(there)) {
        if (inside !== '.' && inside !== '..') {
          fs.writeFileSync(path.join(name, inside), FS.readFile(there + '/' + inside));
        }
      }
    } else {
      fs.writeFileSync(name, FS.readFile(there));
    }
  }
}

async function main() {
  const program = require(path.resolve(file));
  let status = 0;
  const module = await program({
    quit: (code, toThrow) => {
      status = code;
      throw toThrow;
    },
    wasmBinary: fs.readFileSync(path.resolve(file).replace(/js$/, 'wasm')),
    print: (line) => process.stdout.write(line + '\n'),
    printErr: (line) => process.stderr.write(line + '\n'),
  });
  module.FS.mkdir('/here');
  module.FS.chdir('/here');
  flags.forEach((word) => copyIn(module.FS, word));
  module.callMain(flags);
  copyOut(module.FS, '/here');
  process.exitCode = status;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 70;
});
