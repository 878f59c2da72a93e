/**
 * A process that adds many turns and reports its progress on standard output. Tests kill it, let it fill a disk, or run
 * several.
 *
 *     node ingest.ts '{"dataDir":"…","conversationId":"c","turns":3000}'
 *
 * Lines: `opening`, `open`, `kept N` after each batch that is on the disk, and at the end `done ADDED` or `error CODE`.
 */
import { writeSync } from 'node:fs';
import { isMemoryError, openMemory, type NewTurn } from '../../src/engine/engine.ts';

export interface IngestRequest {
  readonly dataDir: string;
  readonly conversationId: string;
  readonly turns: number;
}

/** The turn at this index, computed from the index, so that a reader can check it. */
export function turnAt(conversationId: string, turnIndex: number): NewTurn {
  const texts = [
    `今日は${turnIndex}回目の散歩で、吊り橋まで行ったよ。`,
    `We talked about plan ${turnIndex} and the garden for a long while.`,
    `第${turnIndex}天，我们在颐和园划船，风很大。`,
  ];
  return {
    conversationId,
    turnIndex,
    speaker: turnIndex % 2 === 0 ? 'user' : 'ai',
    text: texts[turnIndex % texts.length] ?? '',
    occurredAt: Date.UTC(2024, 0, 1) + turnIndex * 60_000,
  };
}

export function* turnsOf({ conversationId, turns }: IngestRequest): Generator<NewTurn> {
  for (let turnIndex = 0; turnIndex < turns; turnIndex += 1) yield turnAt(conversationId, turnIndex);
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function main(request: IngestRequest): Promise<void> {
  say('opening');
  try {
    const memory = await openMemory({
      dataDir: request.dataDir,
      timeZone: 'UTC',
      embedder: { provider: 'hashed' },
    });
    say('open');
    const report = await memory.add(turnsOf(request), {
      onProgress: ({ read }) => say(`kept ${read}`),
    });
    if (report.problems.length > 0) throw new Error(JSON.stringify(report.problems[0]));
    await memory.close();
    say(`done ${report.added}`);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    say(`error ${error.code}`);
    process.exit();
  }
}

const given = process.argv[2];
if (import.meta.main && given) await main(JSON.parse(given) as IngestRequest);
