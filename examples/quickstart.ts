/** Stores a conversation, and recalls it weeks later with a question. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemory } from '../src/index.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'omoide-'));
const memory = await openMemory({ dataDir, memoryId: 'hana', timeZone: 'Asia/Tokyo' });

// Store turns word for word. Each turn is on the disk when the call returns.
const conversation = [
  ['user', '那須塩原に行ってきたよ。もみじ谷の吊り橋、風ですごく揺れた！'],
  ['ai', 'それは怖そう。美咲さんは平気だった？'],
  ['user', '美咲は半分泣いてた。でも温泉は最高だったね。'],
] as const;
for (const [speaker, text] of conversation) {
  await memory.add({ conversationId: '2026-03-29', speaker, text, occurredAt: '2026-03-29T21:00' });
}
await memory.add({
  conversationId: '2026-04-10',
  speaker: 'user',
  text: 'プリンターのインクがまた切れた。',
  occurredAt: '2026-04-10T09:00',
});

const { hits, inject } = await memory.recall('あの吊り橋、また渡りたいな。', { now: '2026-06-01T20:00' });
console.log(inject ? 'Worth injecting:' : 'Nothing worth injecting.');
for (const hit of hits) console.log(`  ${hit.relevance.padEnd(6)} ${hit.text}\n         ${hit.why.sentence}`);

// The text for the model's prompt, never longer than the budget.
const pack = await memory.pack('あの吊り橋、また渡りたいな。', {
  now: '2026-06-01T20:00',
  persona: 'あなたはソラ、はなの友だち。',
  budgetTokens: 400,
});
console.log(`\n${pack.text}\n(${pack.tokens} of ${pack.budgetTokens} tokens)`);

await memory.close();
await rm(dataDir, { recursive: true });
