// Markdown to HTML for pages.py: {"name": "Markdown", ...} on standard input, the same with HTML on standard
// output. markdown-it reads it as GitHub does, and KaTeX sets the mathematics, so that a page needs neither.
// usage: render.js KATEX-FOLDER CHAPTER... A command that runs one of these chapters gets a button.
'use strict';
const fs = require('fs');
const katexFolder = process.argv[2];
const folders = process.argv.slice(3);
const katex = require(katexFolder + '/katex.js');
const markdown = require('markdown-it')({html: true});

// ---- Mathematics: $...$ in a line, $$...$$ on its own ----------------------------------------------

markdown.inline.ruler.before('escape', 'mathematics', (state, silent) => {
  const text = state.src, start = state.pos;
  if (text[start] !== '$') return false;
  const fence = text[start + 1] === '$' ? '$$' : '$';
  const begin = start + fence.length;
  let end = begin;
  do {
    end = text.indexOf(fence, end);
    if (end < 0) return false;
  } while (text[end - 1] === '\\' && ++end);
  const inside = text.slice(begin, end);
  if (fence === '$' && (inside === '' || /^\s|\s$/.test(inside) || /^\d/.test(text.slice(end + 1)))) return false;
  if (!silent) {
    const token = state.push('mathematics', 'math', 0);
    token.content = inside;
    token.block = fence === '$$';
  }
  state.pos = end + fence.length;
  return true;
});

markdown.renderer.rules.mathematics = (tokens, at) =>
  katex.renderToString(tokens[at].content, {displayMode: tokens[at].block, throwOnError: true, strict: 'ignore'});

// ---- Headings can be linked to, and changes have colours -------------------------------------------

markdown.renderer.rules.heading_open = (tokens, at) => {
  const words = tokens[at + 1].children.map((token) => token.content).join('');
  const name = words.toLowerCase().replace(/[^\p{L}\p{N}\- ]/gu, '').replace(/ /g, '-');
  return `<${tokens[at].tag} id="${markdown.utils.escapeHtml(name)}">`;
};

const fence = markdown.renderer.rules.fence;
markdown.renderer.rules.fence = (tokens, at, options, env, self) => {
  const escape = markdown.utils.escapeHtml;
  if (tokens[at].info.trim() === 'diff') {
    const lines = tokens[at].content.replace(/\n$/, '').split('\n').map((line) => {
      const kind = line[0] === '+' ? 'add' : line[0] === '-' ? 'gone' : '';
      return kind ? `<span class="${kind}">${escape(line)}</span>` : escape(line) + '\n';
    });
    return `<pre><code>${lines.join('')}</code></pre>\n`;
  }
  const numbers = /^\$ \.\/workbook numbers (\S+)$/m.exec(tokens[at].content);
  const folder = numbers && folderOf(numbers[1]);
  return fence(tokens, at, options, env, self) +
    (folder ? `<p>${button(folder, [['numbers', '']], 'compute them here')}</p>\n` : '');
};

// ---- Buttons that set flags ------------------------------------------------------------------------

const folderOf = (word) => folders.find((folder) => folder === word || folder.split('_')[0] === word);

// "--n 64 --no-arrows" as [["n", "64"], ["no-arrows", ""]].
function flagsIn(words) {
  const flags = [];
  for (const word of words.trim().split(/\s+/).filter((some) => some !== '')) {
    if (word.startsWith('--')) {
      flags.push([word.slice(2), '']);
    } else if (flags.length > 0) {
      const last = flags[flags.length - 1];
      last[1] += (last[1] === '' ? '' : ' ') + word;
    }
  }
  return flags;
}

function button(folder, flags, words = '▶') {
  const query = flags.map(([name, value]) =>
    encodeURIComponent(name) + (value === '' ? '' : '=' + encodeURIComponent(value))).join('&');
  const title = markdown.utils.escapeHtml(flags.map(([name, value]) => `--${name} ${value}`.trim()).join(' '));
  return `<a class="play" href="play:${folder}${query ? '?' + query : ''}" title="${title}">${words}</a>`;
}

// In an experiment, `--reynolds 50` and then a bare `60` change the flags of the command before them.
const merged = (flags, more) =>
  [...flags.filter(([name]) => !more.some(([other]) => other === name)), ...more];

markdown.renderer.rules.code_inline = (tokens, at, options, env) => {
  const content = tokens[at].content;
  const html = `<code>${markdown.utils.escapeHtml(content)}</code>`;
  const run = /^\.\/workbook run (\d\d\w*)((?: .*)?)$/.exec(content);
  const folder = run && folderOf(run[1]);
  if (folder) {
    const flags = flagsIn(run[2]);
    if (flags.some(([name]) => ['headless', 'frames'].includes(name))) return html;
    env.command = {folder, flags, last: flags.length > 0 ? flags[flags.length - 1][0] : ''};
    return html + ' ' + button(folder, flags);
  }
  if (!env.playing || !env.command) return html;
  const {folder: same, flags, last} = env.command;
  if (/^--[a-z]/.test(content)) {
    const more = flagsIn(content);
    if (more.some(([name]) => ['headless', 'frames', 'history'].includes(name))) return html;
    env.command.last = more[more.length - 1][0];
    return html + ' ' + button(same, merged(flags, more));
  }
  if (/^[−-]?\d[\d.]*$/.test(content) && last !== '') {
    return html + ' ' + button(same, merged(flags, [[last, content.replace('−', '-')]]));
  }
  return html;
};

// Experiments are the items of the section "Play"; answers are not.
markdown.core.ruler.push('play', (state) => {
  let playing = false;
  state.tokens.forEach((token, at) => {
    if (token.type === 'heading_open' && token.tag === 'h2') {
      playing = state.tokens[at + 1].content === 'Play';
    }
    if (token.type === 'inline') token.meta = {playing, item: token.level >= 2};
  });
});
const renderInline = markdown.renderer.renderInline.bind(markdown.renderer);
markdown.renderer.render = (tokens, options, env) => tokens.map((token, at) => {
  if (token.type !== 'inline') {
    const rule = markdown.renderer.rules[token.type];
    return rule ? rule(tokens, at, options, env, markdown.renderer)
                : markdown.renderer.renderToken(tokens, at, options);
  }
  env.playing = token.meta && token.meta.playing && token.meta.item;
  if (token.meta && token.meta.item) env.command = null;
  return renderInline(token.children, options, env);
}).join('');

markdown.renderer.rules.image = (tokens, at, options, env) => {
  const token = tokens[at];
  const escape = markdown.utils.escapeHtml;
  const words = token.children.map((child) => child.content).join('');
  return `<img src="${escape(token.attrGet('src'))}" alt="${escape(words)}" loading="lazy">`;
};

const pages = JSON.parse(fs.readFileSync(0, 'utf8'));
for (const name of Object.keys(pages)) {
  pages[name] = markdown.render(pages[name], {});
}
process.stdout.write(JSON.stringify(pages));
