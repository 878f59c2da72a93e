import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { post, readWhole } from './post.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const outgoing = () => ({
  headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
  body: '{"words":"やあ"}',
  signal: new AbortController().signal,
});
const text = async (answer: Awaited<ReturnType<typeof post>>) =>
  Buffer.from(await readWhole(answer)).toString();

/** Returns the received body and headers. */
const echo: RequestListener = (request, response) => {
  void (async () => {
    const pieces = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const { authorization = null, 'content-length': length } = request.headers;
    response.end(JSON.stringify({ body: Buffer.concat(pieces).toString(), authorization, length }));
  })();
};

test('sends the body unchanged, and returns status, headers and pieces', async () => {
  const url = await serve((request, response) => {
    response.setHeader('x-twice', ['1', '2']);
    echo(request, response);
  });
  const answer = await post(`${url}/v1/chat`, outgoing());
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-twice')).toBe('1, 2');
  expect(JSON.parse(await text(answer))).toEqual({
    body: '{"words":"やあ"}',
    authorization: 'Bearer k',
    length: '18',
  });
});

test.each([307, 308])(
  'follows a redirect with status %i, and sends the key to the same server only',
  async (status) => {
    const other = await serve(echo);
    const url = await serve((request, response) => {
      if (request.url === '/here') return echo(request, response);
      const location = request.url === '/near' ? '/here' : `${other}/there`;
      response.writeHead(status, { location }).end();
    });
    expect(JSON.parse(await text(await post(`${url}/near`, outgoing())))).toMatchObject({
      body: '{"words":"やあ"}',
      authorization: 'Bearer k',
    });
    expect(JSON.parse(await text(await post(`${url}/far`, outgoing())))).toMatchObject({
      body: '{"words":"やあ"}',
      authorization: null,
    });
  },
);

test('stops at redirect loops and at redirects that would change the request', async () => {
  const url = await serve((request, response) => {
    response.writeHead(request.url === '/moved' ? 301 : 307, { location: request.url }).end();
  });
  expect((await post(`${url}/round`, outgoing())).status).toBe(307);
  expect((await post(`${url}/moved`, outgoing())).status).toBe(301);
});

test('disconnects when the rest of the response is not read', async () => {
  const left = Promise.withResolvers<void>();
  const url = await serve((_request, response) => {
    response.on('close', () => left.resolve());
    response.write('first');
  });
  const answer = await post(url, outgoing());
  expect(Buffer.from((await answer.pieces.next()).value ?? []).toString()).toBe('first');
  answer.leave();
  await expect(left.promise).resolves.toBeUndefined();
});
