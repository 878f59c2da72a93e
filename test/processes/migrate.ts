/**
 * A process that copies a memory to another store. Tests kill it; started again, it continues.
 *
 *     node migrate.ts '{"memoryId":"m","from":{"dataDir":"…"},"to":{"dataDir":"…","store":"postgres://…"}}'
 *
 * Lines: `copied ROWS TOTAL` after each page of rows, `done`.
 */
import { writeSync } from 'node:fs';
import { migrateMemory } from '../../src/engine/engine.ts';

export type MigrateRequest = Omit<Parameters<typeof migrateMemory>[0], 'onProgress'>;

const request = JSON.parse(process.argv[2] ?? '{}') as MigrateRequest;
await migrateMemory({
  ...request,
  onProgress: (done, total) => writeSync(1, `copied ${done} ${total}\n`),
});
writeSync(1, 'done\n');
