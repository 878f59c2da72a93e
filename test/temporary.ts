import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** In memory if possible: stores wait for the disk after every transaction, which takes most of their time. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A new, empty folder for one test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(PARENT, 'omoide-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
