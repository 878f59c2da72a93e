/** One server for all tests of a process, since starting one takes seconds; each test has memories of its own in it. */
import postgres from 'postgres';
import type { Types } from '../../src/store/postgres/session.ts';
import { TYPES } from '../../src/store/postgres/settings.ts';
import { TestServer } from './server.ts';

let server: Promise<TestServer> | undefined;

/** The server is ended with the process. */
export async function sharedServer(): Promise<TestServer> {
  server ??= TestServer.start().then((started) => {
    process.once('exit', () => started.discard());
    return started;
  });
  return server;
}

/** Statements to the database of the shared server, past every store. */
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
