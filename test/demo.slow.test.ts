/** The questions of the demo, and what they recall. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { internals, openMemory } from '../src/engine/engine.ts';
import { temporaryFolder } from './temporary.ts';

interface Question {
  readonly id: string;
  readonly text: string;
  readonly askedAt: string;
  readonly context: { readonly speaker: string; readonly text: string }[];
  /** The correct turns, any of which may come first; empty for small talk. */
  readonly gold: readonly string[];
}

const FOLDER = new URL('../examples/conversations/', import.meta.url);
const ZONES = { ja: 'Asia/Tokyo', zh: 'Asia/Shanghai', en: 'Europe/London' } as const;

async function ask(language: keyof typeof ZONES, questions: readonly Question[]) {
  const file = fileURLToPath(new URL(`${language}.jsonl`, FOLDER));
  const ids = new Map<string, string>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { text, turn_id } = JSON.parse(line) as { text: string; turn_id: string };
    ids.set(text, turn_id);
  }
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    memoryId: language,
    timeZone: ZONES[language],
    learn: false,
    worker: false,
  });
  try {
    await memory.admin.importFile(file);
    await internals(memory).settle();
    const answers = [];
    for (const { gold, text, context, askedAt } of questions) {
      const { hits, inject } = await memory.recall(text, { context, now: askedAt, limit: 3 });
      const shown = inject ? hits.filter(({ relevance }) => relevance !== 'low') : [];
      const isRight = shown.some((hit) => gold.includes(ids.get(hit.text) ?? ''));
      answers.push({ isSmallTalk: gold.length === 0, isQuiet: shown.length === 0, isRight });
    }
    return answers;
  } finally {
    await memory.close();
  }
}

test('most questions recall the right memory, and small talk recalls none', async () => {
  const questions = JSON.parse(readFileSync(new URL('queries.json', FOLDER), 'utf8')) as Record<
    keyof typeof ZONES,
    Question[]
  >;
  const answers = [
    ...(await ask('ja', questions.ja)),
    ...(await ask('zh', questions.zh)),
    ...(await ask('en', questions.en)),
  ];
  const asked = answers.filter(({ isSmallTalk }) => !isSmallTalk);
  expect(asked).toHaveLength(15);
  expect(asked.filter(({ isRight }) => isRight).length).toBeGreaterThanOrEqual(12);
  expect(answers.filter(({ isSmallTalk, isQuiet }) => isSmallTalk && !isQuiet)).toEqual([]);
});
