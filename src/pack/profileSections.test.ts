import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/temporary.ts';
import { openMemory, type NewUnit } from '../engine/engine.ts';

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

test('tells of what bears on the utterance, the relationship, the latest week, and who is being talked about', async () => {
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

test('tells what the notes say of likings and wishes, what is talked about first, on one line each', async () => {
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
