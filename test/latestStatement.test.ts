/** Which of several turns about the same subject comes first: the newest, the one before, or the one of a given day. */
import { describe, expect, it } from 'vitest';
import { internals, openMemory, type Memory } from '../src/engine/engine.ts';
import { temporaryFolder } from './temporary.ts';

interface Talk {
  readonly said: readonly (readonly [day: string, speaker: string, text: string])[];
  /** Each with text of the turn that must come first. */
  readonly first: readonly (readonly [utterance: string, words: string])[];
  /** As of April. */
  readonly april: readonly [utterance: string, words: string];
}

const TALKS: Readonly<Record<string, Talk>> = {
  en: {
    said: [
      ['2026-01-10', 'user', 'I live in Leeds, in a small flat above a bakery.'],
      ['2026-01-10', 'assistant', 'That sounds lovely. Fresh bread every morning!'],
      ['2026-01-20', 'user', 'The boiler broke again, the landlord came twice.'],
      ['2026-02-03', 'user', 'Which café should I try near the station?'],
      ['2026-02-03', 'assistant', 'Try the Blue Heron café, they roast their own beans.'],
      ['2026-02-10', 'user', 'My favourite café is still the Marigold, for the cakes.'],
      ['2026-05-01', 'user', 'Rehearsals with the choir start again on Monday.'],
      ['2026-06-15', 'user', 'We moved! I live in Bristol now, near the harbour.'],
      ['2026-06-15', 'assistant', 'Congratulations on the move!'],
      ['2026-07-20', 'user', 'The choir sang at the town hall.'],
    ],
    first: [
      ['Where do I live?', 'Bristol'],
      ['What is my address now?', 'Bristol'],
      ['Where did I live before?', 'Leeds'],
      ['Which café did you recommend?', 'Blue Heron'],
      ['What is my favourite café?', 'Marigold'],
    ],
    april: ['Where do I live?', 'Leeds'],
  },
  ja: {
    said: [
      ['2026-01-10', 'user', '仙台に住んでいます。パン屋の上の小さな部屋です。'],
      ['2026-01-10', 'assistant', '毎朝焼きたてのパンの香りですね。'],
      ['2026-01-20', 'user', '給湯器がまた壊れて、大家さんが二回来ました。'],
      ['2026-02-03', 'user', 'この辺でコーヒーを飲むならどこがいい？'],
      ['2026-02-03', 'assistant', '「青鷺」というカフェがおすすめです。自家焙煎ですよ。'],
      ['2026-02-10', 'user', 'いちばん好きなカフェはやっぱり「まりも」です。ケーキがおいしい。'],
      ['2026-05-01', 'user', '合唱の練習が月曜からまた始まります。'],
      ['2026-06-15', 'user', '引っ越しました！今は神戸の港の近くに住んでいます。'],
      ['2026-06-15', 'assistant', '引っ越しおめでとうございます！'],
      ['2026-07-20', 'user', '市民会館で合唱を歌いました。'],
    ],
    first: [
      ['私はどこに住んでる？', '神戸'],
      ['今の住所はどこだっけ？', '神戸'],
      ['おすすめしてくれたカフェはどこだっけ？', '青鷺'],
      ['私の好きなカフェは？', 'まりも'],
    ],
    april: ['私はどこに住んでる？', '仙台'],
  },
  zh: {
    said: [
      ['2026-01-10', 'user', '我住在成都，面包店楼上的小房间。'],
      ['2026-01-10', 'assistant', '每天早上都能闻到面包香吧。'],
      ['2026-01-20', 'user', '热水器又坏了，房东来了两次。'],
      ['2026-02-03', 'user', '车站附近哪里可以喝咖啡？'],
      ['2026-02-03', 'assistant', '推荐“蓝鹭”咖啡馆，他们自己烘豆子。'],
      ['2026-02-10', 'user', '我最喜欢的咖啡馆还是“金盏花”，蛋糕好吃。'],
      ['2026-05-01', 'user', '合唱团周一又开始排练了。'],
      ['2026-06-15', 'user', '搬家了！我现在住在厦门，靠近码头。'],
      ['2026-06-15', 'assistant', '恭喜搬家！'],
      ['2026-07-20', 'user', '合唱团在市政厅演出了。'],
    ],
    first: [
      ['我住在哪里？', '厦门'],
      ['我现在的地址是哪？', '厦门'],
      ['我以前住在哪里？', '成都'],
      ['你推荐过哪家咖啡馆？', '蓝鹭'],
      ['我最喜欢的咖啡馆是哪家？', '金盏花'],
    ],
    april: ['我住在哪里？', '成都'],
  },
};

async function addTalk(said: Talk['said'], as: { readonly isOne: boolean }): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    timeZone: 'UTC',
    worker: false,
    learn: false,
  });
  await memory.add(
    said.map(([day, speaker, text], i) => ({
      conversationId: as.isOne ? 'c' : day,
      speaker,
      text,
      occurredAt: Date.parse(`${day}T12:00:00Z`) + i * 1_000,
    })),
  );
  await internals(memory).settle();
  return memory;
}

describe.each([
  ['in one conversation', { isOne: true }],
  ['in several conversations', { isOne: false }],
])('%s', (_, as) => {
  it.each(Object.entries(TALKS))(
    'current facts come first, and as of an earlier day the facts of that day (%s)',
    async (_, talk) => {
      const memory = await addTalk(talk.said, as);
      const missed: string[] = [];
      for (const [utterance, words] of talk.first) {
        const { hits, inject } = await memory.recall(utterance, { now: '2026-08-01T12:00:00Z' });
        const isFirst = hits[0]?.text.includes(words) === true;
        if (!isFirst || !inject || hits[0]?.relevance === 'low')
          missed.push(`${utterance} → ${hits[0]?.text}`);
      }
      const [utterance, words] = talk.april;
      const { hits } = await memory.recall(utterance, { asOf: '2026-04-01' });
      await memory.close();
      expect(missed).toEqual([]);
      expect(hits[0]?.text).toContain(words);
      expect(hits.filter(({ occurredAt }) => occurredAt > '2026-04-01')).toEqual([]);
    },
  );
});
