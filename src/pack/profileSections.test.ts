import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { internals, openMemory, type NewUnit } from '../engine/engine.ts';

type Summary = Extract<NewUnit['content'], { kind: 'summary' }>['payload'];
const week = (from: string): Summary => {
  const start = Date.parse(from);
  return {
    scope: 'weekly',
    scopeKey: from,
    range: { from: start, to: start + 7 * 86_400_000 },
    text: `week of ${from}`,
  };
};

test('contains facts relevant to the utterance, the relationship, the latest week, and the person talked about', async () => {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    embedder: null,
    worker: false,
    learn: false,
  });
  onTestFinished(() => memory.close());
  const summaries: Summary[] = [
    { scope: 'relationship', scopeKey: 'user', text: 'long friends' },
    week('2026-03-02'),
    { scope: 'person', scopeKey: '7', text: 'plays the oboe', structured: { title: 'Mia' } },
    { scope: 'topic', scopeKey: 'oboe', text: 'lessons on Mondays' },
    week('2026-02-23'),
    { scope: 'topic', scopeKey: 'garden', text: 'tomatoes' },
    { scope: 'person', scopeKey: '8', text: 'a neighbour', structured: { title: 'Tom' } },
  ];
  for (const payload of summaries) await memory.units.add({ content: { kind: 'summary', payload } });
  const narrative = async (utterance: string) => {
    const { text } = await memory.pack(utterance, {
      context: [{ speaker: 'user', text: 'About Mia again.' }],
    });
    return text.split('\n').filter((line) => line.startsWith('- '));
  };
  expect(await narrative('She wants to sell her oboe.')).toEqual([
    '- Mia: plays the oboe',
    '- user: long friends',
    '- 2026-03-02: week of 2026-03-02',
    '- oboe: lessons on Mondays',
  ]);
  expect((await narrative('How are you?')).slice(0, 2)).toEqual([
    '- user: long friends',
    '- 2026-03-02: week of 2026-03-02',
  ]);
});

test('contains likings and wishes from notes, relevant ones first, on one line each', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'user'));
  writeFileSync(
    join(folder, 'user', 'preferences.md'),
    '# Drinks\n\n- Prefers tea to coffee\n\n# Evenings\n\n- Likes it quiet\n- [EPISODE_EVIDENCE]\n',
  );
  writeFileSync(
    join(folder, 'user', 'secrets.md'),
    '---\nsensitivity: secret\n---\n\nThe tea is poisoned.\n',
  );
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    embedder: null,
    worker: false,
    learn: false,
    notes: { global: folder },
  });
  onTestFinished(() => memory.close());
  const facts = async (utterance: string) =>
    (await memory.pack(utterance)).text.split('\n').filter((line) => line.startsWith('- '));
  expect(await facts('Shall we have a quiet evening?')).toEqual([
    '- Evenings: “- Likes it quiet - [EPISODE_EVIDENCE]”',
    '- Drinks: “- Prefers tea to coffee”',
  ]);
  expect((await facts('Some tea?'))[0]).toContain('Drinks');
});

async function openPlain({ learn = false } = {}) {
  const dataDir = temporaryFolder();
  const memory = await openMemory({ dataDir, embedder: null, worker: false, learn });
  onTestFinished(() => memory.close());
  return memory;
}

test('contains pinned and requested facts, however many newer ones exist', async () => {
  const memory = await openPlain();
  const payload = (object: string) => ({ subject: 'Mia', predicate: 'likes', object });
  const pinned = await memory.units.add({ content: { kind: 'fact', payload: payload('the oldest') } });
  await memory.units.update({ unitId: pinned.id, set: { pinned: true } });
  for (let i = 0; i < 1_001; i++)
    await memory.units.add({ content: { kind: 'fact', payload: payload(`thing ${i}`) } });
  const { text } = await memory.pack('Hello there');
  expect(text.split('\n').find((line) => line.startsWith('- '))).toContain('the oldest');
  await memory.units.update({ unitId: pinned.id, set: { pinned: false } });
  // Recalled facts are included, whatever their age.
  const asked = await memory.pack('What is the oldest that Mia likes?');
  expect(asked.text).toContain('the oldest');
});

test('evidence has its date, topic and reason, and leaves out redacted text', async () => {
  const memory = await openPlain({ learn: true });
  const turns = ['[redacted]', 'The bridge in Nasu was swaying.', 'Hold on to the rope!'];
  await memory.add(
    turns.map((text) => ({ conversationId: 'c', speaker: 'user', text, occurredAt: '2026-03-01T10:00Z' })),
  );
  await internals(memory).settle();
  const [topic] = await memory.topics.list({}, { limit: 1 });
  const { text } = await memory.pack('Was the bridge in Nasu swaying?', { now: '2026-03-09' });
  expect(text.split('\n').slice(-4)).toEqual([
    `[2026-03-01] “${topic?.title}”`,
    'user: “The bridge in Nasu was swaying.”',
    'user: “Hold on to the rope!”',
    expect.stringMatching(/^→ Related: 1 March, about .*‘bridge’/u),
  ]);
});
