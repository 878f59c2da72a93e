/**
 * Two PostgreSQL servers managed by Patroni, with etcd to elect the leader; from Debian's packages, installed when
 * they are missing.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { failInCi, installPackages } from '../debian.ts';
import { serverPrograms } from './binaries.ts';
import { freePort, SERVER_USER } from './server.ts';

const PROGRAMS = ['/usr/bin/patroni', '/usr/bin/etcd'];
const PACKAGES = ['patroni', 'etcd-server', 'python3-etcd', 'python3-psycopg2'];
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const MAX_WAIT_MS = 120_000;

/** Why Patroni cannot run; null when it can. */
export function missingForPatroni(): string | null {
  if (process.platform !== 'linux') return 'Patroni for tests is only run on Linux';
  if (!PROGRAMS.every(existsSync)) installPackages(PACKAGES);
  return failInCi(
    PROGRAMS.every(existsSync) ? null : `there is no Patroni (apt-get install ${PACKAGES.join(' ')})`,
  );
}

interface Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  child: ChildProcess | null;
}

export class PatroniCluster {
  readonly #folder = mkdtempSync(join(PARENT, 'omoide-patroni-'));
  readonly #members: Member[] = [];
  #etcd: ChildProcess | null = null;

  static async start(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    process.once('exit', () => cluster.discard());
    changeOwner(cluster.#folder);
    const etcdPort = await cluster.#startEtcd();
    for (const name of ['a', 'b']) {
      const member = { name, port: await freePort(), restPort: await freePort(), child: null };
      cluster.#members.push(member);
      cluster.#startMember(member, etcdPort);
      // The first creates the cluster, the second copies it.
      await cluster.#waitFor(member, name === 'a' ? '/primary' : '/synchronous');
    }
    return cluster;
  }

  /** The URL of both. */
  url(): string {
    return `postgres://postgres@${this.#members.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`;
  }

  /** Kills the leader's Patroni and PostgreSQL, and resolves when Patroni has promoted the other server. */
  async killLeader(): Promise<void> {
    const isLeader = await Promise.all(this.#members.map((member) => answers(member, '/primary')));
    const [leader, other] = isLeader[0] ? this.#members : this.#members.toReversed();
    if (!leader || !other) throw new Error('There are no two members.');
    this.#kill(leader);
    await this.#waitFor(other, '/primary');
  }

  /** Stops everything without waiting. */
  discard(): void {
    for (const member of this.#members) this.#kill(member);
    killGroup(this.#etcd);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  #kill({ name, child }: Member): void {
    killGroup(child);
    // Patroni starts PostgreSQL in its own session.
    const path = join(this.#folder, name, 'data/postmaster.pid');
    if (existsSync(path)) killProcess(Number(readFileSync(path, 'utf8').split('\n')[0]));
  }

  async #startEtcd(): Promise<number> {
    const [port, peerPort] = [await freePort(), await freePort()];
    const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
    this.#etcd = start('/usr/bin/etcd', [
      '--data-dir',
      join(this.#folder, 'etcd'),
      '--unsafe-no-fsync',
      '--listen-client-urls',
      client,
      '--advertise-client-urls',
      client,
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `default=${peer}`,
    ]);
    return port;
  }

  #startMember(member: Member, etcdPort: number): void {
    const folder = join(this.#folder, member.name);
    mkdirSync(folder);
    changeOwner(folder);
    const path = join(folder, 'patroni.json');
    // JSON is valid YAML.
    writeFileSync(path, JSON.stringify(settingsOf(member, { folder, etcdPort })));
    changeOwner(path);
    member.child = start('/usr/bin/patroni', [path]);
  }

  async #waitFor(member: Member, path: string): Promise<void> {
    const deadline = Date.now() + MAX_WAIT_MS;
    while (!(await answers(member, path))) {
      if (Date.now() > deadline) throw new Error(`Member ${member.name} did not come to ${path}.`);
      await pause(200);
    }
  }
}

function settingsOf({ name, port, restPort }: Member, place: { folder: string; etcdPort: number }): object {
  const rest = `127.0.0.1:${restPort}`;
  const address = `127.0.0.1:${port}`;
  return {
    scope: 'omoide',
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: `127.0.0.1:${place.etcdPort}` },
    bootstrap: {
      // The shortest times that Patroni allows.
      dcs: { ttl: 20, loop_wait: 1, retry_timeout: 3, synchronous_mode: true },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }, 'no-sync'],
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
    postgresql: {
      listen: address,
      connect_address: address,
      data_dir: join(place.folder, 'data'),
      bin_dir: serverPrograms(),
      pgpass: join(place.folder, 'pgpass'),
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
      parameters: { fsync: 'off', max_locks_per_transaction: 1_024, unix_socket_directories: '' },
    },
  };
}

/** Its own process group, so that its children can be stopped with it. */
function start(program: string, args: readonly string[]): ChildProcess {
  const options = { ...SERVER_USER, cwd: '/', stdio: 'ignore', detached: true } as const;
  return spawn(program, args, options);
}

function killGroup(child: ChildProcess | null): void {
  if (child?.pid !== undefined) killProcess(-child.pid);
}

/** @param pid of a process, or of a group with a minus */
function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

function changeOwner(path: string): void {
  if (SERVER_USER.uid !== undefined) chownSync(path, SERVER_USER.uid, SERVER_USER.gid);
}

async function answers({ restPort }: Member, path: string): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${restPort}${path}`)).ok;
  } catch {
    return false;
  }
}
