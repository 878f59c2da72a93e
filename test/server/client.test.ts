import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Unit } from '../../src/engine/engine.ts';
import { createClient, ProblemError, type Client } from '../../src/serve/client.ts';
import { formatEvent } from '../../src/serve/sse.ts';

const SERVE = fileURLToPath(new URL('../../src/serve', import.meta.url));

/** A client of a server that returns this answer. */
function clientOf(answer: Response, asked: { url: string; init: RequestInit }[] = []): Client {
  const send = async (url: unknown, init?: RequestInit) => {
    asked.push({ url: url as string, init: init ?? {} });
    return answer;
  };
  return createClient({ baseUrl: 'http://omoide.example/', token: 'omoide_x', fetch: send });
}

function inPieces(bytes: Uint8Array, length: number, onCancel = () => {}): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + length));
      at += length;
    },
    cancel: onCancel,
  });
}

test('loads only the list of routes of the server', () => {
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const source = readFileSync(path, 'utf8');
    for (const [, specifier = ''] of source.matchAll(
      /^(?:import|export) (?!type\b)[^;]*?from '([^']+)';/gm,
    )) {
      expect(specifier).toMatch(/^\.\//);
      load(join(dirname(path), specifier));
    }
  };
  load(join(SERVE, 'client.ts'));
  const names = [...loaded].map((path) => relative(SERVE, path)).toSorted();
  expect(names).toEqual(['client.ts', 'clientStream.ts', 'routes.ts']);
});

test('puts the parts of a call into path, query, headers and body', async () => {
  const asked: { url: string; init: RequestInit }[] = [];
  const client = clientOf(Response.json({ items: [], nextCursor: null }), asked);
  await client.listTurns({ memoryId: 'm', conversationId: 'a b?', query: { limit: 5 } });
  await client
    .listUnits({ memoryId: 'm', query: { kinds: ['fact', 'loop'], pinned: true } })
    .catch(() => null);
  const signal = new AbortController().signal;
  await client
    .recall({ memoryId: 'm', body: { utterance: '山' } }, { signal, headers: { 'x-a': 'b' } })
    .catch(() => null);
  expect(asked.map(({ url }) => url)).toEqual([
    'http://omoide.example/api/memories/m/conversations/a%20b%3F/turns?limit=5',
    'http://omoide.example/api/memories/m/units?kinds=fact%2Cloop&pinned=true',
    'http://omoide.example/api/memories/m/recall',
  ]);
  expect(asked[0]?.init).toEqual({ method: 'GET', headers: { authorization: 'Bearer omoide_x' } });
  expect(asked[2]?.init).toEqual({
    method: 'POST',
    headers: { authorization: 'Bearer omoide_x', 'content-type': 'application/json', 'x-a': 'b' },
    body: '{"utterance":"山"}',
    signal,
  });
});

describe('an error of the server', () => {
  test('is thrown with its code and all its members', async () => {
    const problem = { code: 'VERSION_CONFLICT', detail: 'Read it again.', title: 'Version conflict' };
    const client = clientOf(Response.json(problem, { status: 409 }));
    const refused = await client.verifyMemory({ memoryId: 'm' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ProblemError);
    expect(refused).toMatchObject({
      status: 409,
      code: 'VERSION_CONFLICT',
      message: 'Read it again.',
      problem,
    });
  });

  test('is thrown, too, when it is not a problem document, and for streams', async () => {
    const client = clientOf(new Response('<h1>Bad gateway</h1>', { status: 502 }));
    await expect(client.chat({ body: { text: 'a' } }).next()).rejects.toMatchObject({
      status: 502,
      code: 'UNKNOWN',
    });
  });
});

describe('a stream', () => {
  test('gives the same events however it is split into chunks', async () => {
    const events = fc.array(
      fc.record({
        text: fc.string({ unit: fc.constantFrom('\n', '\r', 'あ', ':', ' ', 'data', '"', '🌉') }),
      }),
      { minLength: 1 },
    );
    const property = fc.asyncProperty(events, fc.integer({ min: 1, max: 50 }), async (given, length) => {
      const comment = new TextEncoder().encode(':\n\n');
      const bytes = Buffer.concat(given.flatMap((data) => [formatEvent({ event: 'token', data }), comment]));
      const client = clientOf(new Response(inPieces(bytes, length)));
      const read = await Array.fromAsync(client.chat({ body: { text: 'a' } }));
      expect(read).toEqual(given.map((data) => ({ event: 'token', id: null, data })));
    });
    await fc.assert(property, { numRuns: 50 });
  });

  test('ends when the caller stops reading', async () => {
    let isCancelled = false;
    const bytes = new TextEncoder().encode('{"a":1}\r\n{"b":2}\n'.repeat(100));
    const body = inPieces(bytes, 10, () => {
      isCancelled = true;
    });
    const lines: string[] = [];
    for await (const line of clientOf(new Response(body)).exportMemory({ memoryId: 'm' })) {
      lines.push(line);
      if (lines.length === 2) break;
    }
    expect(lines).toEqual(['{"a":1}', '{"b":2}']);
    expect(isCancelled).toBe(true);
  });

  test('may end without a final line break', async () => {
    const client = clientOf(new Response('one\ntwo'));
    expect(await Array.fromAsync(client.exportMemory({ memoryId: 'm' }))).toEqual(['one', 'two']);
  });
});

test('has the types of the table of operations', () => {
  expectTypeOf<Awaited<ReturnType<Client['readUnit']>>>().toExtend<Unit>();
  expectTypeOf<Parameters<Client['readUnit']>[0]>().toExtend<{ memoryId: string; unitId: number }>();
  expectTypeOf<ReturnType<Client['createChatCompletion']>>().toEqualTypeOf<Promise<Response>>();
  expectTypeOf<ReturnType<Client['notify']>>().toEqualTypeOf<Promise<void>>();
  // @ts-expect-error -- a body is needed
  const withoutBody = (client: Client) => client.recall({ memoryId: 'm' });
  // @ts-expect-error -- there is no such kind
  const oddKind = (client: Client) => client.listUnits({ memoryId: 'm', query: { kinds: ['dream'] } });
  expect([withoutBody, oddKind]).toHaveLength(2);
});
