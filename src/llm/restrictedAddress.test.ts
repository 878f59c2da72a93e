import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { post } from './remote/post.ts';
import { isRestrictedAddress } from './restrictedAddress.ts';

test.each([
  '169.254.169.254',
  '[fe80::1]',
  'fe80::1',
  '[::ffff:a9fe:a9fe]',
  '100.100.100.200',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[fd00:42::42]',
  '168.63.129.16',
  '[::a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
])('%s is restricted', (host) => expect(isRestrictedAddress(host)).toBe(true));

test.each(['127.0.0.1', '[::1]', '10.0.0.1', '192.168.1.2', 'example.com', 'localhost', ''])(
  '%s is not restricted',
  (host) => expect(isRestrictedAddress(host)).toBe(false),
);

test('redirects to restricted addresses are not followed', async () => {
  const server = createServer((_, response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outgoing = { headers: {}, body: '{}', signal: AbortSignal.timeout(5_000) };
  await expect(post(`http://127.0.0.1:${port}/`, outgoing)).rejects.toThrow('169.254.169.254');
});
