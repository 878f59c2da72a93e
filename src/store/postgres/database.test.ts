import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from './database.ts';

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A server that accepts connections and closes them at once, like a proxy without a server behind it. */
async function closingPort(): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('hosts that cannot be reached at the start are reported after connect_timeout, all of them', async () => {
  const [closed, closing] = [await closedPort(), await closingPort()];
  const hosts = `127.0.0.1:${closed},127.0.0.1:${closing}`;
  const db = connect(`postgres://hana:sesame@${hosts}/memories?connect_timeout=1`);
  onTestFinished(() => db.close());
  const expected = new RegExp(`^(?!.*sesame).*127.0.0.1:${closed}: no server.*127.0.0.1:${closing}: `);
  const works = [() => db.read(() => db.sql.unsafe('SELECT 1')), () => db.direct.queryAgain('SELECT 1')];
  for (const work of works) {
    await expect(work()).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringMatching(expected) as string,
    });
  }
});
