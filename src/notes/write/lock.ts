import { errorCode } from '../../model/model.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { discard } from './replace.ts';

/** A lock not renewed for so long is of a process that died, in milliseconds. */
const STALE_MS = 5_000;
const RENEW_MS = 1_000;
/** Whoever waited so long goes on without it. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 10;

export interface Lock {
  release(): void;
}

/**
 * Keeps other processes of Omoide from changing the same thing; editors know nothing of it. It spares work and is not
 * what keeps lines from being lost: so nobody waits for it long, and where no file can be made there is no lock.
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
    // There is no such folder, or nothing can be written there.
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
