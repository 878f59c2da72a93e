/** A real S3 server for one test: Ceph's gateway over one monitor and one in-memory disk, on loopback. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { installPackages } from '../debian.ts';

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph-authtool', 'monmaptool', 'ceph'];
const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common'];
const START_MS = 120_000;

/** Why no S3 server can run here; null when one can. Installs missing Debian packages. */
export function missingForCeph(): string | null {
  if (process.platform !== 'linux') return 'Ceph for tests is only started on Linux';
  if (!isInstalled()) installPackages(PACKAGES);
  return isInstalled() ? null : `Ceph is not installed (apt-get install ${PACKAGES.join(' ')})`;
}

function isInstalled(): boolean {
  return PROGRAMS.every((name) => existsSync(join('/usr/bin', name)));
}

export interface TestBucketServer {
  readonly endpoint: string;
  readonly credentials: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
  stop(): Promise<void>;
}

export async function startCeph(): Promise<TestBucketServer> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'omoide-ceph-'));
  const cluster = new Cluster(folder, await freePort(), await freePort());
  try {
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

const NAMES = ['mon.', 'client.admin', 'osd.0', 'client.rgw'];

class Cluster implements TestBucketServer {
  readonly credentials = { AWS_ACCESS_KEY_ID: 'omoide', AWS_SECRET_ACCESS_KEY: randomUUID() };
  readonly #folder: string;
  readonly #monitorPort: number;
  readonly #port: number;
  readonly #processes: ChildProcess[] = [];

  constructor(folder: string, monitorPort: number, port: number) {
    this.#folder = folder;
    this.#monitorPort = monitorPort;
    this.#port = port;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const [clusterId, diskId] = [randomUUID(), randomUUID()];
    for (const name of ['mon', 'osd', 'run']) mkdirSync(join(this.#folder, name));
    writeFileSync(this.#path('ceph.conf'), this.#configuration(clusterId));
    for (const [index, name] of NAMES.entries()) {
      const all = ['mon', 'osd', 'mgr'].flatMap((part) => ['--cap', part, 'allow *']);
      const create = index === 0 ? ['--create-keyring'] : [];
      this.#run('ceph-authtool', this.#path('keyring'), ...create, '--gen-key', '-n', name, ...all);
    }
    const monitor = `[v2:127.0.0.1:${this.#monitorPort}]`;
    this.#run('monmaptool', '--create', '--addv', 'a', monitor, '--fsid', clusterId, this.#path('monmap'));
    this.#ceph('ceph-mon', '-i', 'a', '--mkfs', '--monmap', this.#path('monmap'));
    this.#spawn('ceph-mon', '-i', 'a');
    this.#ceph('ceph', '--connect-timeout', '60', 'osd', 'new', diskId, '0');
    this.#ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', diskId);
    this.#spawn('ceph-osd', '-i', '0');
    await this.#until(() => /osd\.0 up/.test(this.#ceph('ceph', 'osd', 'dump')));
    this.#spawn('radosgw', '-n', 'client.rgw');
    await this.#until(async () => (await fetch(this.endpoint)).ok);
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = this.credentials;
    const user = ['--uid=test', '--display-name=test', `--access-key=${id}`, `--secret=${secret}`];
    this.#ceph('radosgw-admin', '-n', 'client.rgw', 'user', 'create', ...user);
  }

  async stop(): Promise<void> {
    for (const child of this.#processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #run(program: string, ...args: string[]): string {
    return execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: START_MS,
    });
  }

  #ceph(program: string, ...args: string[]): string {
    return this.#run(program, '-c', this.#path('ceph.conf'), '-k', this.#path('keyring'), ...args);
  }

  #spawn(program: string, ...args: string[]): void {
    const output = openSync(this.#path(`run/${program}.out`), 'a');
    const all = ['-c', this.#path('ceph.conf'), '-f', ...args];
    this.#processes.push(spawn(program, all, { stdio: ['ignore', output, output] }));
  }

  async #until(isReady: () => boolean | Promise<boolean>): Promise<void> {
    for (const end = Date.now() + START_MS; Date.now() < end; await pause(250)) {
      try {
        if (await isReady()) return;
      } catch {
        // The server is not ready yet.
      }
    }
    throw new Error(`Ceph did not start in ${START_MS} ms; see ${this.#path('run')}`);
  }

  #configuration(clusterId: string): string {
    const run = this.#path('run');
    return `[global]
fsid = ${clusterId}
mon_initial_members = a
mon_host = [v2:127.0.0.1:${this.#monitorPort}]
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
keyring = ${this.#path('keyring')}
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_crit = 0
osd_crush_chooseleaf_type = 0
run_dir = ${run}
pid_file = ${run}/$name.pid
admin_socket = ${run}/$name.asok
log_file = ${run}/$name.log
crash_dir = ${run}
[mon.a]
mon_data = ${this.#path('mon')}
[osd]
osd_data = ${this.#path('osd')}
osd_objectstore = memstore
memstore_device_bytes = 268435456
[client.rgw]
rgw_data = ${run}
rgw_frontends = beast endpoint=127.0.0.1:${this.#port}
rgw_thread_pool_size = 16
`;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
