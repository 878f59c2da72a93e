/**
 * PostgreSQL with pgvector for tests: a copy of the installed server in a temporary folder, with pgvector compiled from
 * Debian's source. Installs Debian packages if the server or the compiler is missing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { failInCi, installPackages } from '../debian.ts';

const PGVECTOR = '0.8.6';
const SOURCE = `http://deb.debian.org/debian/pool/main/p/pgvector/pgvector_${PGVECTOR}.orig.tar.gz`;
const SOURCE_SHA256 = '25c9b78cfdaa43c66788d7490246ac24e4fe1c86f19c4b60c089b723f84a4a0d';
const INSTALLED = '/usr/lib/postgresql';
const TOOLS = ['gcc', 'tar', 'dpkg', 'apt-get', 'curl'];
/** `libc6-dev`: headers that gcc only recommends. */
const PACKAGES = ['postgresql', 'gcc', 'libc6-dev', 'curl', 'ca-certificates'];

/** The version of the installed server, such as `15`; null if there is none. */
function installedVersion(): string | null {
  if (!existsSync(INSTALLED)) return null;
  const versions = readdirSync(INSTALLED).filter((name) => existsSync(join(INSTALLED, name, 'bin/postgres')));
  return versions.sort((a, b) => Number(b) - Number(a))[0] ?? null;
}

/** Why no server can run here; null when one can. */
export function missingForServer(): string | null {
  if (process.platform !== 'linux') return 'PostgreSQL for tests is only made on Linux';
  if (missingTools().length > 0) installPackages(PACKAGES);
  const missing = missingTools();
  return failInCi(
    missing.length === 0
      ? null
      : `PostgreSQL cannot be made here: there is no ${missing.join(', ')} (apt-get install ${PACKAGES.join(' ')})`,
  );
}

function missingTools(): string[] {
  if (installedVersion() === null) return ['postgres'];
  if (existsSync(join(treeFolder(), 'usr'))) return [];
  return TOOLS.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
}

function treeFolder(): string {
  return join(tmpdir(), `omoide-postgres-${installedVersion()}-pgvector-${PGVECTOR}-${userInfo().uid}`);
}

/** The folder of the programs. Created once and atomically. */
export function serverPrograms(): string {
  const tree = treeFolder();
  const version = installedVersion();
  const programs = join(tree, 'usr/lib/postgresql', String(version), 'bin');
  if (existsSync(programs)) return programs;
  const draft = mkdtempSync(`${tree}-`);
  try {
    chmodSync(draft, 0o755);
    for (const part of [`usr/lib/postgresql/${version}`, `usr/share/postgresql/${version}`]) {
      cpSync(join('/', part), join(draft, part), { recursive: true, dereference: true });
    }
    compileVector(draft, String(version));
    renameSync(draft, tree);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process may have been faster.
    if (!existsSync(programs)) throw error;
  }
  return programs;
}

function compileVector(tree: string, version: string): void {
  const work = join(tree, 'work');
  mkdirSync(work);
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
  run('apt-get', 'download', '-qq', headersPackage(version));
  run('sh', '-c', 'dpkg -x postgresql-server-dev-*.deb headers');
  const source = join(work, 'source.tar.gz');
  writeFileSync(source, execFileSync('curl', ['-fsSL', SOURCE], { maxBuffer: 64 << 20 }));
  const sha256 = createHash('sha256').update(readFileSync(source)).digest('hex');
  if (sha256 !== SOURCE_SHA256) throw new Error(`${SOURCE} is not what it was: ${sha256}`);
  run('mkdir', 'source');
  run('tar', 'xzf', source, '-C', 'source', '--strip-components=1');
  const include = join(work, 'headers/usr/include/postgresql', version, 'server');
  const flags =
    '-O2 -fPIC -shared -ftree-vectorize -fassociative-math -fno-signed-zeros -fno-trapping-math -Wno-all';
  const library = join(tree, 'usr/lib/postgresql', version, 'lib/vector.so');
  run('sh', '-c', `gcc ${flags} -I${include} -o ${library} source/src/*.c`);
  const extensions = join(tree, 'usr/share/postgresql', version, 'extension');
  cpSync(join(work, 'source/vector.control'), join(extensions, 'vector.control'));
  cpSync(join(work, 'source/sql/vector.sql'), join(extensions, `vector--${PGVECTOR}.sql`));
  rmSync(work, { recursive: true });
}

/** The headers of exactly the installed version, if they are available. */
function headersPackage(version: string): string {
  const name = `postgresql-server-dev-${version}`;
  const installed = execFileSync('dpkg-query', ['-W', '-f=${Version}', `postgresql-${version}`], {
    encoding: 'utf8',
  });
  const offered = execFileSync('apt-cache', ['madison', name], { encoding: 'utf8' });
  return offered.includes(installed) ? `${name}=${installed}` : name;
}
