// Prepares the working tree: installs the locked dependencies when they are missing or out of date. Runs on any Node
// from 20 on, because Node 24 is itself a development dependency; prints to stderr only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const root = new URL('..', import.meta.url);
const stampFile = new URL('node_modules/.omoide-setup', root);
const wanted = createHash('sha256')
  .update(readFileSync(new URL('package-lock.json', root)))
  .update(process.platform + process.arch)
  .digest('hex');

const installed = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
if (!installed) {
  process.stderr.write('omoide: installing dependencies (once) …\n');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, ...rest] = npm ? [process.execPath, npm, ...args] : ['npm', ...args];
  const result = spawnSync(command, rest, { cwd: root, stdio: ['ignore', 2, 2], shell: !npm });
  if (result.status !== 0) {
    process.stderr.write('omoide: npm ci failed; nothing was started.\n');
    process.exit(result.status ?? 1);
  }
  writeFileSync(stampFile, wanted);
}
