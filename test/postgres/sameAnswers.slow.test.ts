/** Compares the answers of a memory in PostgreSQL and one in a file with the same conversation. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { internals, openMemory, type Memory } from '../../src/engine/engine.ts';
import { temporaryFolder } from '../temporary.ts';
import { missingForServer } from './server.ts';
import { sharedServer } from './shared.ts';

interface Question {
  readonly text: string;
  readonly askedAt: string;
  readonly context: { readonly speaker: string; readonly text: string }[];
}

const FOLDER = new URL('../../examples/conversations/', import.meta.url);
const QUESTIONS = JSON.parse(readFileSync(new URL('queries.json', FOLDER), 'utf8')) as Record<
  string,
  Question[]
>;
const NOW = Date.parse('2026-03-01T12:00:00Z');

const opened: Memory[] = [];
afterEach(async () => {
  for (const memory of opened.splice(0)) await memory.close();
});

async function learn(language: string, timeZone: string, store?: string): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    memoryId: `same-${language}`,
    timeZone,
    worker: false,
    reorganize: 'never',
    now: () => NOW,
    ...(store !== undefined && { store }),
  });
  opened.push(memory);
  await memory.admin.importFile(fileURLToPath(new URL(`${language}.jsonl`, FOLDER)));
  await internals(memory).settle();
  return memory;
}

async function answers(memory: Memory, questions: readonly Question[]) {
  const given = [];
  for (const { text, context, askedAt } of questions) {
    const { hits, inject } = await memory.recall(text, { context, now: askedAt, limit: 10 });
    const { text: pack } = await memory.pack(text, { context, now: askedAt, budgetTokens: 800 });
    given.push({
      question: text,
      inject,
      hits: hits.map(({ unitId, score, relevance }) => ({ unitId, relevance, score: score.toFixed(9) })),
      pack,
    });
  }
  return given;
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`PostgreSQL and SQLite ${missing ?? ''}`, () => {
  test.each([
    ['en', 'Europe/London'],
    ['ja', 'Asia/Tokyo'],
    ['zh', 'Asia/Shanghai'],
  ])('recall the same and pack the same bytes: %s', async (language, timeZone) => {
    const questions = QUESTIONS[language] ?? [];
    const file = await learn(language, timeZone);
    const database = await learn(language, timeZone, (await sharedServer()).url());
    const expected = await answers(file, questions);
    expect(expected.filter(({ pack }) => pack.length > 100).length).toBeGreaterThan(questions.length / 3);
    expect(await answers(database, questions)).toEqual(expected);
  });
});
