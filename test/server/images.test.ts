import { expect, test } from 'vitest';
import { startOpenAiServer as start, type OpenAiServer } from './openAiServer.ts';

const BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==';
const URL_OF_DOT = `data:image/png;base64,${BASE64}`;
const DOT = new File([Buffer.from(BASE64, 'base64')], 'dot.png', { type: 'application/octet-stream' });

function post({ request, token }: OpenAiServer, path: string, body: FormData | object): Promise<Response> {
  const isForm = body instanceof FormData;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(!isForm && { 'content-type': 'application/json' }),
  };
  return request(path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) });
}

function formOf(fields: Readonly<Record<string, string | File | readonly File[]>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of Array.isArray(value) ? (value as readonly File[]) : [value as string | File])
      form.append(name, one);
  return form;
}

test.each<[string, object, object?]>([
  ['data URLs', { text: 'Look!', images: [URL_OF_DOT] }],
  ['objects', { text: 'Look!', images: [{ type: 'data_uri', base64: BASE64 }] }],
  ['objects that hold a data URL', { user_text: 'Look!', images: [{ base64: URL_OF_DOT }] }],
  ['files of a form', formOf({ text: 'Look!', images: DOT })],
  [
    'files of a form with all its fields',
    formOf({
      user_text: 'Look!',
      conversationId: 'c1',
      images: [DOT, DOT],
      remember: 'false',
      deepTimeLimitMs: '1000',
      client_context: '{"program":"paint"}',
    }),
    { remember: false, clientContext: { program: 'paint' } },
  ],
])('a chat takes images as %s', async (_how, body, meta: object = {}) => {
  const server = await start();
  server.model.answer(() => 'A red dot.');
  const answer = await (await post(server, '/api/chat', body)).text();
  expect(answer).toContain('event: done');
  const count = body instanceof FormData ? body.getAll('images').length : 1;
  const [asked] = server.model.chats;
  expect(JSON.stringify(asked).split(`"url":"${URL_OF_DOT}"`)).toHaveLength(count + 1);
  const { items } = await server.client.listTurns({
    memoryId: 'default',
    conversationId: (await server.client.listConversations({ memoryId: 'default' })).items[0]!.conversationId,
  });
  const said = items.find(({ speaker }) => speaker === 'user');
  expect(said).toMatchObject({ text: 'Look!', meta: { images: count, ...meta } });
});

test('notifications and meta requests accept forms, too', async () => {
  const server = await start();
  server.model.answer(() => 'Look at that.');
  const notification = formOf({ from: 'camera', message: 'Somebody is at the door.', images: DOT });
  expect((await post(server, '/api/v1/notification', notification)).status).toBe(204);
  const request = formOf({ prompt: 'Say what you see.', images: DOT });
  expect((await post(server, '/api/v1/meta_request', request)).status).toBe(204);
});

test.each([
  ['/api/chat', formOf({ text: 'Hi.', files: DOT }), 400, 'use “images” for files'],
  ['/api/chat', formOf({ text: 'Hi.', other: 'x' }), 400, 'other'],
  ['/api/chat', formOf({ text: 'Hi.', remember: 'perhaps' }), 400, '/remember'],
  ['/api/chat', formOf({ text: 'Hi.', images: new File(['no image'], 'a.png') }), 400, '/images'],
  ['/api/chat', { text: 'Hi.', images: [{ base64: 'bm8gaW1hZ2U=' }] }, 400, '/images'],
  ['/api/chat', { text: 'Hi.', images: [{ url: URL_OF_DOT }] }, 400, '/images'],
  ['/api/memories/default/units', formOf({ text: 'Hi.' }), 415, 'application/json'],
])('%s rejects what it cannot read (%#)', async (path, body, status, words) => {
  const server = await start();
  const answer = await post(server, path, body);
  expect(answer.status).toBe(status);
  expect(await answer.text()).toContain(words);
  expect((await server.client.listMemories()).items).toEqual([]);
});

test('an incomplete form is rejected', async () => {
  const server = await start();
  const headers = {
    authorization: `Bearer ${server.token}`,
    'content-type': 'multipart/form-data; boundary=x',
  };
  const body = '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nHi';
  const answer = await server.request('/api/chat', { method: 'POST', headers, body });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('is not a valid form');
});
