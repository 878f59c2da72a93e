/** A real PostgreSQL server for one test: on its own loopback port, in a temporary folder. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serverPrograms } from './binaries.ts';

export { missingForServer } from './binaries.ts';

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
export const SERVER_USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
max_locks_per_transaction = 1024
shared_buffers = 128MB
timezone = 'UTC'
log_timezone = 'UTC'
`;

export class TestServer {
  readonly port: number;
  readonly folder: string;
  #process: ChildProcess | null = null;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /**
   * Creates a new server and starts it.
   * @param settings lines of `postgresql.conf`; without `fsync = off`, acknowledged data survives a power loss
   */
  static async start(settings = 'fsync = off'): Promise<TestServer> {
    setMasterKey();
    const server = await TestServer.prepare();
    server.run(
      'initdb',
      '-D',
      server.folder,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '-N',
    );
    server.configure(`${SETTINGS}\nport = ${server.port}\n${settings}`);
    await server.boot();
    return server;
  }

  /** A folder and a port, without a running server. */
  static async prepare(): Promise<TestServer> {
    const folder = mkdtempSync(join(PARENT, 'omoide-pg-'));
    if (SERVER_USER.uid !== undefined) chownSync(folder, SERVER_USER.uid, SERVER_USER.gid);
    return new TestServer(folder, await freePort());
  }

  /** Runs one of PostgreSQL's programs as the user of the server. */
  run(program: string, ...args: string[]): string {
    const path = join(serverPrograms(), program);
    return execFileSync(path, args, {
      ...SERVER_USER,
      cwd: '/',
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async runLater(program: string, ...args: string[]): Promise<void> {
    await promisify(execFile)(join(serverPrograms(), program), args, { ...SERVER_USER, cwd: '/' });
  }

  /** Runs a shell command as the user of the server. */
  runShell(command: string): void {
    execFileSync('sh', ['-c', command], { ...SERVER_USER, cwd: '/', stdio: 'pipe' });
  }

  configure(lines: string): void {
    appendFileSync(join(this.folder, 'postgresql.conf'), `${lines}\n`);
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async boot(): Promise<void> {
    const child = spawn(join(serverPrograms(), 'postgres'), ['-D', this.folder], {
      ...SERVER_USER,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const said: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.push(text);
      if (said.length > 200) said.splice(0, 100);
    });
    child.unref();
    this.#process = child;
    if (child.pid !== undefined) watch(child.pid, this.folder);
    process.once('exit', () => this.#process?.kill('SIGQUIT'));
    for (let tried = 0; tried < 600; tried += 1) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said.join('')}`);
      if (await this.isReady()) return;
      await pause(50);
    }
    throw new Error(`PostgreSQL did not become ready: ${said.join('')}`);
  }

  async isReady(): Promise<boolean> {
    try {
      await this.runLater('pg_isready', '-q', '-h', '127.0.0.1', '-p', String(this.port));
      return true;
    } catch {
      return false;
    }
  }

  /** Ends the server at once: SIGKILL allows no cleanup, SIGQUIT also ends its children. */
  async end(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT' = 'SIGINT'): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const pids = signal === 'SIGKILL' ? this.#processIds(child.pid ?? 0) : [];
    child.ref();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has already ended.
      }
    }
    await ended;
  }

  /** Stops all its processes: connections stay open, and nothing answers any more, as if the machine had lost its power. */
  freeze(): void {
    const pid = this.#process?.pid ?? 0;
    for (const each of [pid, ...this.#processIds(pid)]) process.kill(each, 'SIGSTOP');
  }

  /** Ends it without waiting and removes its folder, for use at process exit. */
  discard(): void {
    this.#process?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Ends it and removes its folder. */
  async remove(): Promise<void> {
    await this.end('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #processIds(pid: number): number[] {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  }
}

/** Ends the server and removes its folder after this process has ended in any way: then the pipe closes. */
function watch(pid: number, folder: string): void {
  const script = `cat > /dev/null
    tr '\\0' ' ' < /proc/$1/cmdline 2> /dev/null | grep -qF -- "$2" && kill -QUIT "$1" && sleep 2
    rm -rf -- "$2"`;
  const watcher = spawn('sh', ['-c', script, 'sh', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.unref();
  // The stream's type does not say that this is a socket.
  if (watcher.stdin && 'unref' in watcher.stdin && typeof watcher.stdin.unref === 'function')
    watcher.stdin.unref();
}

/** One master key for all memories of the server, in any folder, in this process and its children. */
export function setMasterKey(): void {
  process.env['OMOIDE_TEST_MASTER_KEY'] ??= randomBytes(32).toString('base64');
  process.env['OMOIDE_MASTER_KEY'] = 'env:OMOIDE_TEST_MASTER_KEY';
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
