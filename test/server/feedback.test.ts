/** Feedback is stored, compared by profile, exported as a data set, and used for tuning. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDirectorySet } from '../../src/eval/directorySet.ts';
import { runTuning } from '../../src/eval/tune/tune.ts';
import { startScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../temporary.ts';
import { openTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
const SUBJECTS = 'zebra violin kettle lantern orchid saddle anchor pepper canoe ledger piano rocket'.split(
  ' ',
);

test('compares two profiles on live chats, each with its share, ratings and their intervals', async () => {
  const model = await startScriptedModel();
  model.answer(() => 'I remember.');
  const chat = { provider: 'endpoint', url: model.url, model: 'scripted' } as const;
  const { client } = openTestServer({ modelOverrides: { chat, embedder: null } });
  const turns = SUBJECTS.map((subject) => ({
    conversationId: 'then',
    speaker: 'user',
    text: `The ${subject} stands in the attic.`,
    occurredAt: '2025-05-01T10:00:00Z',
  }));
  await client.ingestTurns({ ...MEMORY, body: { turns } });
  const ask = async (subject: string, verdict: 'helped' | 'wrong') => {
    const text = `Where does the ${subject} stand?`;
    const body = { conversationId: `about ${subject}`, text, withMemory: true };
    const events = await Array.fromAsync(client.chat({ body }));
    const [told] = events.flatMap((each) => (each.event === 'memory' ? [each.data] : []));
    const { hits = [], metadata: { profile } = { profile: '' } } = told?.recall ?? {};
    const hit = hits.find((each) => each.text.includes(subject));
    expect(hit).toBeDefined();
    const unitId = hit?.unitId ?? 0;
    await client.giveFeedback({ ...MEMORY, body: { unitId, verdict, utterance: text, profile } });
  };
  await client.changeSettings({ body: { compare: { profile: 'fast', share: 1 } } });
  for (const subject of SUBJECTS.slice(0, 3)) await ask(subject, 'wrong');
  await client.changeSettings({ body: { compare: null } });
  for (const subject of SUBJECTS.slice(3, 8)) await ask(subject, subject === 'anchor' ? 'wrong' : 'helped');
  const { recalls, profiles } = await client.readUsage(MEMORY);
  expect(recalls).toBe(8);
  expect(profiles).toMatchObject([
    { profile: 'conversation', recalls: 5, helped: 4, wrong: 1, helpedShare: { share: 0.8 } },
    { profile: 'fast', recalls: 3, helped: 0, wrong: 3, helpedShare: { share: 0 } },
  ]);
  // Wilson's interval of 4 in 5 at 95 %.
  expect(profiles[0]?.helpedShare?.low).toBeCloseTo(0.376, 3);
  expect(profiles[0]?.helpedShare?.high).toBeCloseTo(0.964, 3);
  await expect(
    client.changeSettings({ body: { compare: { profile: 'fast', share: 1.5 } } }),
  ).rejects.toMatchObject({ status: 400 });
});

/** Feedback as the console sends it: one hit helped, another was wrong; for the last subject only the wrong one is known. */
async function giveVerdicts({ client }: TestServer): Promise<void> {
  const turns = SUBJECTS.flatMap((subject) =>
    ['is in the attic now', 'was in the cellar then'].map((words, i) => ({
      conversationId: subject,
      speaker: 'user',
      text: `The ${subject} ${words}.`,
      occurredAt: i === 0 ? '2026-05-01T10:00:00Z' : '2020-05-01T10:00:00Z',
    })),
  );
  const kept = await client.ingestTurns({ ...MEMORY, body: { turns } });
  for (const [i, subject] of SUBJECTS.entries()) {
    const [now = 0, then = 0] = kept.turns.slice(2 * i).map(({ unitId }) => unitId);
    const utterance = `Where is the ${subject}?`;
    const give = (unitId: number, verdict: 'helped' | 'wrong') =>
      client.giveFeedback({ ...MEMORY, body: { unitId, verdict, utterance } });
    if (i < SUBJECTS.length - 1) await give(now, 'helped');
    await give(then, 'wrong');
  }
}

test('the exported set contains both ratings, and tuning learns from them', async () => {
  const server = openTestServer({ modelOverrides: { embedder: null } });
  await giveVerdicts(server);
  const folder = join(temporaryFolder(), 'feedback');
  mkdirSync(folder);
  for (const file of ['history', 'queries'] as const) {
    const lines = await Array.fromAsync(server.client.exportFeedback({ ...MEMORY, query: { file } }));
    writeFileSync(join(folder, `${file}.jsonl`), `${lines.join('\n')}\n`);
  }
  const [set] = await Array.fromAsync((await readDirectorySet(folder)).conversations());
  const byText = new Map(set?.queries.map((query) => [query.text, query]));
  expect(byText.get('Where is the zebra?')).toMatchObject({ goldTurns: ['t1'], wrongTurns: ['t2'] });
  expect(byText.get('Where is the rocket?')).toMatchObject({ goldTurns: [], wrongTurns: ['t24'] });
  const report = await runTuning([folder], {
    name: 'mine',
    now: new Date(0),
    profile: 'fast',
    embedder: null,
  });
  expect(report).toMatchObject({ sets: [{ queries: 11 }], wrong: { queries: 12 } });
});
