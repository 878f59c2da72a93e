/** One server for all tests of a process, because starting one takes seconds; each test has its own memories. */
import postgres from 'postgres';
import type { Types } from '../../src/store/postgres/session.ts';
import { TYPES } from '../../src/store/postgres/settings.ts';
import { TestServer } from './server.ts';

let server: Promise<TestServer> | undefined;

/** The server ends with the process. */
export async function sharedServer(): Promise<TestServer> {
  server ??= TestServer.start().then((started) => {
    process.once('exit', () => started.discard());
    return started;
  });
  return server;
}

/** Runs statements on the database of the shared server, without a store. */
export async function withDatabase<T>(
  url: string,
  body: (sql: postgres.Sql<Types>) => Promise<T>,
): Promise<T> {
  const sql = postgres(url.split('?')[0] ?? url, { max: 1, types: TYPES, onnotice: () => undefined });
  try {
    return await body(sql);
  } finally {
    await sql.end();
  }
}
