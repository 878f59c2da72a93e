import { describe, expect, test } from 'vitest';
import { openTestServer } from './testServer.ts';

const FILE = ['speaker,text', 'user,海を見た。', 'ai,', 'user,また行きたい。'].join('\n');

describe('an uploaded file', () => {
  test('is only previewed in a dry run: no memory is created', async () => {
    const { client } = openTestServer();
    const query = { name: 'sea.csv', dryRun: true };
    const events = await Array.fromAsync(client.importFile({ memoryId: 'm', query, body: FILE }));
    expect(events.at(-1)).toMatchObject({
      event: 'found',
      data: {
        format: 'messages-csv',
        turns: 2,
        conversations: 1,
        samples: [{ speaker: 'user', text: '海を見た。' }, { text: 'また行きたい。' }],
        problemCount: 1,
        problems: [{ line: 3, code: 'EMPTY_TEXT' }],
      },
    });
    expect((await client.listMemories()).items).toEqual([]);
  });

  test('is imported once, with progress', async () => {
    const { client } = openTestServer();
    const lines = Array.from({ length: 600 }, (_, i) => `user,${i} 番目の話`);
    const input = { memoryId: 'm', query: { name: 'many.csv' }, body: ['speaker,text', ...lines].join('\n') };
    const events = await Array.fromAsync(client.importFile(input));
    const read = events.flatMap(({ event, data }) => (event === 'progress' ? [data.read] : []));
    expect(read.length).toBeGreaterThan(1);
    expect(read).toEqual(read.toSorted((a, b) => a - b));
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { added: 600, known: 0, problemCount: 0 } });
    const again = await Array.fromAsync(client.importFile(input));
    expect(again.at(-1)).toMatchObject({ event: 'done', data: { added: 0, known: 600 } });
    expect((await client.listConversations({ memoryId: 'm' })).items[0]?.conversationId).toBe('many');
  });

  test('of an unknown format is rejected before any progress is sent', async () => {
    const { client } = openTestServer();
    const input = { memoryId: 'm', query: { name: '../../x', dryRun: true }, body: 'just words' };
    await expect(Array.fromAsync(client.importFile(input))).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
  });
});
