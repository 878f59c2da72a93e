/** Two PostgreSQL servers, a primary and a synchronous standby, which change roles when the primary is killed. */
import { chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withDatabase } from './shared.ts';
import { TestServer } from './server.ts';

const REPLICATION = `
fsync = off
wal_level = replica
max_wal_senders = 10
hot_standby = on
wal_keep_size = 256MB
checkpoint_timeout = 30min
max_wal_size = 4GB
`;
const MAX_WAIT_MS = 120_000;

export class Pair {
  #primary: TestServer;
  #standby: TestServer;

  private constructor(primary: TestServer, standby: TestServer) {
    this.#primary = primary;
    this.#standby = standby;
  }

  static async start(): Promise<Pair> {
    const primary = await TestServer.start(REPLICATION);
    const pair = new Pair(primary, await TestServer.prepare());
    await pair.#followAnew();
    return pair;
  }

  /** The URL of both, in any order: a client finds the writable one. */
  url(database = 'postgres'): string {
    const ports = [this.#primary.port, this.#standby.port].sort((a, b) => a - b);
    return `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${database}`;
  }

  get primary(): TestServer {
    return this.#primary;
  }

  /** Kills or freezes the primary and promotes the standby. Resolves when it accepts writes. */
  async failOver(how: 'kill' | 'freeze' = 'kill'): Promise<void> {
    if (how === 'freeze') this.#primary.freeze();
    else await this.#primary.end('SIGKILL');
    await this.#standby.runLater('pg_ctl', 'promote', '-w', '-D', this.#standby.folder);
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
  }

  /** Makes the killed server a standby again. From then on, it must store every write before it is acknowledged. */
  async repair(): Promise<void> {
    for (const name of readdirSync(this.#standby.folder)) {
      rmSync(join(this.#standby.folder, name), { recursive: true, force: true });
    }
    await this.#followAnew();
  }

  async remove(): Promise<void> {
    for (const server of [this.#standby, this.#primary]) {
      await server.end('SIGKILL');
      await server.remove();
    }
  }

  /** Stops both without waiting, for use at process exit. */
  discard(): void {
    this.#standby.discard();
    this.#primary.discard();
  }

  async #followAnew(): Promise<void> {
    const { folder, port } = this.#standby;
    const { uid, gid } = statSync(folder);
    const from = ['-h', '127.0.0.1', '-p', String(this.#primary.port), '-U', 'postgres'];
    await this.#standby.runLater('pg_basebackup', '-D', folder, '-R', '-c', 'fast', '-X', 'stream', ...from);
    this.#standby.configure(`port = ${port}`);
    // After promotion it has no standby and must not wait for one.
    const settings = join(folder, 'postgresql.auto.conf');
    appendFileSync(settings, "synchronous_standby_names = ''\n");
    chownSync(settings, uid, gid);
    await this.#standby.boot();
    await this.#onPrimary("ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
    const deadline = Date.now() + MAX_WAIT_MS;
    while (!(await this.#isInStep())) {
      if (Date.now() > deadline) throw new Error('The standby does not keep step with the primary.');
      await pause(100);
    }
  }

  async #isInStep(): Promise<boolean> {
    const rows = await this.#onPrimary("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    return rows.length > 0;
  }

  async #onPrimary(...statements: string[]): Promise<readonly unknown[]> {
    return withDatabase(this.#primary.url(), async (sql) => {
      let rows: readonly unknown[] = [];
      for (const statement of statements) rows = await sql.unsafe(statement);
      return rows;
    });
  }
}
