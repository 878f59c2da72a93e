import { expect, test } from 'vitest';
import { openTestServer, type TestServer } from './testServer.ts';

const said = (text: string, conversationId = 'c') => ({ conversationId, speaker: 'user', text });

async function send({ request, token }: TestServer, key: string, ...turns: readonly object[]) {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const body = JSON.stringify({ turns });
  const answer = await request('/api/memories/default/turns', { method: 'POST', headers, body });
  return {
    status: answer.status,
    body: (await answer.json()) as { turns: { id: number; isNew: boolean }[] },
  };
}

async function kept({ client }: TestServer, conversationId = 'c'): Promise<string[]> {
  const { items } = await client.listTurns({ memoryId: 'default', conversationId });
  return items.map(({ text }) => text).toReversed();
}

test('turns sent again with the same Idempotency-Key are stored once, also at the same time', async () => {
  const server = openTestServer();
  const turns = [said('One.'), said('Two.'), said('Elsewhere.', 'd'), said('One.')];
  const answers = await Promise.all([1, 2, 3].map(() => send(server, 'k1', ...turns)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const [first, ...again] = answers.map(({ body }) => body.turns);
  for (const one of again) expect(one.map(({ id }) => id)).toEqual(first?.map(({ id }) => id));
  expect(again.flat().some(({ isNew }) => isNew)).toBe(false);
  expect(await kept(server)).toEqual(['One.', 'Two.', 'One.']);
  expect(await kept(server, 'd')).toEqual(['Elsewhere.']);

  await send(server, 'k2', said('One.'));
  expect(await kept(server)).toEqual(['One.', 'Two.', 'One.', 'One.']);
});

test('an interrupted request is completed when repeated, and different text is rejected', async () => {
  const server = openTestServer();
  expect((await send(server, 'k', said('One.'), said(' '))).status).toBe(400);
  expect((await send(server, 'k', said('One.'), said('Two.'))).status).toBe(200);
  expect(await kept(server)).toEqual(['One.', 'Two.']);
  expect(await send(server, 'k', said('Something else.'))).toMatchObject({
    status: 409,
    body: { code: 'TURN_CONFLICT', kept: [] },
  });
  expect(await kept(server)).toEqual(['One.', 'Two.']);
});
