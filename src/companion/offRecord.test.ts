import { describe, expect, test } from 'vitest';
import { messagesOf, openRig } from '../../test/companion/rig.ts';
import { offRecordIn } from './offRecord.ts';

test.each([
  ['This is off the record: I hate my boss.', 'this'],
  ["Please don't remember this.", 'this'],
  ['Forget what I just said.', 'before'],
  ["I don't remember that.", null],
  ['I really don’t remember it', null],
  ['Remember this!', null],
  ['これは覚えないで。実は会社を辞めるんだ。', 'this'],
  ['今のは覚えないでね', 'before'],
  ['オフレコだけど、昇進した', 'this'],
  ['傘を忘れてきた', null],
  ['覚えておいてね', null],
  ['别记这个，我要辞职了', 'this'],
  ['刚才的不要记', 'before'],
  ['别记错时间', null],
  ['记住这个', null],
])('%s', (text, expected) => {
  expect(offRecordIn(text)).toBe(expected);
});

describe('off-the-record commands', () => {
  test.each([
    ['by its text', { text: 'Off the record: my PIN hint is the lighthouse.' }],
    ['by a flag', { text: 'My PIN hint is the lighthouse.', remember: false }],
    ['in an incognito conversation', { text: 'My PIN hint is the lighthouse.', incognito: true }],
  ])('%s: the turn is stored for its own conversation only and is not recalled', async (_, request) => {
    const rig = await openRig();
    rig.model.reply('Understood.', 'I remember, for now.', 'No idea.');
    const heard = await rig.chat({ conversationId: 'c', ...request });
    expect(heard.end?.data).toMatchObject({ remembered: false });
    await rig.chat({ conversationId: 'c', text: 'What was the hint?' });
    expect(JSON.stringify(messagesOf(rig.model))).toContain('lighthouse');
    await rig.chat({
      conversationId: 'other',
      text: 'What is my PIN hint, the lighthouse?',
      withMemory: true,
    });
    expect(JSON.stringify(messagesOf(rig.model).slice(0, -1))).not.toContain('lighthouse');
    const turns = await rig.memory.conversations.recent('c', 9);
    expect(turns.slice(0, 2).map(({ meta }) => meta['remember'])).toEqual([false, false]);
    const archived = await rig.memory.units.list({ states: ['archived'], withArchived: true }, { limit: 9 });
    expect(archived.length).toBeGreaterThanOrEqual(2);
  });

  test('incognito mode lasts until the user ends it', async () => {
    const rig = await openRig();
    rig.model.answer(() => 'ok');
    const remembered = [];
    for (const more of [{ incognito: true }, {}, { incognito: false }, {}]) {
      const { end } = await rig.chat({ conversationId: 'c', text: 'Hello again.', ...more });
      remembered.push(end?.type === 'done' && end.data.remembered);
    }
    expect(remembered).toEqual([false, false, true, true]);
  });

  test('“forget what I just said” also removes the exchange before it', async () => {
    const rig = await openRig();
    rig.model.answer(() => 'ok');
    await rig.chat({ conversationId: 'c', text: 'My sister Mia is pregnant.' });
    await rig.chat({ conversationId: 'c', text: 'Forget what I just said.' });
    const { hits } = await rig.memory.recall('Is Mia pregnant?');
    expect(hits).toEqual([]);
  });
});
