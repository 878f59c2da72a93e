import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { loadConsole } from '../../src/serve/console.ts';
import { SIGN_IN_LIFE_MS } from '../../src/serve/signIn.ts';
import { MAX_STREAMS } from '../../src/serve/streamLimit.ts';
import { temporaryFolder } from '../temporary.ts';
import { openTestServer, startTestServer } from './testServer.ts';

const unauthorized = expect.objectContaining({ status: 401 }) as Error;

describe('signing in by link', () => {
  test('a code gives a token, once', async () => {
    const { parts, client, clientOf } = openTestServer();
    const body = { code: parts.signIn.createCode() };
    const { token } = await client.signIn({ body });
    expect((await clientOf(token).listMemories()).items).toEqual([]);
    await expect(client.signIn({ body })).rejects.toEqual(unauthorized);
  });

  test('an old or unknown code gives none', async () => {
    let now = 1_000_000;
    const { parts, client } = openTestServer({ now: () => now });
    const code = parts.signIn.createCode();
    now += SIGN_IN_LIFE_MS;
    await expect(client.signIn({ body: { code } })).rejects.toEqual(unauthorized);
    await expect(client.signIn({ body: { code: 'x' } })).rejects.toEqual(unauthorized);
  });

  test('signing out revokes the token of this browser, and no other', async () => {
    const { parts, client, clientOf, token, settings } = openTestServer();
    const browsers = [];
    for (let i = 0; i < 2; i += 1)
      browsers.push((await client.signIn({ body: { code: parts.signIn.createCode() } })).token);
    const [first = '', second = ''] = browsers;
    await clientOf(first).signOut();
    await expect(clientOf(first).listMemories()).rejects.toEqual(unauthorized);
    await clientOf(token).signOut();
    expect(settings.tokens.verify(token)).not.toBeNull();
    expect(settings.tokens.verify(second)).not.toBeNull();
  });

  test('keeps at most 20 tokens of browsers', async () => {
    const { parts, client, settings } = openTestServer();
    for (let i = 0; i < 25; i += 1) await client.signIn({ body: { code: parts.signIn.createCode() } });
    expect(settings.tokens.list().filter(({ name }) => name === 'console')).toHaveLength(20);
  });

  test('the link has the code in its fragment, and the log never contains it', async () => {
    const { running, request, log } = await startTestServer();
    const link = new URL(running.createSignInLink());
    expect(link.pathname + link.search).toBe('/');
    const code = new URLSearchParams(link.hash.slice(1)).get('code') ?? '';
    const answer = await request('/api/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    expect(answer.status).toBe(201);
    expect(log.join('\n')).not.toContain(code);
  });
});

describe('the files of the console', () => {
  const build = () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html>');
    writeFileSync(join(folder, 'assets', 'main-1a2b.js'), 'void 0');
    return loadConsole(folder);
  };

  test('every page is the index, with a policy that loads nothing from elsewhere', async () => {
    const pages = build();
    for (const path of ['/', '/m/default/facts']) {
      const answer = pages.answer(path);
      expect(await answer.text()).toBe('<!doctype html>');
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    }
  });

  test('files with a hash in their name are cached by browsers', () => {
    const pages = build();
    expect(pages.paths).toContain('/assets/main-1a2b.js');
    const { headers } = pages.answer('/assets/main-1a2b.js');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toContain('immutable');
  });

  test('says when the console was not built', () => {
    const pages = loadConsole(join(temporaryFolder(), 'nowhere'));
    expect(() => pages.answer('/')).toThrow('not built');
  });
});

describe('changes', () => {
  test('a burst of changes gives one event, and changes of another memory give none', async () => {
    const { client } = openTestServer();
    const say = (memoryId: string) =>
      client.ingestTurns({
        memoryId,
        body: { turns: [{ conversationId: 'c', speaker: 'user', text: '海を見た。' }] },
      });
    await say('a');
    const heard: string[] = [];
    for await (const { event } of client.followChanges({ memoryId: 'a' })) {
      heard.push(event);
      if (event === 'changed') break;
      await say('b');
      await client.recall({ memoryId: 'a', body: { utterance: '海' } });
      await Promise.all([say('a'), say('a'), say('a')]);
    }
    expect(heard).toEqual(['ready', 'changed']);
  });

  test('a token may open a limited number of streams', async () => {
    const { client } = openTestServer();
    await client.ingestTurns({
      memoryId: 'a',
      body: { turns: [{ conversationId: 'c', speaker: 'user', text: '海を見た。' }] },
    });
    const streams = Array.from({ length: MAX_STREAMS }, () => client.followChanges({ memoryId: 'a' }));
    const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
    for (const iterator of iterators) await iterator.next();
    const more = client.followChanges({ memoryId: 'a' })[Symbol.asyncIterator]();
    await expect(more.next()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await iterators[0]?.return?.();
    await vi.waitFor(async () => {
      const next = client.followChanges({ memoryId: 'a' })[Symbol.asyncIterator]();
      expect(await next.next()).toMatchObject({ value: { event: 'ready' } });
      iterators.push(next);
    });
    for (const iterator of iterators) await iterator.return?.();
  });
});
