import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { Connection } from './connections.ts';

/** A client whose answers are set by the test, with the methods that a connection uses. */
function clientOf(answer: () => Promise<object[]>) {
  const open = vi.fn<(onBreak: () => void) => never>();
  const client = { unsafe: answer, end: async () => {} };
  open.mockReturnValue(client as never);
  return { open, breakIt: () => open.mock.lastCall?.[0]() };
}

test('does not keep the results of statements', async () => {
  const answers: WeakRef<object>[] = [];
  const { open } = clientOf(async () => {
    const rows = [{ text: 'row' }];
    answers.push(new WeakRef(rows));
    return rows;
  });
  const connection = new Connection(open);
  for (let i = 0; i < 3; i += 1) await connection.send({ sql: 'SELECT 1' });
  setFlagsFromString('--expose-gc');
  const collectGarbage: unknown = runInNewContext('gc');
  await setImmediate();
  if (typeof collectGarbage === 'function') collectGarbage();
  expect(answers.map((answer) => answer.deref())).toEqual([undefined, undefined, undefined]);
  // It is still in use.
  expect(await connection.send({ sql: 'SELECT 1' })).toHaveLength(1);
});

test('rejects all work when it breaks, and opens another client', async () => {
  const { open, breakIt } = clientOf(() => new Promise<never>(() => {}));
  const connection = new Connection(open);
  const sent = connection.send({ sql: 'SELECT 1' });
  const body = connection.unlessBroken(new Promise<never>(() => {}));
  await setImmediate();
  breakIt();
  await expect(sent).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await expect(body).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(connection.breaks).toBe(1);
  void connection.send({ sql: 'SELECT 1' });
  await setImmediate();
  expect(open).toHaveBeenCalledTimes(2);
});
