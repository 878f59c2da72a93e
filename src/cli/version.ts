import { readFileSync } from 'node:fs';

/** As the package says: two folders up, from the sources as from what is built of them. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
