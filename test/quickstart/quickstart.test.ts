import { describe, expect, onTestFinished, test } from 'vitest';
import { internals, openMemory } from '../../src/engine/engine.ts';
import { openEmbedder } from '../../src/llm/llm.ts';
import { rememberingEmbedder } from '../rememberingEmbedder.ts';
import { temporaryFolder } from '../temporary.ts';
import { everydayTalk } from './talk.ts';

const embedder = rememberingEmbedder(await openEmbedder({ provider: 'bundled' }));
const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse('2025-04-01T10:00:00Z');

interface Told {
  readonly trip: readonly string[];
  readonly asked: string;
  readonly place: RegExp;
}

const TOLD: Readonly<Record<'ja' | 'zh' | 'en', Told>> = {
  ja: {
    trip: [
      '那須塩原の吊り橋の写真、送ったよ。めっちゃ揺れたね…',
      '怖かったけど、景色は最高だったね。',
      '帰りに寄った温泉もよかった。',
    ],
    asked: 'あの旅行、また行きたいな。',
    place: /那須塩原/,
  },
  zh: {
    trip: [
      '那须盐原吊桥的照片我发给你了，晃得好厉害啊……',
      '虽然害怕，可是风景太美了。',
      '回来路上泡的温泉也很舒服。',
    ],
    asked: '那次旅行，真想再去一次啊。',
    place: /那须盐原/,
  },
  en: {
    trip: [
      'I sent you the photos of the suspension bridge in Nasu-Shiobara. It swayed like mad…',
      'I was scared, but the view was wonderful.',
      'The hot spring on the way home was lovely too.',
    ],
    asked: "That trip… I'd love to go again.",
    place: /Nasu-Shiobara|suspension bridge/i,
  },
};

/** A memory that has learnt from two hundred turns of everyday talk, with these turns in the middle. */
async function memoryOf(language: 'ja' | 'zh' | 'en', trip: readonly string[], conversationId: string) {
  let at = FIRST_DAY;
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    timeZone: 'Asia/Tokyo',
    embedder,
    worker: false,
    now: () => at,
  });
  onTestFinished(() => memory.close());
  const talk = everydayTalk(language);
  const turnOf = (text: string, i: number, conversation: string) => {
    at += 60_000;
    return { conversationId: conversation, speaker: i % 2 ? 'ai' : 'user', text, occurredAt: new Date(at) };
  };
  const turns = talk.flatMap((text, i) => {
    if (i % 10 === 0) at += DAY_MS;
    const day = `day ${Math.floor(i / 10)}`;
    const before = i === 120 ? trip.map((line, k) => turnOf(line, k, conversationId)) : [];
    return [...before, turnOf(text, i, day)];
  });
  await memory.add(turns);
  await internals(memory).settle();
  at += 30 * DAY_MS;
  return memory;
}

describe.each(['ja', 'zh', 'en'] as const)('a month after the trip, in %s', (language) => {
  const { trip, asked, place } = TOLD[language];

  test.each([
    ['three turns, a talk of their own', 3, 'trip'],
    ['a single turn in the middle of other talk', 1, 'day 11'],
  ])(
    '“that trip” recalls it, and its topic shows it in order of time: %s',
    async (_name, count, conversationId) => {
      const memory = await memoryOf(language, trip.slice(0, count), conversationId);
      const { highlights, topics, why, inject } = await memory.recall(asked, { view: 'bundle' });
      expect(inject).toBe(true);
      expect(highlights[0]?.quote.text).toBe(trip[0]);
      expect(trip).toEqual(expect.arrayContaining(highlights.map(({ quote }) => quote.text)));
      expect(highlights).toHaveLength(count);
      expect(topics[0]?.title).toMatch(place);
      expect(topics[0]?.highlights).toBe(count);
      expect(why[0]).toMatch(place);

      const timeline = await memory.explore({ topic: topics[0]?.id ?? 0 }, { view: 'timeline' });
      const told = timeline.view === 'timeline' ? timeline.groups.flatMap(({ items }) => items) : [];
      expect(told.map(({ quote }) => quote.text)).toEqual(trip.slice(0, count));
    },
  );
});
