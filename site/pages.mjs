// Copies the pages of the site to site/pages/: docs/, the READMEs and the tables of bench/, with links between them.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = fileURLToPath(new URL('pages/', import.meta.url));
/** Pages of the repository's root, and their names in the site. */
const FROM_ROOT = {
  'README.md': 'index.md',
  'README.ja.md': 'ja.md',
  'README.zh.md': 'zh.md',
  'ARCHITECTURE.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'bench/quality.md': 'quality.md',
  'bench/speed.md': 'speed.md',
  'training/MODEL_CARD.md': 'model-card.md',
};
const LINK = /\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)/g;

rmSync(PAGES, { recursive: true, force: true });
cpSync(join(ROOT, 'docs'), PAGES, { recursive: true });
for (const entry of readdirSync(PAGES, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && entry.name.endsWith('.md')) rewrite(path, path);
}
for (const [from, to] of Object.entries(FROM_ROOT)) rewrite(join(ROOT, from), join(PAGES, to));

/** Writes a page with its links as they are in the site: links to other files lead to the package on npm. */
function rewrite(from, to) {
  const text = readFileSync(from, 'utf8').replaceAll(LINK, (whole, address, anchor = '') => {
    const page = pageOf(address, from);
    return page === null ? '](https://www.npmjs.com/package/omoide?activeTab=code)' : `](${page}${anchor})`;
  });
  writeFileSync(to, text);
}

/** The target of a link in the site; null if it is not a page. */
function pageOf(address, from) {
  const path = new URL(
    address,
    `file://${from.startsWith(PAGES) ? join(ROOT, 'docs', from.slice(PAGES.length)) : from}`,
  ).pathname;
  const inRoot = decodeURI(path).slice(ROOT.length);
  if (FROM_ROOT[inRoot]) return `/${FROM_ROOT[inRoot]}`;
  if (inRoot.startsWith('docs/') && inRoot.endsWith('.md')) return `/${inRoot.slice('docs/'.length)}`;
  if (inRoot.startsWith('docs/images/')) return `/${inRoot.slice('docs/'.length)}`;
  return null;
}
