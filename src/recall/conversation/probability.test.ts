import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { openMemory } from '../../engine/engine.ts';
import { CONVERSATION_PROFILE } from '../conversationProfile.ts';
import type { Scored } from '../types.ts';
import { labelOf, type Situation } from './probability.ts';

const { inject } = CONVERSATION_PROFILE;

/** A memory of 100 units with a certain answer, whose best hit scores 6. */
const situation: Situation = {
  address: 'open',
  refers: false,
  language: 'en',
  asksAboutUnknown: false,
  covered: 1,
  coveredByBest: 1,
  held: 8,
  known: 1,
  lead: 4,
  nearest: 0.7,
  documents: 100,
  size: 0,
  best: 6,
  competition: 6.5,
};
const hit = (score: number): Scored => ({ unitId: 1, score, features: { covered: 0.5, cosine: 4 } });

describe('a hit', () => {
  test('close to the best is relevant, one far below it is not', () => {
    const { margin } = inject.tell;
    expect(labelOf(hit(6), situation, inject)).toBe('high');
    expect(labelOf(hit(6 - margin), situation, inject)).not.toBe('low');
    expect(labelOf(hit(6 - margin - 0.01), situation, inject)).toBe('low');
  });
});

test('nothing is relevant to a question about a name that the memory never heard', () => {
  const half = { ...situation, covered: 0.5, coveredByBest: 0.5, lead: 2 };
  expect(labelOf(hit(6), half, inject)).toBe('high');
  expect(labelOf(hit(6), { ...half, asksAboutUnknown: true }, inject)).toBe('low');
});

describe('recall by words only', () => {
  const SAID = [
    'We bought a red tandem bicycle in Utrecht.',
    'The soup was too salty, I think.',
    'My boss wants the report by Friday.',
    'It rained the whole weekend.',
    'I think the film was far too long.',
    'The neighbours painted their fence.',
    'I slept badly and drank too much coffee.',
    'We should call the plumber again.',
    'The train was late, as always.',
    'I planted tomatoes on the balcony.',
  ];

  async function rememberingByWords() {
    const memory = await openMemory({
      dataDir: temporaryFolder(),
      worker: false,
      learn: false,
      embedder: null,
    });
    onTestFinished(() => memory.close());
    for (const text of SAID) await memory.add({ conversationId: 'first', speaker: 'user', text });
    return memory;
  }

  test('injects for shared rare words, and not for one common word', async () => {
    const memory = await rememberingByWords();
    const { inject: told, hits } = await memory.recall('What did we buy in Utrecht, a tandem?');
    expect(told).toBe(true);
    expect(hits[0]?.text).toBe(SAID[0]);
    expect((await memory.recall('What does Angela think of the new museum director?')).inject).toBe(false);
  });
});

describe.each([
  ['My cat is called Tofu.', 'What is my cat called?', 'What is my cat called again?'],
  ['歯医者は来週の火曜日だよ。', '歯医者はいつだっけ？', '歯医者って、いつだっけ？'],
  ['我的猫叫豆腐。', '我的猫叫什么？', '我的猫叫什么来着？'],
])('“%s”', (told, before, asked) => {
  test('is recalled again, although the question was asked since', async () => {
    const memory = await openMemory({ dataDir: temporaryFolder(), worker: false, learn: false });
    onTestFinished(() => memory.close());
    const say = (conversationId: string, text: string) =>
      memory.add({ conversationId, speaker: 'user', text });
    await say('a', told);
    for (const text of ['I walked to the park.', 'The soup was salty.', '昨日は雨だった。', '周末去爬山。'])
      await say('b', text);
    await say('c', before);
    const { inject: isTold, hits } = await memory.recall(asked);
    expect(isTold).toBe(true);
    expect(hits.find(({ text }) => text === told)?.relevance).not.toBe('low');
  });
});

describe.each([
  ['en', 'The ferry to Naxos leaves at nine from pier four.', 'When does the ferry to Naxos leave?'],
  ['ja', 'ナクソス行きの船は9時に4番桟橋から出るよ。', 'ナクソス行きの船は何時に出るの？'],
  ['zh', '去纳克索斯的船九点从四号码头出发。', '去纳克索斯的船几点出发？'],
])('a turn that summaries repeat (%s)', (_, told, asked) => {
  test('is hardly less likely than without them', async () => {
    const memory = await openMemory({
      dataDir: temporaryFolder(),
      worker: false,
      learn: false,
      embedder: null,
    });
    onTestFinished(() => memory.close());
    const others = ['I walked to the park.', 'The soup was salty.', '昨日は雨だった。', '周末去爬山。'];
    for (const text of [...others, told])
      await memory.add({ conversationId: 'a', speaker: 'user', text, occurredAt: '2026-05-01T10:00' });
    const probability = async () => {
      const { hits } = await memory.recall(asked, { kinds: ['episode', 'summary'] });
      return hits.find(({ kind, text }) => kind === 'episode' && text === told)?.probability ?? 0;
    };
    const before = await probability();
    expect(before).toBeGreaterThan(0.1);
    for (const scopeKey of ['2026-W18', 'ferry', 'user']) {
      const text = `2026-05-01 user: “${told}”\n2026-05-01 user: “${others[0]}”`;
      await memory.units.add({ content: { kind: 'summary', payload: { scope: 'topic', scopeKey, text } } });
    }
    const { hits } = await memory.recall(asked, { kinds: ['episode', 'summary'] });
    expect(hits.some(({ kind }) => kind === 'summary')).toBe(true);
    expect(await probability()).toBeGreaterThan(0.7 * before);
  });
});
