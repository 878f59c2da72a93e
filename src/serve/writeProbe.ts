import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** About the size of a turn with its indexes. */
const PROBE_BYTES = 65_536;
/** Within this time the last result is returned. */
const REPEAT_MS = 5_000;

/** Tests whether a folder is writable, by writing: permissions do not show a full disk or a quota. */
export class WriteProbe {
  readonly #path: string;
  readonly #now: () => number;
  #last: { readonly at: number; readonly isWritable: boolean } | null = null;

  constructor(folder: string, now: () => number) {
    this.#path = join(folder, `.write-probe-${process.pid}`);
    this.#now = now;
  }

  isWritable(): boolean {
    const at = this.#now();
    if (this.#last === null || at - this.#last.at >= REPEAT_MS || at < this.#last.at)
      this.#last = { at, isWritable: this.#probe() };
    return this.#last.isWritable;
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
