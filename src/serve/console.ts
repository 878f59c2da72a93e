/** The console: built files that are served as they are, at `/`. The address of a page of it gives `index.html`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from './problem.ts';

/** Where `npm run build` puts it: the same place seen from the sources and from what is built of them. */
const CONSOLE_DIR = fileURLToPath(new URL('../../dist/console/', import.meta.url));

/** Everything comes from this server, and nothing is sent anywhere else. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};

interface ConsoleFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

const INDEX = 'index.html';
/** Every page of the console is `index.html`. */
const PAGES = ['/', '/m', '/m/*'];
/** What is shown where the console was not built: in a clone that nobody has built yet. */
const NOT_BUILT = 'The console is not built. In a clone, “npm run build:console” builds it.';

export interface Console {
  /** Patterns of the addresses that are the console’s. */
  readonly paths: readonly string[];
  /** @throws Problem UNKNOWN_PATH */
  answer(path: string): Response;
}

/** @param folder where it was built; when there is nothing, its pages say how it is built */
export function loadConsole(folder = CONSOLE_DIR): Console {
  const files = readFiles(folder);
  const assets = [...files.keys()].filter((path) => path !== INDEX).map((path) => `/${path}`);
  return {
    paths: [...PAGES, ...assets],
    answer(path) {
      const file = files.get(assets.includes(path) ? path.slice(1) : INDEX);
      if (!file) throw new Problem('UNKNOWN_PATH', NOT_BUILT);
      return new Response(file.bytes, { headers: file.headers });
    },
  };
}

/** They are few and small, so they are read once. */
function readFiles(folder: string): Map<string, ConsoleFile> {
  return new Map(
    listFiles(folder).map((path) => [
      path,
      { bytes: new Uint8Array(readFileSync(join(folder, path))), headers: headersOf(path) },
    ]),
  );
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/'))
      .map((path) => path.replace(/^\//, ''));
  } catch {
    return [];
  }
}

function headersOf(path: string): Record<string, string> {
  const extension = path.slice(path.lastIndexOf('.') + 1);
  return {
    'content-type': TYPES[extension] ?? 'application/octet-stream',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    // What lies there has a hash of its content in its name.
    'cache-control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}
