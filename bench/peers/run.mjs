// Compares memories on the same machine in one run, with the same vectors. See README.md.
//
//     npm run build && npm install --prefix bench/peers && node bench/peers/run.mjs --locomo FILE [--conversations 2]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVectors } from './vectors.mjs';
import { installed, ownInstall } from './installed.mjs';
import { readLocomo, readSamples } from './sets.mjs';
import { formatMarkdown } from './table.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** In the order of measurement: the file in memories/, its arguments, and its npm package. */
const MEMORIES = [
  { name: 'Omoide, conversation', file: 'omoide', options: { profile: 'conversation' } },
  {
    name: 'Omoide, with its own embedder',
    file: 'omoide',
    options: { profile: 'conversation', embedder: { provider: 'bundled' } },
  },
  { name: 'Omoide, fast', file: 'omoide', options: { profile: 'fast' } },
  { name: 'mem0', file: 'mem0', options: {}, package: 'mem0ai' },
  {
    name: 'Mastra memory',
    file: 'mastra',
    options: {},
    package: '@mastra/memory',
    with: ['@mastra/core', '@mastra/libsql'],
  },
  { name: 'hippo, words only', file: 'hippo', options: {}, package: 'hippo-memory' },
  { name: 'qmd, words only', file: 'qmd', options: {}, package: '@tobilu/qmd' },
  { name: 'plain BM25 (MiniSearch)', file: 'bm25', options: {}, package: 'minisearch' },
  { name: 'Omoide, salience', file: 'omoide', options: { profile: 'salience' } },
  { name: 'Omoide, associative', file: 'omoide', options: { profile: 'associative' } },
  { name: 'Omoide, weighted', file: 'omoide', options: { profile: 'weighted' } },
];

const { values } = parseArgs({
  options: {
    locomo: { type: 'string' },
    conversations: { type: 'string', default: '10' },
    only: { type: 'string' },
    embedder: { type: 'string', default: 'bundled' },
    markdown: { type: 'string' },
    /** The Node.js for a memory whose native parts were built for it: --node mem0=/usr/bin/node */
    node: { type: 'string', multiple: true, default: [] },
  },
});

const sets = [
  ...(values.locomo === undefined ? [] : [readLocomo(values.locomo, Number(values.conversations))]),
  ...readSamples(),
];
const chosen = MEMORIES.filter(({ file }) => !values.only || values.only.split(',').includes(file));
const nodes = new Map(values.node.map((pair) => pair.split('=')));
const folder = mkdtempSync(join(tmpdir(), 'omoide-peers-'));
const vectors = await startVectors(folder, values.embedder);
try {
  for (const set of sets) await vectors.prepare(set);
  const rows = [];
  for (const memory of chosen) {
    const size = memory.package ? installed([memory.package, ...(memory.with ?? [])]) : ownInstall();
    for (const set of sets) {
      const result = await measure(memory, set);
      rows.push({ memory: memory.name, set: set.name, size, ...result });
      process.stderr.write(`${memory.name}, ${set.name}: ${JSON.stringify(result)}\n`);
    }
  }
  const table = formatMarkdown(rows, { sets, embedder: vectors.model });
  process.stdout.write(table);
  if (values.markdown) writeFileSync(values.markdown, table);
} finally {
  await vectors.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Each in its own process, so that memory use is measured separately. */
async function measure(memory, set) {
  const place = mkdtempSync(join(folder, 'memory-'));
  const job = join(place, 'job.json');
  const answer = join(place, 'answer.json');
  writeFileSync(
    job,
    JSON.stringify({
      file: memory.file,
      options: memory.options,
      set,
      folder: place,
      url: vectors.url,
      answer,
    }),
  );
  const env = {
    ...process.env,
    HOME: place,
    EMBEDDINGS_KEY: 'none',
    OPENAI_API_KEY: 'none',
    MEM0_TELEMETRY: 'false',
  };
  const node = nodes.get(memory.file) ?? process.execPath;
  const child = spawn(node, [join(HERE, 'child.mjs'), job], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk) => (complaints = (complaints + chunk).slice(-2_000)));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0)
    return {
      failed:
        complaints.split('\n').findLast((line) => /^\S*Error/.test(line)) ??
        `it ended without saying why (${code ?? 'killed by a signal'})`,
    };
  return JSON.parse(readFileSync(answer, 'utf8'));
}
