/** PgBouncer in transaction mode in front of a test server; Debian's package, installed when it is missing. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { failInCi, installPackages } from '../debian.ts';
import { freePort, SERVER_USER, type TestServer } from './server.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
/** Fewer connections than clients, so that they must take turns. */
export const POOL_SIZE = 4;

/** Why PgBouncer cannot run; null when it can. */
export function missingForPgBouncer(): string | null {
  if (process.platform !== 'linux') return 'PgBouncer for tests is only run on Linux';
  if (!existsSync(PROGRAM)) installPackages(['pgbouncer']);
  return failInCi(existsSync(PROGRAM) ? null : 'there is no PgBouncer (apt-get install pgbouncer)');
}

export class PgBouncer {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #port: number;
  readonly #server: TestServer;

  private constructor(child: ChildProcess, folder: string, port: number, server: TestServer) {
    this.#process = child;
    this.#folder = folder;
    this.#port = port;
    this.#server = server;
  }

  static async start(server: TestServer): Promise<PgBouncer> {
    const folder = mkdtempSync(join(tmpdir(), 'omoide-pgbouncer-'));
    const port = await freePort();
    const settings = join(folder, 'pgbouncer.ini');
    const users = join(folder, 'users.txt');
    writeFileSync(users, '"postgres" ""\n');
    writeFileSync(
      settings,
      `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${POOL_SIZE}
max_client_conn = 200
`,
    );
    if (SERVER_USER.uid !== undefined) {
      for (const path of [folder, settings, users]) chownSync(path, SERVER_USER.uid, SERVER_USER.gid);
    }
    const child = spawn(PROGRAM, [settings], {
      ...SERVER_USER,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (part: Buffer) => (said += part.toString()));
    const pooler = new PgBouncer(child, folder, port, server);
    for (let tried = 0; tried < 200; tried += 1) {
      if (child.exitCode !== null) break;
      if (await accepts(port)) return pooler;
      await pause(50);
    }
    throw new Error(`PgBouncer did not start: ${said}`);
  }

  /** The URL of a database through the pooler; locks and notifications use a direct connection. */
  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}?pooler=transaction&direct=127.0.0.1:${this.#server.port}`;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
