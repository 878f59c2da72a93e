import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import { internals, openMemory } from '../../engine/engine.ts';

async function toldOnce(...said: string[]) {
  const memory = await openMemory({ dataDir: temporaryFolder(), worker: false, learn: false });
  onTestFinished(() => memory.close());
  for (const [i, text] of said.entries())
    await memory.add({ conversationId: 'first', speaker: i % 2 ? 'ai' : 'user', text });
  await internals(memory).settle();
  return memory;
}

describe('a memory of a single exchange', () => {
  test.each([
    ['猫の名前は豆腐です。', 'かわいい名前ですね。', 'うちの猫の名前、覚えてる？', '明日の会議は何時から？'],
    ['我的猫叫豆腐。', '真可爱的名字。', '我的猫叫什么名字？', '明天的会议几点开始？'],
    [
      'My cat is called Tofu.',
      'What a lovely name.',
      'What do I feed Tofu tonight?',
      'How tall is Mount Fuji?',
    ],
  ])('injects %s when asked about it, and not otherwise', async (told, reply, asked, other) => {
    const memory = await toldOnce(told, reply);
    const { inject, hits } = await memory.recall(asked);
    expect(inject).toBe(true);
    expect(hits.map((hit) => hit.text)).toContain(told);
    expect((await memory.recall(other)).inject).toBe(false);
  });
});
