import { errorCode } from '../../model/model.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { discard } from './replace.ts';

/** A lock not renewed for this many milliseconds belongs to a process that died. */
const STALE_MS = 5_000;
const RENEW_MS = 1_000;
/** After waiting this long, the caller continues without the lock. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 10;

export interface Lock {
  release(): void;
}

/**
 * Keeps other processes of Omoide from changing the same thing; editors ignore it. It saves work, but does not
 * prevent lost lines. So the wait is short, and if no lock file can be created there is no lock.
 */
export async function acquireLock(path: string): Promise<Lock> {
  const token = randomUUID();
  const until = Date.now() + MAX_WAIT_MS;
  try {
    while (Date.now() < until) {
      if (make(path, token)) return hold(path, token);
      if (isStale(path)) discard(path);
      else await sleep(POLL_MS);
    }
  } catch {
    // The folder does not exist or is not writable.
  }
  return { release: () => {} };
}

function make(path: string, token: string): boolean {
  try {
    writeFileSync(path, token, { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function isStale(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > STALE_MS;
}

function hold(path: string, token: string): Lock {
  const isOurs = () => {
    try {
      return readFileSync(path, 'utf8') === token;
    } catch {
      return false;
    }
  };
  const timer = setInterval(() => {
    const now = new Date();
    if (isOurs()) utimesSync(path, now, now);
  }, RENEW_MS);
  timer.unref();
  return {
    release() {
      clearInterval(timer);
      if (isOurs()) discard(path);
    },
  };
}
