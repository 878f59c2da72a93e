/** HAProxy with the configuration of `deploy/haproxy.cfg`, in front of servers on this machine. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { failInCi, installPackages } from '../debian.ts';
import { temporaryFolder } from '../temporary.ts';
import { freePort } from './server.ts';

const CONFIGURATION = new URL('../../deploy/haproxy.cfg', import.meta.url);
const BACKENDS = ['first', 'second', 'third'];

const isInstalled = () => spawnSync('haproxy', ['-v']).status === 0;

/** Why no proxy can run; null when one can. */
export function missingForProxy(): string | null {
  if (!isInstalled()) installPackages(['haproxy']);
  return failInCi(isInstalled() ? null : 'there is no haproxy (apt-get install haproxy)');
}

export interface Proxy {
  readonly url: string;
  /** Routes requests for the memory to the server with this number from now on. */
  route(memoryId: string, server: number): Promise<void>;
}

/** @param servers their addresses, three @param memories which server, from 0, each is asked of */
export async function startProxy(
  servers: readonly string[],
  memories: ReadonlyMap<string, number>,
): Promise<Proxy> {
  const folder = temporaryFolder();
  const port = await freePort();
  const map = join(folder, 'memories.map');
  const socket = join(folder, 'admin.sock');
  writeFileSync(map, [...memories].map(([name, i]) => `${name} ${BACKENDS[i]}\n`).join(''));
  let text = readFileSync(CONFIGURATION, 'utf8')
    .replace('127.0.0.1:7430', `127.0.0.1:${port}`)
    .replace('/etc/haproxy/memories.map', map)
    .replace('/run/haproxy/admin.sock', socket);
  for (const [i, url] of servers.entries()) text = text.replace(`192.0.2.${i + 1}:7438`, new URL(url).host);
  const path = join(folder, 'haproxy.cfg');
  writeFileSync(path, text);
  const child = spawn('haproxy', ['-db', '-f', path], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const url = `http://127.0.0.1:${port}`;
  for (let tried = 0; !(await isListening(url)); tried += 1) {
    if (tried > 100 || child.exitCode !== null) throw new Error(`HAProxy does not listen: ${said}`);
    await pause(50);
  }
  const command = (line: string) =>
    new Promise<void>((resolve, reject) => {
      const connection = connect(socket, () => connection.write(`${line}\n`));
      connection
        .on('error', reject)
        .on('close', () => resolve())
        .resume();
    });
  return {
    url,
    async route(memoryId, server) {
      await command(`del map ${map} ${memoryId}`);
      await command(`add map ${map} ${memoryId} ${BACKENDS[server]}`);
    },
  };
}

async function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
