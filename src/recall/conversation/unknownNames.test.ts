import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary.ts';
import type { Situation } from './probability.ts';
import { internals, openMemory, type Memory } from '../../engine/engine.ts';

async function remember(said: readonly string[]): Promise<Memory> {
  const memory = await openMemory({ dataDir: temporaryFolder(), timeZone: 'UTC' });
  onTestFinished(() => memory.close());
  await memory.add(
    said.map((text, i) => ({ conversationId: 'c', speaker: 'user', text, occurredAt: `2026-03-0${i + 1}` })),
  );
  await internals(memory).settle();
  return memory;
}

const injects = async (memory: Memory, utterance: string) => (await memory.recall(utterance)).inject;

test('a question about somebody unknown gets nothing of somebody else', async () => {
  const memory = await remember([
    "Isla's birthday is on the 4th of May, I ordered a cake.",
    'The knee is better since the physiotherapy.',
  ]);
  expect(await injects(memory, "When is Isla's birthday?")).toBe(true);
  expect(await injects(memory, "When is Lorraine's birthday?")).toBe(false);
});

test('the same in Japanese and Chinese', async () => {
  const memory = await remember(['小林さんの誕生日は五月四日です。', '王老师的生日是五月六号。']);
  expect(await injects(memory, '小林さんの誕生日はいつでしたっけ')).toBe(true);
  expect(await injects(memory, '佐藤さんの誕生日はいつでしたっけ')).toBe(false);
  expect(await injects(memory, '王老师的生日是哪天？')).toBe(true);
  expect(await injects(memory, '陈老师的生日是哪天？')).toBe(false);
});

test('a name that was said in another script is known', async () => {
  const memory = await remember(['田中さんの誕生日は五月四日だよ。ケーキを頼んだ。']);
  const asksAboutUnknown = async (utterance: string) => {
    const { trace } = await memory.recall(utterance, { explain: true });
    return (trace?.notes['situation'] as Situation | undefined)?.asksAboutUnknown;
  };
  expect(await asksAboutUnknown("When is Tanaka's birthday?")).toBe(false);
  expect(await asksAboutUnknown("When is Suzuki's birthday?")).toBe(true);
});

test('who invited matters less than what was asked', async () => {
  const memory = await remember(['I am allergic to shrimp, it is serious.', 'We painted the fence green.']);
  expect(await injects(memory, 'Kenji invited me, is shrimp soup a good idea for me?')).toBe(true);
});
