/** Examines damaged files in a process of its own, which such a file can end: SQLite and sqlite-vec trust what they read. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Examined } from './examineFile.ts';

const CHILD = fileURLToPath(new URL('examinerProcess.ts', import.meta.url));

export class Examiner {
  readonly #original: Examined['parts'];
  #child: ChildProcess | null = null;

  constructor(original: Examined['parts']) {
    this.#original = original;
  }

  /** Null: the file ended the process. */
  async examine(dataDir: string): Promise<Examined | null> {
    const child = (this.#child ??= fork(CHILD, { serialization: 'advanced' }));
    const stopping = new AbortController();
    child.send({ dataDir, original: this.#original });
    const answered = once(child, 'message', { signal: stopping.signal }).then(
      ([examined]: Examined[]) => examined ?? null,
    );
    const ended = once(child, 'exit', { signal: stopping.signal }).then(() => {
      this.#child = null;
      return null;
    });
    try {
      return await Promise.race([answered, ended]);
    } finally {
      answered.catch(() => {});
      ended.catch(() => {});
      stopping.abort();
    }
  }

  stop(): void {
    this.#child?.kill();
  }
}
