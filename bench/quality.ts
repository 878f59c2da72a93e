/**
 * Measures recall on labelled sets with keyword search only, with the static embedder and with the bundled encoder, in
 * one table.
 *
 *     node bench/quality.ts SETS_FOLDER [--sets firstcontact-en,madial-zh] [--embedders none,static,bundled]
 *       [--limit QUERIES] [--keep FILE] [--markdown]
 *
 * `SETS_FOLDER` contains a folder for each set, as docs/evaluating.md describes; `temporal` and `sts` are skipped.
 * `--keep` names a file of results: existing results are not measured again, so that an interrupted run can continue.
 * `--markdown` writes the table to bench/quality.md.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderMarkdown, renderText, runEvaluation, type Block, type SetReport } from '../src/eval/eval.ts';
import { parseEmbedderSetting } from '../src/llm/llm.ts';

const QUALITY_FILE = fileURLToPath(new URL('quality.md', import.meta.url));
const BEGIN = '<!-- written by bench/quality.ts -->';
const END = '<!-- end of what bench/quality.ts writes -->';

interface Measured {
  readonly embedder: string;
  readonly limit: number | null;
  readonly set: SetReport;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: 'string' },
    embedders: { type: 'string', default: 'none,static,bundled' },
    limit: { type: 'string' },
    keep: { type: 'string' },
    markdown: { type: 'boolean', default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Name the folder that holds the sets.');
const limit = values.limit === undefined ? null : Number(values.limit);
const names = values.sets?.split(',') ?? setsIn(folder);
const embedders = values.embedders.split(',');
const measured: Measured[] =
  values.keep !== undefined && existsSync(values.keep) ? readKept(values.keep) : [];
for (const name of names) for (const embedder of embedders) await measure(folder, name, embedder);
const blocks = describe(measured);
process.stdout.write(renderText(blocks));
if (values.markdown) writeTable(renderMarkdown(blocks));

function setsIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => existsSync(join(path, name, 'queries.jsonl')))
    .toSorted();
}

function readKept(path: string): Measured[] {
  return JSON.parse(readFileSync(path, 'utf8')) as Measured[];
}

async function measure(path: string, name: string, embedder: string): Promise<void> {
  const isKnown = measured.some(
    (each) => each.set.name === name && each.embedder === embedder && each.limit === limit,
  );
  if (isKnown) return;
  process.stderr.write(`${name}, ${embedder}\n`);
  const report = await runEvaluation([join(path, name)], {
    embedder: embedder === 'none' ? null : parseEmbedderSetting(embedder),
    foreign: true,
    ...(limit !== null && { limit }),
  });
  for (const set of report.sets) measured.push({ embedder, limit, set });
  if (values.keep !== undefined) writeFileSync(values.keep, JSON.stringify(measured));
}

function describe(all: readonly Measured[]): Block[] {
  const share = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : value.toFixed(3);
  const rows = all.flatMap(({ embedder, set }) =>
    set.profiles.map(({ queries, turn, injection, calibration }) => [
      `${set.name} · ${embedder}`,
      String(queries),
      ...[turn['R@5'], turn['R@10'], turn['NDCG@10'], injection.answerable, injection.right].map(share),
      ...[injection.foreign, injection.unanswerable, injection.precision, injection.precisionNear].map(share),
      share(calibration?.ece),
    ]),
  );
  const head = ['set · embedder', 'queries', 'R@5', 'R@10', 'NDCG@10', 'told', 'the right turn'];
  return [
    {
      kind: 'table',
      head: [...head, 'foreign', 'unanswerable', 'precision', 'with neighbours', 'ECE'],
      rows,
    },
  ];
}

function writeTable(table: string): void {
  const page = readFileSync(QUALITY_FILE, 'utf8');
  const [before, rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const flags = (['sets', 'embedders', 'limit'] as const).flatMap((name) =>
    values[name] === undefined ? [] : `--${name} ${values[name]}`,
  );
  const command = ['node bench/quality.ts sets', ...flags, '--markdown'].join(' ');
  writeFileSync(
    QUALITY_FILE,
    `${before}${BEGIN}\n\n\`\`\`sh\n${command}\n\`\`\`\n\n${table.trim()}\n\n${END}${after}`,
  );
}
