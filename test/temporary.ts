import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** In memory where there is such a place: stores wait for the disk after every transaction, which is most of their time. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A new, empty folder for the length of one test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(PARENT, 'omoide-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
