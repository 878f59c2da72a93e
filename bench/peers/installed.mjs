// Measures the size of an installation: number of packages, and bytes on disk.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Of packages and all their dependencies, as npm installed them here. */
export function installed(names) {
  return measure(HERE, names, []);
}

/** Of Omoide as published: its build and the dependencies in package.json. */
export function ownInstall() {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return measure(ROOT, Object.keys(dependencies), [
    join(ROOT, 'dist'),
    join(ROOT, 'docs'),
    join(ROOT, 'examples'),
  ]);
}

function measure(root, names, folders) {
  const { packages } = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8'));
  const reached = new Set();
  const waiting = names.map((name) => ['', name]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const place = resolve(packages, next[0], next[1]);
    if (place === undefined || reached.has(place) || !existsSync(join(root, place))) continue;
    reached.add(place);
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = packages[place];
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers])
      waiting.push([place, name]);
  }
  const bytes = [...[...reached].map((place) => join(root, place)), ...folders].reduce(
    (sum, path) => sum + sizeOf(path),
    0,
  );
  return { packages: reached.size + (folders.length > 0 ? 1 : 0), mib: bytes / 2 ** 20 };
}

/** The folder of a dependency, by Node.js's resolution: in the package itself, or further up. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const place = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
  }
}

function sizeOf(path) {
  if (!existsSync(path)) return 0;
  let bytes = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const inside = join(path, entry.name);
    bytes += entry.isDirectory() ? sizeOf(inside) : entry.isFile() ? statSync(inside).size : 0;
  }
  return bytes;
}
