// Writes dist/: the console, the bundled sources with their types, and data files that are read at run time.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
/** The files in dist/ that are imported or started by name; the rest goes into chunks. */
const ENTRIES = ['index', 'cli/cli', 'serve/client', 'agents/agents', 'llm/encoder/bulkThread'];
/** Packages that most commands load: bundled into the chunks, they load faster than file by file. */
const INLINED = new Set(
  'ansi-regex commander env-paths fastest-levenshtein get-east-asian-width gpt-tokenizer is-safe-filename marked smol-toml stemmer string-width strip-ansi wanakana yaml zod'.split(
    ' ',
  ),
);
/** Read at run time: the migrations of schemas, the bundled model, and prompts. */
const ASSETS = /\.(?:sql|bin|sha256|md)$/;

const LICENCE_RULE = `\n${'-'.repeat(80)}\n\n`;

rmSync(DIST, { recursive: true, force: true });
run(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json');
removeUnreachableTypes();
await bundle();
cpSync(SOURCES, DIST, {
  recursive: true,
  filter: (source) => statSync(source).isDirectory() || ASSETS.test(source),
});
removeEmptyFolders(DIST);
run(join(ROOT, 'scripts/vocabulary.ts'));
run(join(ROOT, 'scripts/console.mjs'), '--always');
process.stdout.write(`built ${DIST}\n`);

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** One file for each set of modules that are loaded together: a start reads ten files instead of some hundreds. */
async function bundle() {
  const bundled = await rolldown({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(SOURCES, `${name}.ts`)])),
    platform: 'node',
    external: (id) => /^[^./]/.test(id) && !INLINED.has(/^(?:@[^/]+\/)?[^/]+/.exec(id)[0]),
    plugins: [keepModuleUrls()],
  });
  const { output } = await bundled.write({
    dir: DIST,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await bundled.close();
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const packages = new Set(
    modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  writeFileSync(
    join(DIST, 'THIRD_PARTY_LICENSES.txt'),
    [...packages].sort().map(licenceOf).join(LICENCE_RULE),
  );
}

/** The licence of a package whose code is in the chunks. */
function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} is bundled and has no licence file.`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

/** Makes `import.meta.url` the location of the original source, where its data files are. */
function keepModuleUrls() {
  const marked = /__moduleUrl\("([^"]+)"\)/g;
  return {
    name: 'module-urls',
    transform(code, id) {
      if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
      const file = relative(SOURCES, id).replaceAll('\\', '/').replace(/\.ts$/, '.js');
      return { code: code.replaceAll('import.meta.url', `__moduleUrl(${JSON.stringify(file)})`), map: null };
    },
    renderChunk(code, { fileName }) {
      const up = relative(dirname(fileName), '.').replaceAll('\\', '/') || '.';
      return code.replaceAll(marked, (_, file) => `new URL("${up}/${file}", import.meta.url).href`);
    },
  };
}

/** Removes declarations that no entry of the package uses. */
function removeUnreachableTypes() {
  const reached = new Set();
  const waiting = ENTRIES.slice(0, 4).map((name) => join(DIST, `${name}.d.ts`));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?["'](\.[^"']+)["']/g))
      waiting.push(resolve(dirname(path), name.replace(/\.[jt]s$/, '.d.ts')));
  }
  for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(path)) rmSync(path);
  }
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
