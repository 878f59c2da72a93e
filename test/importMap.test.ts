import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkImports, type ImportMap } from './importMap.ts';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

/** In the order of the data flow, which is the order of imports. */
const MAP: ImportMap = {
  folders: {
    async: [],
    vectors: [],
    model: [],
    text: ['model'],
    llm: ['vectors', 'async', 'model', 'text'],
    keys: ['model'],
    store: ['async', 'vectors', 'model', 'text', 'keys'],
    ingest: ['model', 'text', 'store'],
    derive: ['vectors', 'async', 'model', 'text', 'llm', 'store'],
    recall: ['vectors', 'async', 'model', 'text', 'llm', 'store'],
    pack: ['model', 'text', 'store', 'recall'],
    notes: ['model', 'text', 'store'],
    organize: ['vectors', 'async', 'model', 'text', 'llm', 'store'],
    backup: ['model', 'keys'],
    archive: ['model', 'store'],
    engine: [
      'vectors',
      'archive',
      'backup',
      'async',
      'model',
      'text',
      'llm',
      'keys',
      'store',
      'ingest',
      'derive',
      'recall',
      'pack',
      'notes',
      'organize',
    ],
    companion: ['async', 'model', 'text', 'engine'],
    settings: ['model', 'engine'],
    serve: ['model', 'text', 'engine', 'companion', 'settings'],
    agents: ['model', 'text', 'engine'],
    cli: ['model', 'text', 'engine', 'companion', 'settings', 'serve', 'eval'],
    // The entry of the package: a selection of the engine's exports.
    'index.ts': ['engine'],
    // It also reads the published data sets, whose formats the importers accept.
    eval: ['model', 'text', 'ingest', 'engine'],
  },
  owners: {
    // Schemas are written with it, so every folder that validates input uses it.
    zod: [
      'archive',
      'model',
      'llm',
      'ingest',
      'derive',
      'recall',
      'pack',
      'organize',
      'engine',
      'companion',
      'backup',
      'settings',
      'agents',
      'serve',
      'cli',
      'eval',
    ],
    // The operator's settings are a separate file with its own schema.
    'node:sqlite': ['model', 'keys', 'store/sqlite', 'settings', 'backup'],
    'sqlite-vec': ['store/sqlite'],
    postgres: ['store/postgres'],
    // Types only.
    '@qdrant/js-client-rest': ['store/qdrant'],
    aws4fetch: ['archive'],
    ai: ['llm', 'agents'],
    '@ai-sdk/openai-compatible': ['llm'],
    '@huggingface/tokenizers': ['llm'],
    'onnxruntime-web': ['llm'],
    'gpt-tokenizer': ['text'],
    wanakana: ['text'],
    'libphonenumber-js': ['text'],
    stemmer: ['text'],
    'string-width': ['text'],
    '@modelcontextprotocol/server': ['serve/mcp'],
    hono: ['serve'],
    '@hono/node-server': ['serve'],
    ws: ['serve'],
    'prom-client': ['serve'],
    'rate-limiter-flexible': ['serve'],
    'env-paths': ['engine'],
    'fastest-levenshtein': ['model'],
    commander: ['cli'],
    // Formats of other programs: ZIP archives, e-mail, web pages.
    yauzl: ['ingest/import/source', 'backup'],
    yazl: ['backup'],
    'postal-mime': ['ingest/import'],
    htmlparser2: ['ingest/import'],
    marked: ['notes'],
    yaml: ['notes'],
    'jsonc-parser': ['cli/mcp'],
    'smol-toml': ['cli/mcp'],
  },
  windows: [
    // An agent's memory is found in the same way everywhere.
    'cli/notes.ts -> cli/mcp/flags.ts',
    // Only the engine knows which stores exist.
    'engine/stores.ts -> store/sqlite/sqlite.ts',
    'engine/stores.ts -> store/postgres/postgres.ts',
    'engine/stores.ts -> store/qdrant/qdrant.ts',
    // Agents start the command often, and do not need the rest of the server.
    'cli/mcp/serving.ts -> serve/mcp/mcp.ts',
    // The embedder without a model counts the same features as the one trained on them.
    'llm/hashed.ts -> llm/static/features.ts',
    'llm/emotion/sentence.ts -> llm/static/features.ts',
    // Folders for languages: the main file is named after the language; Japanese and Chinese share a folder.
    'text/dates/dates.ts -> text/dates/en/english.ts',
    'text/dates/dates.ts -> text/dates/ja/japanese.ts',
    'text/dates/dates.ts -> text/dates/zh/chinese.ts',
    'text/dates/ja/japanese.ts -> text/dates/cjk/lexer.ts',
    'text/dates/ja/japanese.ts -> text/dates/cjk/rules.ts',
    'text/dates/ja/words.ts -> text/dates/cjk/lexer.ts',
    'text/dates/zh/chinese.ts -> text/dates/cjk/lexer.ts',
    'text/dates/zh/chinese.ts -> text/dates/cjk/rules.ts',
    'text/dates/zh/words.ts -> text/dates/cjk/lexer.ts',
  ],
  // Keys of remote models and the master key are read from the variable that the settings name, where they are used.
  environment: [
    'keys/masterKey.ts',
    // Credentials of a bucket have the names that all S3 clients use.
    'archive/bucket.ts',
    // The API key has the name that Qdrant's clients use.
    'store/qdrant/address.ts',
    'cli/',
    'llm/openEmbedder.ts',
    'llm/openLanguageModel.ts',
    'llm/reranker.ts',
  ],
  mostLines: 500,
};

/** Tests may import anything. */
function readSources(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  const sources = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
  return new Map(sources.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

test('the date parser imports nothing from outside its folder', () => {
  const sources = readSources(join(SOURCES, 'text/dates'));
  expect(sources.size).toBeGreaterThan(10);
  for (const [path, text] of sources) {
    for (const [, target = ''] of text.matchAll(/\bfrom '([^']+)'/g))
      expect.soft(target.startsWith('.') ? posix.join(path, '..', target) : target).toMatch(/^[a-z-/]+\.ts$/);
  }
});

test('the sources follow the import map', () => {
  const sources = readSources(SOURCES);
  expect(sources.size).toBeGreaterThan(50);
  expect(checkImports(sources, MAP)).toEqual([]);
});

describe('the check', () => {
  const map: ImportMap = {
    folders: { low: [], high: ['low'] },
    owners: { fine: ['high/deep'], '@scope/name': ['low'] },
    windows: ['high/high.ts -> low/secret.ts'],
    environment: ['high/', 'low/settings.ts'],
    mostLines: 5,
  };
  const tree = {
    'low/low.ts': "export * from './secret.ts';\nexport * from './inner/inner.ts';",
    'low/secret.ts': "import '@scope/name/part';",
    'low/inner/inner.ts': "import type { A } from '../secret.ts';\nimport x from './part.ts';",
    'low/inner/part.ts': '// process.env is not read here\n/* import "./nowhere.ts" */',
    'low/settings.ts': 'process.env.A;',
    'high/high.ts':
      "import { a } from '../low/low.ts';\nimport '../low/secret.ts';\nimport { b } from './deep/deep.ts';",
    'high/deep/deep.ts':
      "import { c } from 'fine';\nimport { d } from 'node:fs';\nprocess.env;\nawait import('../../low/low.ts');",
  };
  const check = (changes: Record<string, string>) =>
    checkImports(new Map(Object.entries({ ...tree, ...changes })), map);

  test('accepts a tree that follows its map', () => {
    expect(check({})).toEqual([]);
  });

  test.each([
    [
      'an import against the direction',
      { 'low/a.ts': "import { h } from '../high/high.ts';" },
      'low may not import high',
    ],
    [
      'also as a type',
      { 'low/a.ts': "import type { H } from '../high/high.ts';" },
      'low may not import high',
    ],
    [
      'also when it is awaited',
      { 'low/a.ts': "await import('../high/high.ts');" },
      'low may not import high',
    ],
    [
      'also over several lines',
      { 'low/a.ts': "import {\n  h,\n} from '../high/high.ts';" },
      'low may not import high',
    ],
    ['another folder past its door', { 'high/a.ts': "import '../low/secret.ts';" }, 'no door'],
    ['an inner folder past its door', { 'low/a.ts': "import './inner/part.ts';" }, 'no door'],
    ['the door of an inner folder of another', { 'high/a.ts': "import '../low/inner/inner.ts';" }, 'no door'],
    ['a file that is not there', { 'low/a.ts': "import './gone.ts';" }, 'which there is not'],
    ['a dependency of another folder', { 'high/a.ts': "import 'fine';" }, 'fine, which high/deep owns'],
    [
      'a dependency of nobody',
      { 'low/a.ts': "import { z } from 'other/part';" },
      'other, which has no owner',
    ],
    ['a cycle', { 'low/secret.ts': "import './low.ts';" }, 'low/low.ts -> low/secret.ts -> low/low.ts'],
    ['the environment', { 'low/a.ts': "const key = process.env['KEY'];" }, 'reads the environment'],
    ['a long file', { 'low/a.ts': '\n'.repeat(5) }, 'has 6 lines'],
    ['a folder that is not in the map', { 'odd/odd.ts': '' }, 'in no folder of the map'],
  ])('finds %s', (_what, changes, problem) => {
    expect(check(changes)).toEqual([expect.stringContaining(problem)]);
  });
});
