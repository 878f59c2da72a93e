import { describe, expect, test } from 'vitest';
import { openTestServer, startTestServer, type TestServer } from './testServer.ts';

const MEMORY = { memoryId: 'default' };
/** An export is read in pages of 1,000. */
const MORE_THAN_A_PAGE = 1_100;

async function fill({ client }: TestServer, count: number): Promise<void> {
  const turns = Array.from({ length: count }, (_, i) => ({
    conversationId: `c${i % 4}`,
    speaker: i % 2 ? 'ai' : 'user',
    text: `吊り橋の話 ${i} \u2028 “quoted”\n次の行`,
    occurredAt: Date.UTC(2026, 0, 1) + i * 1_000,
    meta: { i },
  }));
  for (let at = 0; at < count; at += 200) {
    await client.ingestTurns({ ...MEMORY, body: { turns: turns.slice(at, at + 200) } });
  }
}

async function exportText({ client }: TestServer, memoryId = 'default'): Promise<string> {
  const lines = await Array.fromAsync(client.exportMemory({ memoryId }));
  return lines.map((line) => `${line}\n`).join('');
}

const withoutMemoryId = (text: string) => text.replace(/"memoryId":"\w+",/, '');

test('an export that is imported on another server gives the same memory with the same chain', async () => {
  const from = await startTestServer();
  await fill(from, MORE_THAN_A_PAGE);
  const exported = await exportText(from);
  const to = await startTestServer({ timeZone: 'Europe/Paris' });
  const report = await to.client.importMemory({ memoryId: 'copy', body: exported });
  expect(report).toEqual({
    read: MORE_THAN_A_PAGE,
    added: MORE_THAN_A_PAGE,
    known: 0,
    problems: [],
    problemCount: 0,
  });
  expect(withoutMemoryId(await exportText(to, 'copy'))).toBe(withoutMemoryId(exported));
  expect((await to.client.readStats({ memoryId: 'copy' })).timeZone).toBe('Asia/Tokyo');
  const [here, there] = [
    await from.client.verifyMemory(MEMORY),
    await to.client.verifyMemory({ memoryId: 'copy' }),
  ];
  expect(there.chainHead).toBe(here.chainHead);
  const again = await to.client.importMemory({ memoryId: 'copy', body: exported });
  expect(again).toMatchObject({ added: 0, known: MORE_THAN_A_PAGE });
});

test('the body limit does not apply to an import', async () => {
  const server = openTestServer({ bodyLimitBytes: 10_000 });
  await fill(server, 20);
  const exported = await exportText(server);
  const [header = '', ...lines] = exported.split('\n');
  const long = [header, ...Array.from({ length: 60 }, () => lines[0]), ...lines].join('\n');
  expect(long.length).toBeGreaterThan(10_000);
  const report = await server.client.importMemory({ memoryId: 'copy', body: long });
  expect(report).toMatchObject({ added: 20, known: 60 });
});

describe('a damaged import', () => {
  test('stores the valid lines, and reports the others by line number', async () => {
    const server = openTestServer();
    await fill(server, 5);
    const lines = (await exportText(server)).split('\n');
    lines.splice(3, 1, '{"conversationId":', '{"speaker":"user"}');
    const report = await server.client.importMemory({
      memoryId: 'copy',
      body: lines.slice(0, -2).join('\n'),
    });
    expect(report).toMatchObject({ added: 4, problemCount: 3 });
    expect(report.problems.map(({ line }) => line)).toEqual([4, 5, null]);
  });

  test('is detected by the chain when it was changed', async () => {
    const server = openTestServer();
    await fill(server, 3);
    const changed = (await exportText(server)).replace('吊り橋の話 1', '吊り橋の話 9');
    await expect(server.client.importMemory({ memoryId: 'copy', body: changed })).rejects.toMatchObject({
      status: 422,
      code: 'CHAIN_BROKEN',
    });
  });

  test.each([
    '',
    'a file that is not an export',
    '{"role":"user","content":"hi"}\n',
    '{"omoide":3,"timeZone":"UTC"}\n',
  ])('is rejected, and creates nothing: %j', async (body) => {
    const server = openTestServer();
    await expect(server.client.importMemory({ memoryId: 'copy', body })).rejects.toMatchObject({
      status: 400,
    });
    expect((await server.client.listMemories()).items).toEqual([]);
  });

  test('is rejected with an unknown time zone, or another media type', async () => {
    const server = openTestServer();
    const body = '{"omoide":1,"memoryId":"m","timeZone":"Mars/Olympus"}\n';
    await expect(server.client.importMemory({ memoryId: 'copy', body })).rejects.toMatchObject({
      status: 400,
    });
    const headers = { 'content-type': 'application/json' };
    await expect(server.client.importMemory({ memoryId: 'copy', body }, { headers })).rejects.toMatchObject({
      status: 415,
    });
  });

  test('with an endless line is not read into memory', async () => {
    const server = openTestServer();
    let sent = 0;
    const piece = new TextEncoder().encode('x'.repeat(1_048_576));
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 100) controller.close();
        else controller.enqueue(piece);
      },
    });
    await expect(server.client.importMemory({ memoryId: 'copy', body })).rejects.toMatchObject({
      status: 400,
    });
    expect(sent).toBeLessThan(40);
  });
});

test('releases the memory when the reader of an export disconnects', async () => {
  const server = openTestServer();
  await fill(server, MORE_THAN_A_PAGE);
  for await (const line of server.client.exportMemory(MEMORY)) {
    expect(line).toContain('"omoide":2');
    break;
  }
  await server.parts.memories.stop(1_000);
  expect(server.log.filter((line) => line.includes('INTERNAL'))).toEqual([]);
});

test('an export is a file named after its memory, which also answers HEAD', async () => {
  const server = openTestServer();
  await fill(server, 2);
  const headers = { authorization: `Bearer ${server.token}` };
  const response = await server.request('/api/memories/default/export', { headers });
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="default.jsonl"');
  await response.text();
  const head = await server.request('/api/memories/default/export', { method: 'HEAD', headers });
  expect(head.status).toBe(405);
  expect((await server.request('/api/memories/default', { method: 'HEAD', headers })).status).toBe(200);
});
