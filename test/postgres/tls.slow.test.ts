/** TLS between Omoide and PostgreSQL: certificates are verified for every host except this machine. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { say } from '../conformance/samples.ts';
import { temporaryFolder } from '../temporary.ts';
import { missingForServer, SERVER_USER, TestServer } from './server.ts';
import { withDatabase } from './shared.ts';

/** Resolves to this machine, but is not one of the names that count as local. */
const ELSEWHERE = '0.0.0.0';

/** A server with a self-signed certificate for that address. */
async function startWithCertificate(): Promise<{ server: TestServer; certificate: string }> {
  const server = await TestServer.start();
  onTestFinished(() => server.remove());
  const [certificate, key] = [join(server.folder, 'own.crt'), join(server.folder, 'own.key')];
  const about = ['-subj', '/CN=omoide test', '-addext', `subjectAltName=IP:${ELSEWHERE}`, '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-new', '-x509', '-nodes', '-newkey', 'rsa:2048', '-keyout', key, '-out', certificate, ...about],
    { stdio: 'ignore' },
  );
  chmodSync(key, 0o600);
  if (SERVER_USER.uid !== undefined) {
    for (const path of [certificate, key]) chownSync(path, SERVER_USER.uid, SERVER_USER.gid);
  }
  server.configure(`ssl = on\nssl_cert_file = '${certificate}'\nssl_key_file = '${key}'`);
  server.run('pg_ctl', 'reload', '-D', server.folder);
  return { server, certificate };
}

async function open(url: string): Promise<void> {
  const options = { memoryId: 'm1', timeZone: 'UTC', partitions: 1, keys: { folder: temporaryFolder() } };
  const store = await openPostgresStore(url, options);
  await say(store, 'hello');
  await store.close();
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`TLS ${missing ?? ''}`, () => {
  test('is used for every connection to another machine, and only with a certificate of a named authority', async () => {
    const { server, certificate } = await startWithCertificate();
    const url = `postgres://postgres@${ELSEWHERE}:${server.port}/postgres`;
    const refused = (message: RegExp) =>
      expect.objectContaining({ code: 'STORE_FAILED', message: expect.stringMatching(message) });
    await expect(open(url)).rejects.toEqual(refused(/self-signed certificate.*sslrootcert/));
    await open(`${url}?sslrootcert=${certificate}`);
    const wrongName = url.replace(ELSEWHERE, 'localhost');
    await expect(open(`${wrongName}?sslmode=verify-full&sslrootcert=${certificate}`)).rejects.toEqual(
      refused(/localhost/),
    );
    await open(`${url}?sslmode=require`);
    const options = {
      memoryId: 'm1',
      timeZone: 'UTC',
      partitions: 1,
      keys: { folder: temporaryFolder() },
    };
    const store = await openPostgresStore(`${url}?sslrootcert=${certificate}`, options);
    onTestFinished(() => store.close());
    const isEncrypted = await store.exclusively('x', () =>
      withDatabase(server.url(), (sql) =>
        sql.unsafe<{ ssl: boolean }[]>(
          "SELECT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'omoide'",
        ),
      ),
    );
    expect(isEncrypted.length).toBeGreaterThan(1);
    expect(new Set(isEncrypted.map(({ ssl }) => ssl))).toEqual(new Set([true]));
  });
});
