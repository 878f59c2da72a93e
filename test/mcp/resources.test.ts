import { describe, expect, test } from 'vitest';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary.ts';
import { connect, openAgent, openTestMemory } from './rig.ts';

const FILES = { 'journal/2026-03-01.md': '- walked\n', 'user/好み.md': '# お茶\n\n- 緑茶\n' };

describe('resources', () => {
  test('note files are listed and read, whatever their names', async () => {
    const { client } = await openAgent(FILES);
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(Object.keys(FILES));
    for (const { uri, name } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: FILES[name as keyof typeof FILES] }]);
    }
  });

  test('returns the pack for an utterance', async () => {
    const memory = await openTestMemory();
    await memory.add({ conversationId: 'c1', speaker: 'user', text: 'Hana is allergic to peanuts.' });
    const { client } = await connect(memory);
    const uri = `omoide://pack/${encodeURIComponent('What/can Hana eat?')}`;
    const { contents } = await client.readResource({ uri });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('peanuts') as string });
  });

  test('the pack contains the preferences in the notes', async () => {
    const { client } = await openAgent({ 'user/preferences.md': '# 好み\n\n- 辛いものは苦手\n' });
    const { contents } = await client.readResource({
      uri: `omoide://pack/${encodeURIComponent('夕食は何にしよう')}`,
    });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('辛いものは苦手') as string });
  });

  test.each([
    ['omoide://notes/gone.md', -32_602, /not found/i],
    ['omoide://notes/..%2F..%2Fx.md', -32_602, /OUTSIDE_ROOT/],
    ['omoide://notes/../../x.md', -32_602, /OUTSIDE_ROOT|not found/i],
    ['omoide://notes/%2Fetc%2Fx.md', -32_602, /OUTSIDE_ROOT/],
    ['omoide://notes/%E5%A5', -32_602, /encoded/],
    ['omoide://pack/%20', -32_602, /EMPTY_TEXT/],
    ['omoide://nothing/x', -32_602, /not found/i],
    ['an invalid address', -32_602, /invalid/i],
  ])('rejects %s', async (uri, code, message) => {
    const { client } = await openAgent(FILES);
    await expect(client.readResource({ uri })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  test('a link that leads out of the folder is neither listed nor followed', async () => {
    const outside = join(temporaryFolder(), 'theirs.md');
    writeFileSync(outside, 'not yours');
    const { client, notes } = await openAgent(FILES);
    symlinkSync(outside, join(notes.path, 'link.md'));
    await expect(client.readResource({ uri: 'omoide://notes/link.md' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringMatching(/^OUTSIDE_ROOT: /) as string,
    });
    const { resources } = await client.listResources();
    expect(resources.map(({ name }) => name)).toEqual(Object.keys(FILES));
  });

  test('completes the beginning of a name', async () => {
    const { client } = await openAgent(FILES);
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'omoide://notes/{+uri}' },
      argument: { name: 'uri', value: 'user/' },
    });
    expect(completion.values).toEqual(['user/好み.md']);
  });

  test('without notes there are no resources, and the tools are still there', async () => {
    const { client } = await connect(await openTestMemory());
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'omoide://notes/{+uri}',
      'omoide://pack/{utterance}',
    ]);
  });
});

describe('prompts', () => {
  const NAMES = {
    remember_this: 'text',
    what_do_you_know_about: 'about',
    recall_before_answering: 'question',
  };

  test('are listed', async () => {
    const { client } = await connect(await openTestMemory());
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(Object.keys(NAMES));
  });

  test.each([
    ['お茶が好き', undefined, /覚え|思い出|記憶/],
    ['我喜欢喝茶', undefined, /记/],
    ['I like tea', undefined, /memor|remember/i],
    ['I like tea', 'ja', /覚え|思い出|記憶/],
    ['お茶', 'zh', /记/],
  ])('use the language of “%s” (%s)', async (words, language, expected) => {
    const { client } = await connect(await openTestMemory());
    for (const [name, argument] of Object.entries(NAMES)) {
      const args = { [argument]: words, ...(language !== undefined && { language }) };
      const { messages } = await client.getPrompt({ name, arguments: args });
      const [message] = messages;
      const { text } = message!.content as { text: string };
      expect(text).toMatch(expected);
      expect(text).toContain(words);
    }
  });

  test('what_do_you_know_about returns what is known', async () => {
    const memory = await openTestMemory();
    await memory.add({
      conversationId: 'c1',
      speaker: 'user',
      text: 'ハナはピーナッツが食べられない。',
    });
    const { client } = await connect(memory);
    const { messages } = await client.getPrompt({
      name: 'what_do_you_know_about',
      arguments: { about: 'ハナの食べ物' },
    });
    expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('ピーナッツ') as string });
  });

  test('reject unknown names and wrong arguments', async () => {
    const { client } = await connect(await openTestMemory());
    await expect(client.getPrompt({ name: 'remember_this', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
    });
    await expect(
      client.getPrompt({ name: 'remember_this', arguments: { text: 'x', language: 'fr' } }),
    ).rejects.toMatchObject({ code: -32_602 });
  });
});
