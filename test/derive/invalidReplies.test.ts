import { expect, onTestFinished, test } from 'vitest';
import { internals, openLanguageModel, openMemory } from '../../src/engine/engine.ts';
import { startScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { temporaryFolder } from '../temporary.ts';

test('stops asking a model whose replies never match the schema, and learns by rules instead', async () => {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  model.answer(() => 'Sure! Here is everything you asked for: {{{');
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    embedder: { provider: 'hashed' },
    model: openLanguageModel({ provider: 'endpoint', url: model.url, model: 'm', retries: 0 }),
    worker: false,
  });
  onTestFinished(() => memory.close());
  for (let nth = 0; nth < 12; nth += 1) {
    const text = nth === 11 ? 'I live in Osaka.' : `Today I saw bird number ${nth}.`;
    await memory.add({ conversationId: 'c', speaker: 'user', text });
    await memory.add({ conversationId: 'c', speaker: 'ai', text: 'How nice.' });
    await internals(memory).settle();
  }
  // Three requests, each followed by one repair.
  expect(model.chats).toHaveLength(6);
  expect(memory.jobs.outages()).toMatchObject([{ kind: 'learn' }]);
  expect(await memory.jobs.count()).toMatchObject({ running: 0, failed: 0 });
  const facts = await memory.units.list({ kinds: ['fact'] }, { limit: 10 });
  expect(facts).toMatchObject([{ payload: { object: 'Osaka' }, source: 'extract_facts:rules' }]);
});
