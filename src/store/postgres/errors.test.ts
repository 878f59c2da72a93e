import { expect, test } from 'vitest';
import { toMemoryError, UnreachableError } from './errors.ts';

const failed = (code: string, message: string) => toMemoryError(Object.assign(new Error(message), { code }));

test.each([
  ['28P01', 'password authentication failed for user "hana"', 'INVALID_INPUT', 'PGPASSWORD'],
  ['3D000', 'database "x" does not exist', 'INVALID_INPUT', 'create the database'],
  ['42501', 'permission denied for table turn', 'STORE_FAILED', 'omoide_grant'],
  ['53100', 'could not extend file: No space left on device', 'DISK_FULL', 'Free some space'],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'READ_ONLY', 'primary'],
  ['08P01', 'unsupported startup parameter: statement_timeout', 'INVALID_INPUT', 'pooler=transaction'],
  ['57014', 'canceling statement due to statement timeout', 'BUSY', 'statement_timeout_ms'],
  ['53300', 'sorry, too many clients already', 'BUSY', 'max_connections'],
  ['XX000', 'something else', 'STORE_FAILED', 'PostgreSQL: something else.'],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'BUSY', 'Check that it runs'],
])('%s tells what happened and what to do', (sqlState, message, code, advice) => {
  expect(failed(sqlState, message)).toMatchObject({
    code,
    message: expect.stringMatching(/^PostgreSQL/) as string,
  });
  expect(failed(sqlState, message)).toHaveProperty('message', expect.stringContaining(advice));
});

test.each([
  ['ECONNREFUSED', 'connect ECONNREFUSED', 'no server listens there'],
  ['CONNECTION_DESTROYED', 'write CONNECTION_DESTROYED', 'it is a standby'],
  ['CONNECT_TIMEOUT', 'write CONNECT_TIMEOUT', 'it does not answer'],
  [
    'ECONNRESET',
    'Client network socket disconnected before secure TLS connection was established',
    'sslmode',
  ],
  ['53300', 'sorry, too many clients already', 'Lower max_connections'],
  ['57P03', 'the database system is starting up', 'starting up'],
])('an unreachable host is named with the reason, without its password: %s', (code, message, reason) => {
  const error = Object.assign(new Error(message), { code });
  const unreachable = new UnreachableError([
    { url: 'postgres://hana:sesame@db1:5433/memories', error },
    { url: 'postgres://hana:sesame@db2/memories', error: new Error('other') },
  ]);
  expect(toMemoryError(unreachable)).toMatchObject({
    code: 'BUSY',
    message: expect.stringMatching(
      new RegExp(`^(?!.*sesame).*db1:5433: .*${reason}.*; db2: other`),
    ) as string,
  });
});

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', /self-signed certificate\. Set sslrootcert/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "Host: db2. is not in the cert's altnames: DNS:db1", /subjectAltName/],
])('a rejected certificate tells what to do: %s', (code, message, advice) => {
  expect(failed(code, message)).toMatchObject({ code: 'STORE_FAILED', message: advice });
});

test('an error of a program stays as it is', () => {
  const error = new TypeError('x is not a function');
  expect(toMemoryError(error)).toBe(error);
});
