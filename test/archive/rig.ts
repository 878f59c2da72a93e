import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openMemory, type Memory } from '../../src/engine/engine.ts';

/** Without background work: the test decides when to archive. */
export async function openArchived(dataDir: string, archive?: string): Promise<Memory> {
  const memory = await openMemory({
    dataDir,
    timeZone: 'Asia/Tokyo',
    embedder: null,
    learn: false,
    worker: false,
    ...(archive !== undefined && { archive }),
  });
  onTestFinished(() => memory.close());
  return memory;
}

export const SECRET = 'The cat is called Zylophantus.';

export function turns(count: number, conversationId = 'c1') {
  return Array.from({ length: count }, (_, i) => ({
    conversationId,
    speaker: i % 2 === 0 ? 'user' : 'ai',
    text: i === 0 ? `${SECRET} (${conversationId})` : `Turn ${i}: 那須塩原の吊り橋、すごく揺れたね。`,
    occurredAt: Date.UTC(2026, 4, 1) + i * 60_000,
  }));
}

/** The stored references to archived copies. */
export async function pointers(memory: Memory): Promise<(string | null)[]> {
  return (await Array.fromAsync(memory.conversations.turns())).map(({ rawPointer }) => rawPointer);
}

/** Simulates a process that was killed after it wrote the object and before it stored the reference. */
export function losePointers(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'memory_default.db'));
  db.exec('UPDATE turn SET raw_pointer = NULL');
  db.close();
}
