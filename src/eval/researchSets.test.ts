import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runEvaluation } from './eval.ts';
import { openLocomo, openLongMemEval } from './researchSets.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'omoide-evaltest-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const SAMPLE = {
  sample_id: 'conv-1',
  conversation: {
    speaker_a: 'Ann',
    speaker_b: 'Bo',
    session_1_date_time: '1:56 pm on 8 May, 2023',
    session_1: [
      { speaker: 'Ann', dia_id: 'D1:1', text: 'I adopted a tortoise.' },
      { speaker: 'Bo', dia_id: 'D1:2', text: 'How lovely!' },
    ],
    session_2_date_time: '10:00 am on 9 June, 2023',
    session_2: [{ speaker: 'Bo', dia_id: 'D2:1', text: 'My bicycle was stolen.' }],
  },
  qa: [
    { question: 'Who has a tortoise?', answer: 'Ann', evidence: ['D1:1'], category: 4 },
    { question: 'What happened to Bo?', answer: '…', evidence: ['D2:1; D1:2', 'D9:9'], category: 1 },
    { question: 'Why did Ann sell her boat?', adversarial_answer: '…', evidence: ['D1:1'], category: 5 },
  ],
};

test('LoCoMo: samples are conversations; evidence is parsed in all its forms', async () => {
  const [conversation] = await Array.fromAsync(openLocomo(write('locomo10.json', [SAMPLE])).conversations());
  expect(
    conversation?.turns.map(({ sourceId, turn }) => [sourceId, new Date(turn.occurredAt).toISOString()]),
  ).toEqual([
    ['D1:1', '2023-05-08T13:56:00.000Z'],
    ['D1:2', '2023-05-08T13:56:01.000Z'],
    ['D2:1', '2023-06-09T10:00:00.000Z'],
  ]);
  expect(conversation?.queries).toMatchObject([
    { type: 'single_hop', goldTurns: ['D1:1'], goldSessions: ['session_1'], isUnanswerable: false },
    { type: 'multi_hop', goldTurns: ['D2:1', 'D1:2'], goldSessions: ['session_2', 'session_1'] },
    { type: 'adversarial', isUnanswerable: true },
  ]);
});

const QUESTION = {
  question_id: 'q1',
  question_type: 'single-session-user',
  question: 'What animal did I adopt?',
  answer: 'a tortoise',
  question_date: '2023/05/30 (Tue) 23:40',
  haystack_dates: ['2023/05/20 (Sat) 02:21', '2023/05/21 (Sun) 09:00'],
  haystack_session_ids: ['answer_1', 'other'],
  haystack_sessions: [
    [
      { role: 'user', content: 'I just adopted a tortoise.', has_answer: true },
      { role: 'assistant', content: ' ' },
    ],
    [{ role: 'user', content: 'My bicycle was stolen.' }],
  ],
  answer_session_ids: ['answer_1'],
};

test('LongMemEval: each question has its own memory; those ending in _abs are unanswerable', async () => {
  const path = write('longmemeval_s.json', [QUESTION, { ...QUESTION, question_id: 'q2_abs' }]);
  const set = openLongMemEval(path);
  expect(await set.queryCounts()).toEqual([1, 1]);
  const [first, second] = await Array.fromAsync(set.conversations());
  expect(first?.turns.map(({ sourceId }) => sourceId)).toEqual(['answer_1_1', 'other_1']);
  expect(first?.queries).toMatchObject([
    {
      type: 'single-session-user',
      goldTurns: ['answer_1_1'],
      goldSessions: ['answer_1'],
      askedAt: Date.parse('2023-05-30T23:40:00Z'),
      isUnanswerable: false,
    },
  ]);
  expect(second?.queries).toMatchObject([{ isUnanswerable: true }]);
});

test('both are measured from their original files', async () => {
  const paths = [write('locomo10.json', [SAMPLE]), write('longmemeval_s.json', [QUESTION])];
  const { sets } = await runEvaluation(paths, { embedder: null });
  expect(
    sets.map(({ name, turns, profiles: [own] }) => [name, turns, own?.queries, own?.turn['R@5']]),
  ).toEqual([
    ['locomo10', 3, 2, 1],
    ['longmemeval_s', 2, 1, 1],
  ]);
});

test('an element without a conversation, or a truncated one, is named', async () => {
  const empty = openLocomo(write('locomo10.json', [SAMPLE, { sample_id: 'x', qa: [] }]));
  await expect(empty.queryCounts()).rejects.toMatchObject({
    message: expect.stringContaining('element 2') as string,
  });
  const path = join(folder, 'broken.json');
  writeFileSync(path, JSON.stringify([QUESTION]).slice(0, -20));
  await expect(openLongMemEval(path).queryCounts()).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});
