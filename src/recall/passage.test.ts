import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteStore } from '../store/sqlite/sqlite.ts';
import type { Store } from '../store/store.ts';
import { createRecall, type Recall } from './recall.ts';

const NOW = Date.parse('2026-03-11T12:00:00Z');
let store: Store;
let recall: Recall;
beforeEach(() => {
  store = openSqliteStore(':memory:', { memoryId: 'passage', timeZone: 'UTC', now: () => NOW });
  recall = createRecall({ store, embedder: null, now: () => NOW });
});
afterEach(async () => {
  await recall.settled();
  await store.close();
});

async function say(text: string): Promise<void> {
  await store.evidence.append([
    {
      conversationId: 'c',
      turnIndex: null,
      speaker: 'user',
      text,
      occurredAt: NOW - 86_400_000,
      meta: {},
      source: 'chat',
      sensitivity: 'normal',
      scope: 'global',
      imageSummary: null,
      jobKinds: [],
    },
  ]);
}

it.each([
  [
    'en',
    'The weather was fine and we walked along the river for a good while, as we often do. ',
    'My grandmother Helga taught me to bake rye bread. ',
    'Who taught me to bake rye bread?',
  ],
  [
    'ja',
    '天気がよくて、いつものように川沿いをしばらく散歩しました。',
    '祖母がライ麦パンの焼き方を教えてくれました。',
    'ライ麦パンの焼き方を教えてくれたのは誰？',
  ],
  ['zh', '天气很好，我们像往常一样沿着河边散步了很久。', '奶奶教我怎么烤黑麦面包。', '谁教我烤黑麦面包的？'],
])('returns the relevant passage of a long turn, and its position (%s)', async (_, filler, answer, asked) => {
  const text = filler.repeat(900) + answer + filler.repeat(40);
  await say(text);
  const [hit] = (await recall.recall(asked)).hits;
  expect(hit?.text).toBe(text);
  expect(hit?.passage.text).toContain(answer.trim());
  expect(text.slice(hit?.passage.from, hit?.passage.to)).toBe(hit?.passage.text);
  expect(hit?.tokens).toBeLessThan(220);
});

it('returns a short turn completely', async () => {
  await say('I bake rye bread.');
  const [hit] = (await recall.recall('rye bread')).hits;
  expect(hit?.passage).toEqual({ text: 'I bake rye bread.', from: 0, to: 17 });
});
