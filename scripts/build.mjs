// Writes dist/: the console, the compiled sources, and the files beside them that are read at run time.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const dist = new URL('dist/', root);
/** Read at run time: the migrations of schemas, the bundled model, and prompts. */
const ASSETS = /\.(?:sql|bin|sha256|md)$/;

rmSync(dist, { recursive: true, force: true });
const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
cpSync(new URL('src/', root), dist, {
  recursive: true,
  filter: (source) => statSync(source).isDirectory() || ASSETS.test(source),
});
const consoleBuilt = spawnSync(
  process.execPath,
  [fileURLToPath(new URL('console.mjs', import.meta.url)), '--always'],
  {
    stdio: 'inherit',
  },
);
if (consoleBuilt.status !== 0) process.exit(consoleBuilt.status ?? 1);
process.stdout.write(`built ${fileURLToPath(dist)}\n`);
