// Builds the console into dist/console/, where the server reads it, if its sources have changed or with --always. Runs
// on any Node from 20 on; the build itself runs on the Node among the dependencies.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = join(root, 'node_modules/.omoide-console');

const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
for (const entry of readdirSync(join(root, 'console'), { recursive: true, withFileTypes: true }))
  if (entry.isFile() && !entry.parentPath.includes('node_modules')) {
    const path = join(entry.parentPath, entry.name);
    hash.update(path.slice(root.length)).update(readFileSync(path));
  }
for (const file of ['src/serve/client.ts', 'src/serve/clientStream.ts', 'src/serve/routes.ts'])
  hash.update(readFileSync(join(root, file)));
const wanted = hash.digest('hex');

const isBuilt =
  existsSync(join(root, 'dist/console/index.html')) &&
  existsSync(stampFile) &&
  readFileSync(stampFile, 'utf8') === wanted;
if (!isBuilt || process.argv.includes('--always')) {
  process.stderr.write('omoide: building the console …\n');
  const node = join(root, 'node_modules/node/bin/node');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = ['build', '--config', 'console/vite.config.ts', '--logLevel', 'warn'];
  const built = spawnSync(existsSync(node) ? node : process.execPath, [vite, ...args], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (built.status !== 0) process.exit(built.status ?? 1);
  writeFileSync(stampFile, wanted);
}
