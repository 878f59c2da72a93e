/** Uploads of files: previews the content, and imports it with progress events. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  makeTemporaryFolder,
  readConversationFile,
  systemTimeZone,
  type IngestReport,
  type Memory,
} from '../engine/engine.ts';
import { z } from 'zod';
import type { ServerEvent } from './operation.ts';

/** The most problems listed; their total number is also reported. */
const MAX_PROBLEMS = 100;
const count = z.int().min(0);
const problem = z.object({
  place: z.string(),
  line: z.int().nullable(),
  code: z.string(),
  reason: z.string(),
});
export const problemShapes = {
  problems: z.array(problem).describe(`The first ${MAX_PROBLEMS} unreadable items, with reasons.`),
  problemCount: count,
};
export const importReportShape = z.object({
  read: count,
  added: count,
  known: count.describe('Turns that existed already.'),
  ...problemShapes,
});

const MAX_SAMPLES = 5;
const MAX_SAMPLE_LENGTH = 300;
const PROGRESS_MS = 200;

export interface ReceivedFile extends AsyncDisposable {
  readonly path: string;
}

/** Writes the body to a temporary file of this name, which is deleted on disposal. */
export async function receiveFile(body: Request['body'], name: string): Promise<ReceivedFile> {
  const folder = makeTemporaryFolder('import');
  const file: ReceivedFile = {
    path: join(folder, basename(name) || 'file'),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await pipeline(body ?? [], createWriteStream(file.path, { mode: 0o600 }));
    return file;
  } catch (error) {
    await file[Symbol.asyncDispose]();
    throw error;
  }
}

/** Previews a file without storing anything. */
export async function* inspectFile(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const formats = new Set<string>();
  const conversations = new Set<string>();
  const problems: unknown[] = [];
  const samples: { speaker: string; text: string }[] = [];
  let [turns, problemCount, reportedAt] = [0, 0, performance.now()];
  for await (const item of readConversationFile(path, {
    timeZone: systemTimeZone(),
    onFile: ({ format }) => formats.add(format),
  })) {
    if (signal.aborted) return;
    if (item.type === 'problem') {
      problemCount += 1;
      if (problems.length < MAX_PROBLEMS)
        problems.push({ place: item.place, line: item.line, code: item.code, reason: item.reason });
    } else if (item.type === 'turn') {
      turns += 1;
      conversations.add(item.turn.conversationId);
      const { speaker, text } = item.turn;
      if (samples.length < MAX_SAMPLES) samples.push({ speaker, text: text.slice(0, MAX_SAMPLE_LENGTH) });
    }
    if (performance.now() - reportedAt < PROGRESS_MS) continue;
    reportedAt = performance.now();
    yield { event: 'progress', data: { read: turns, added: 0 } };
  }
  yield {
    event: 'found',
    data: {
      format: [...formats].join(', '),
      turns,
      conversations: conversations.size,
      samples,
      problems,
      problemCount,
    },
  };
}

interface Progress {
  readonly read: number;
  readonly added: number;
}

/** Imports a file. */
export async function* importFile(
  memory: Memory,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const state = { latest: null as Progress | null, isOver: false, wake: () => {} };
  const set = (change: Partial<typeof state>) => {
    Object.assign(state, change);
    state.wake();
  };
  const importing = memory.admin.importFile(path, { signal, onProgress: (latest) => set({ latest }) });
  const end = () => set({ isOver: true });
  importing.then(end, end);
  for (;;) {
    const { latest, isOver } = state;
    state.latest = null;
    if (latest !== null) yield { event: 'progress', data: latest };
    else if (isOver) break;
    else
      await new Promise<void>((resolve) => {
        state.wake = resolve;
      });
  }
  yield { event: 'done', data: toReport(await importing) };
}

/** A report as an answer, with the first problems. */
export function toReport({ read, added, known, problems }: IngestReport): z.output<typeof importReportShape> {
  const shown = problems.slice(0, MAX_PROBLEMS);
  return {
    read,
    added,
    known,
    problems: shown.map(({ place, line, code, reason }) => ({ place, line, code, reason })),
    problemCount: problems.length,
  };
}
