/** Checks the imports of a source tree against the import map. */
import { dirname, join } from 'node:path/posix';

export interface ImportMap {
  /** For each top folder, the others it may import. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
  /** For each external dependency (`node:` ones only where they matter), the folders that may import it. */
  readonly owners: Readonly<Record<string, readonly string[]>>;
  /** Single allowed imports that bypass a door; `from -> to`. */
  readonly windows: readonly string[];
  /** Files, or folders with a trailing slash, that may read the environment. */
  readonly environment: readonly string[];
  readonly mostLines: number;
}

interface Import {
  readonly from: string;
  /** A path for a project file, else the name of a package. */
  readonly to: string;
  readonly isOurs: boolean;
}

const IMPORT =
  /^\s*(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'|\b(?:import|require)\(\s*'([^']+)'/gm;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

/** The violations, one line each; empty when there are none. Paths are relative to the root, with slashes. */
export function checkImports(files: ReadonlyMap<string, string>, map: ImportMap): string[] {
  const imports = [...files].flatMap(([path, text]) => importsOf(path, text));
  return [
    ...imports.flatMap((one) => (one.isOurs ? checkOwn(one, files, map) : checkOutside(one, map))),
    ...findCycle(imports),
    ...[...files].flatMap(([path, text]) => checkFile(path, text, map)),
  ];
}

function importsOf(path: string, text: string): Import[] {
  return [...text.replace(COMMENT, '').matchAll(IMPORT)].map(([, from, bare, called]) => {
    const target = from ?? bare ?? called ?? '';
    const isOurs = target.startsWith('.');
    return { from: path, to: isOurs ? join(dirname(path), target) : packageOf(target), isOurs };
  });
}

/** `@scope/name` of `@scope/name/file`. */
function packageOf(target: string): string {
  return target.split('/', target.startsWith('@') ? 2 : 1).join('/');
}

function checkOwn({ from, to }: Import, files: ReadonlyMap<string, string>, map: ImportMap): string[] {
  if (!files.has(to)) return [`${from} imports ${to}, which there is not.`];
  const [own, other] = [topFolder(from), topFolder(to)];
  if (own !== other && !map.folders[own]?.includes(other))
    return [`${from} imports ${to}: ${own} may not import ${other}.`];
  if (isDoor(from, to) || map.windows.includes(`${from} -> ${to}`)) return [];
  return [`${from} imports ${to}, which is no door of its folder.`];
}

/**
 * Whether `to` is in a folder that contains `from`, at any depth, or is the door of a folder directly below one of
 * these: the file with the folder’s name.
 */
function isDoor(from: string, to: string): boolean {
  const here = folders(from);
  const there = folders(to);
  const shared = here.findIndex((folder, i) => folder !== there[i]);
  const entered = there.slice(shared === -1 ? here.length : shared);
  return (
    entered.length === 0 || (entered.length === 1 && `/${to}`.endsWith(`/${entered[0]}/${entered[0]}.ts`))
  );
}

function folders(path: string): string[] {
  return path.split('/').slice(0, -1);
}

function topFolder(path: string): string {
  return path.split('/')[0] ?? '';
}

function checkOutside({ from, to }: Import, map: ImportMap): string[] {
  const owners = map.owners[to];
  if (!owners) return to.startsWith('node:') ? [] : [`${from} imports ${to}, which has no owner.`];
  return owners.some((folder) => from.startsWith(`${folder}/`))
    ? []
    : [`${from} imports ${to}, which ${owners.join(', ')} owns.`];
}

function checkFile(path: string, text: string, map: ImportMap): string[] {
  const problems = [];
  const lines = text.split('\n').length;
  if (lines > map.mostLines) problems.push(`${path} has ${lines} lines; the most is ${map.mostLines}.`);
  const isAllowed = map.environment.some(
    (place) => path === place || (place.endsWith('/') && path.startsWith(place)),
  );
  if (!isAllowed && text.replace(COMMENT, '').includes('process.env'))
    problems.push(`${path} reads the environment.`);
  if (!map.folders[topFolder(path)]) problems.push(`${path} lies in no folder of the map.`);
  return problems;
}

/** The first import cycle among project files, if there is one. */
function findCycle(imports: readonly Import[]): string[] {
  const next = Map.groupBy(
    imports.filter((one) => one.isOurs),
    (one) => one.from,
  );
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path))
      return [`There is a cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}.`];
    if (done.has(path)) return [];
    for (const { to } of next.get(path) ?? []) {
      const found = walk(to, [...trail, path]);
      if (found.length > 0) return found;
    }
    done.add(path);
    return [];
  };
  for (const path of next.keys()) {
    const found = walk(path, []);
    if (found.length > 0) return found;
  }
  return [];
}
