/**
 * A process that maintains a memory. Tests kill it in the middle, or let its disk fail.
 *
 *     node upkeep.ts '{"dataDir":"…","what":"forget"}'
 *
 * Lines: `opening`, `begin` before the work, `done` or `error CODE` after it.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { isMemoryError, openMemory, type Memory } from '../../src/engine/engine.ts';

export type Upkeep = 'forget' | 'rebuild' | 'reorganize' | 'backup' | 'archive' | 'add';

export interface UpkeepRequest {
  readonly dataDir: string;
  readonly what: Upkeep;
}

/** The conversation that is deleted. */
export const FORGOTTEN_CONVERSATION = 'secret';
export const backupOf = (dataDir: string) => join(dataDir, '..', 'backup');
export const archiveOf = (dataDir: string) => join(dataDir, '..', 'archive');

const WORK: Readonly<Record<Upkeep, (memory: Memory, dataDir: string) => Promise<unknown>>> = {
  forget: (memory) => memory.forget({ conversation: FORGOTTEN_CONVERSATION }),
  rebuild: (memory) => memory.admin.rebuild('units', { vectors: true }),
  reorganize: (memory) => memory.journal.reorganize(),
  backup: (memory, dataDir) => memory.admin.backup(backupOf(dataDir)),
  archive: (memory) => memory.admin.archive(),
  async add(memory) {
    for (let i = 0; i < 200; i += 1) {
      const { turnId } = await memory.add({ conversationId: 'added', speaker: 'user', text: `Added ${i}.` });
      say(`kept ${turnId}`);
    }
  },
};

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function main({ dataDir, what }: UpkeepRequest): Promise<void> {
  say('opening');
  try {
    const memory = await openMemory({
      dataDir,
      embedder: { provider: 'hashed' },
      worker: false,
      ...(what === 'archive' && { archive: archiveOf(dataDir) }),
    });
    say('begin');
    await WORK[what](memory, dataDir);
    say('done');
    await memory.close();
  } catch (error) {
    say(`error ${isMemoryError(error) ? error.code : String(error)}`);
    process.exit(1);
  }
}

const given = process.argv[2];
if (import.meta.main && given) await main(JSON.parse(given) as UpkeepRequest);
