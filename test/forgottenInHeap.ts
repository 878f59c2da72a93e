import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HeapRequest } from './processes/heapAfterForgetting.ts';

const SCRIPT = fileURLToPath(new URL('processes/heapAfterForgetting.ts', import.meta.url));
/** Backwards, so that only a memory can contain them. */
const WORDS = ['sutnahpolyz', 'lemreuq', 'miehtnarrov'] as const;

/** Runs a process until words are forgotten. Returns which of them were not in its heap before, and which are left. */
export async function forgetInProcess(
  request: Omit<HeapRequest, 'words'>,
): Promise<{ neverLearnt: string[]; left: string[] }> {
  const given: HeapRequest = { ...request, words: WORDS };
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, JSON.stringify(given)]);
  const { before, after } = JSON.parse(stdout) as { before: string[]; after: string[] };
  return { neverLearnt: WORDS.filter((word) => !before.includes(word)), left: after };
}
