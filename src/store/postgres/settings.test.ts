import { createServer, type AddressInfo, type Socket } from 'node:net';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { connectionOptions, parseStoreUrl } from './settings.ts';

test.each([
  ['postgres://db.example.com/x', true],
  ['postgres://0.0.0.0/x', true],
  ['postgres://localhost,db2/x', true],
  ['postgres://localhost/x?direct=db:5432', true],
  ['postgres://localhost:5433/x', false],
  ['postgres://127.0.0.3,[::1]:5433/x', false],
  ['postgres://db.example.com/x?sslmode=disable', false],
  ['postgres://localhost/x?sslmode=verify-full', true],
])('%s verifies the certificate: %s', (url, isVerified) => {
  const { tls } = parseStoreUrl(url);
  expect(typeof tls === 'object' ? true : tls).toBe(isVerified);
});

test.each(['sslmode=prefer', 'sslmode=allow', 'sslmode=', 'ssl=true'])('%s is rejected', (option) => {
  expect(() => parseStoreUrl(`postgres://db/x?${option}`)).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT' }),
  );
});

test.each(['sesame@x', 'sesame/x', '5432/sesame', 'sesame?x', '12?sesame', 'sesame#x', 'sesame%4'])(
  'a password that is not encoded is rejected, and not shown: %s',
  (password) => {
    const parse = () => parseStoreUrl(`postgres://hana:${password}@db/memories`);
    expect(parse).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(parse).toThrow(/^(?!.*sesame).*%40/);
  },
);

test('the address that is shown has no password', () => {
  expect(parseStoreUrl('postgres://hana:p%40ss@db1,db2:5433/memories?max_connections=2').shownUrl).toBe(
    'postgres://hana@db1,db2:5433/memories',
  );
});

test('each host has an address of its own, and so has each host past a pooler', () => {
  const given = 'postgres://hana:p%40ss@db1,db2:5433/memories?direct=db1:5434,db2:5434&connect_timeout=9';
  const { urls, directUrls, connectTimeoutMs } = parseStoreUrl(given);
  expect(urls).toEqual(['postgres://hana:p%40ss@db1/memories', 'postgres://hana:p%40ss@db2:5433/memories']);
  expect(directUrls).toEqual([
    'postgres://hana:p%40ss@db1:5434/memories',
    'postgres://hana:p%40ss@db2:5434/memories',
  ]);
  expect(connectTimeoutMs).toBe(9_000);
});

test.each(['0', '-1', '1.5', 'soon'])('a connect_timeout of %s is rejected', (value) => {
  expect(() => parseStoreUrl(`postgres://db/x?connect_timeout=${value}`)).toThrow(/connect_timeout.*above 0/);
});

test('an unreadable certificate authority is named', () => {
  expect(() => parseStoreUrl('postgres://db/x?sslrootcert=/nowhere.pem')).toThrow(/\/nowhere\.pem/);
});

/** A server that refuses TLS; `told` resolves with what the client sends next. */
async function withoutTls(): Promise<{ port: number; told: Promise<Buffer> }> {
  const sockets: Socket[] = [];
  const told = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('N');
      socket.once('data', (data) => {
        told.resolve(data);
        socket.destroy();
      });
      socket.once('close', () => told.resolve(Buffer.alloc(0)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, told: told.promise };
}

test('a remote server without TLS receives no credentials', async () => {
  const { port, told } = await withoutTls();
  const settings = parseStoreUrl(`postgres://hana:secret@0.0.0.0:${port}/memories`);
  const sql = postgres(settings.urls[0] ?? '', { ...connectionOptions(settings), max: 1 });
  onTestFinished(() => sql.end({ timeout: 0 }));
  await expect(sql.unsafe('SELECT 1')).rejects.toMatchObject({ code: expect.any(String) });
  const words = (await told).toString('latin1');
  for (const word of ['hana', 'secret', 'memories']) expect(words).not.toContain(word);
});
