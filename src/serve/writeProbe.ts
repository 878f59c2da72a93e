import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lately } from './lately.ts';

/** About the size of a turn with its indexes. */
const PROBE_BYTES = 65_536;

/** Tests whether a folder is writable, by writing: permissions do not show a full disk or a quota. */
export class WriteProbe {
  readonly #path: string;
  readonly isWritable: () => boolean;

  constructor(folder: string, now: () => number) {
    this.#path = join(folder, `.write-probe-${process.pid}`);
    this.isWritable = lately(() => this.#probe(), now);
  }

  #probe(): boolean {
    try {
      const file = openSync(this.#path, 'w', 0o600);
      try {
        writeFileSync(file, new Uint8Array(PROBE_BYTES));
        fsyncSync(file);
        return true;
      } finally {
        closeSync(file);
        rmSync(this.#path, { force: true });
      }
    } catch {
      return false;
    }
  }
}
