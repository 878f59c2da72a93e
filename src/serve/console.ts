/** The console: built files, served unchanged at `/`. The addresses of its pages return `index.html`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from './problem.ts';

/** The output of `npm run build`; the relative path is the same in the sources and in the build. */
const CONSOLE_DIR = fileURLToPath(new URL('../../dist/console/', import.meta.url));

/** Everything is loaded from this server, and nothing is sent elsewhere. */
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
/** Shown if the console has not been built, as in a new clone. */
const NOT_BUILT = 'The console is not built. In a clone, “npm run build:console” builds it.';

export interface Console {
  /** Patterns of the console’s addresses. */
  readonly paths: readonly string[];
  /** @throws Problem UNKNOWN_PATH */
  answer(path: string): Response;
}

/** @param folder of the build; if it is empty, the pages say how to build the console */
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

/** The files are few and small, so they are read once. */
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
    // Files in this folder have a hash of their content in their name.
    'cache-control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}
