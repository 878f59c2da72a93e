import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from './connection.ts';
import { Hosts } from './hosts.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const never = () => new Promise<never>(() => {});
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A connection whose answers are set by the test. A new client's first statement asks whether the server runs. */
function connectionWith(
  answer: (sql: string, url: string) => Promise<object[]>,
  urls = ['db1'],
  hosts = new Hosts(urls, CONNECT_TIMEOUT_MS),
) {
  const open = vi.fn<(url: string, onBreak: () => void) => never>((url) => {
    const client = { unsafe: (sql: string) => answer(sql, url), end: async () => {} };
    return client as never;
  });
  const connection = new Connection({ hosts, open });
  const tried = () => open.mock.calls.map(([url]) => url);
  return { connection, open, tried, breakIt: () => open.mock.lastCall?.[1]() };
}

const isProbe = (sql: string) => sql === 'SELECT 1';

function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('does not keep the results of statements', async () => {
  const answers: WeakRef<object>[] = [];
  const { connection } = connectionWith(async (sql) => {
    const rows = [{ text: 'row' }];
    if (!isProbe(sql)) answers.push(new WeakRef(rows));
    return rows;
  });
  for (let i = 0; i < 3; i += 1) await connection.send({ sql: 'SELECT 2' });
  setFlagsFromString('--expose-gc');
  const collectGarbage: unknown = runInNewContext('gc');
  await setImmediate();
  if (typeof collectGarbage === 'function') collectGarbage();
  expect(answers.map((answer) => answer.deref())).toEqual([undefined, undefined, undefined]);
  // It is still in use.
  expect(await connection.send({ sql: 'SELECT 2' })).toHaveLength(1);
});

test('rejects all work when it breaks, and opens another client', async () => {
  const { connection, open, breakIt } = connectionWith(async (sql) => (isProbe(sql) ? [] : never()));
  const sent = connection.send({ sql: 'SELECT 2' });
  const body = connection.unlessBroken(never());
  await setImmediate();
  breakIt();
  await expect(sent).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await expect(body).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(connection.breaks).toBe(1);
  void connection.send({ sql: 'SELECT 2' });
  await setImmediate();
  expect(open).toHaveBeenCalledTimes(2);
});

test('tries each host once, and names all when none can be used', async () => {
  const codes: Record<string, string> = { db1: 'ECONNREFUSED', db2: 'CONNECTION_DESTROYED' };
  const { connection, tried } = connectionWith(
    async (_sql, url) => {
      throw failure(codes[url] ?? '');
    },
    ['db1', 'db2'],
  );
  const sent = connection.send({ sql: 'SELECT 2' });
  await expect(sent).rejects.toMatchObject({ code: 'UNREACHABLE', message: /db1.*db2/ });
  expect(tried()).toEqual(['db1', 'db2']);
});

test('goes on to the next host when one never answers, and stays with it', async () => {
  useFakeTimers();
  const { connection, tried, breakIt } = connectionWith(
    async (sql, url) => (url === 'db1' ? never() : [{ sql }]),
    ['db1', 'db2'],
  );
  const sent = connection.send({ sql: 'SELECT 2' });
  await vi.advanceTimersByTimeAsync(CONNECT_TIMEOUT_MS + 1_000);
  expect(await sent).toEqual([{ sql: 'SELECT 2' }]);
  breakIt();
  await connection.send({ sql: 'SELECT 3' });
  expect(tried()).toEqual(['db1', 'db2', 'db2']);
});

test('leaves a host when another connection found that another one is writable', async () => {
  const urls = ['db1', 'db2'];
  const hosts = new Hosts(urls, CONNECT_TIMEOUT_MS);
  const { connection, tried } = connectionWith(async () => [], urls, hosts);
  await connection.send({ sql: 'SELECT 2' });
  const begun = connection.breaks;
  hosts.noteConnected('db2');
  await connection.send({ sql: 'SELECT 3' }, begun);
  expect(tried()).toEqual(['db1']);
  await connection.send({ sql: 'SELECT 4' });
  expect(tried()).toEqual(['db1', 'db2']);
  await expect(connection.send({ sql: 'SELECT 5' }, begun)).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
  });
});

test('an error of the server itself ends the search', async () => {
  const { connection, tried } = connectionWith(async () => {
    throw failure('28P01');
  }, ['db1', 'db2']);
  await expect(connection.send({ sql: 'SELECT 2' })).rejects.toMatchObject({ code: '28P01' });
  expect(tried()).toEqual(['db1']);
});

test.each([
  ['is waited for while the server runs', true],
  ['is given up when the server does not answer at all', false],
])('a statement without an answer %s', async (_, isRunning) => {
  useFakeTimers();
  let clients = 0;
  const hosts = new Hosts(['db1', 'db2'], CONNECT_TIMEOUT_MS);
  const answer = async (sql: string) => {
    if (!isProbe(sql)) return never();
    clients += 1;
    if (clients > 1 && !isRunning) throw failure('CONNECT_TIMEOUT');
    return [];
  };
  const { connection, open } = connectionWith(answer, ['db1', 'db2'], hosts);
  let outcome = 'waiting';
  const sent = connection.send({ sql: 'SELECT 2' }).catch((error: unknown) => {
    outcome = error instanceof Error && 'code' in error ? String(error.code) : '';
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(outcome).toBe(isRunning ? 'waiting' : 'CONNECTION_CLOSED');
  expect(open.mock.calls.length).toBeGreaterThan(2);
  if (isRunning) return;
  await sent;
  expect(hosts.current).toBe('db2');
});
