import { join } from 'node:path';
import { z } from 'zod';
import { makeDataFolder } from '../../model/model.ts';
import { exportMemory, internals, openExport } from '../../engine/engine.ts';
import { checkMediaType } from '../body.ts';
import { importReportShape, toReport } from '../fileImport.ts';
import { memoryOperation, operation } from '../operation.ts';
import { invalidFields } from '../problem.ts';
import { checkpointShape } from '../shapes/shapes.ts';
import { JSON_LINES } from '../sse.ts';

/** Maximum number of checkpoints in an answer. */
const MAX_CHECKPOINTS = 100;

const count = z.int().min(0);

export const upkeepOperations = {
  exportMemory: memoryOperation('exportMemory', 'existing', {
    tag: 'upkeep',
    summary: 'Exports every turn, word for word, and all derived units, as JSON Lines, like `omoide export`.',
    description: 'The export is complete only if its last line is `{"omoide":"end", …}`.',
    answer: JSON_LINES,
    handle({ memory, parameters, signal, reply }) {
      reply.headers.set('content-disposition', `attachment; filename="${parameters.memoryId}.jsonl"`);
      return exportMemory(memory, { signal });
    },
  }),

  importMemory: operation('importMemory', {
    tag: 'upkeep',
    summary: 'Imports an export, turn by turn.',
    description:
      'The body is streamed and may have any length. Existing turns are skipped; items that cannot be imported are ' +
      'reported, and the rest is imported. Derived units are restored if the memory has none yet. A new memory gets the time zone of the export.',
    answer: importReportShape,
    problems: ['UNKNOWN_FORMAT', 'CHAIN_BROKEN'],
    async handle({ parts, parameters, request, signal }) {
      checkMediaType(request, JSON_LINES);
      if (!request.body) throw invalidFields([{ in: 'body', pointer: '', detail: 'is empty' }]);
      const reading = await openExport(request.body, 'The body');
      const lease = await parts.memories.acquire(parameters.memoryId, reading.header);
      try {
        return toReport(await reading.importInto(lease.memory, { signal }));
      } finally {
        lease.release();
      }
    },
  }),

  verifyMemory: memoryOperation('verifyMemory', 'existing', {
    tag: 'upkeep',
    summary: 'Verifies that no turn was changed or removed, and that derived data agrees with the turns.',
    answer: z.object({
      turns: count,
      forgotten: count.describe('Turns whose text was erased; their hashes are still verified.'),
      units: count,
      chainHead: z
        .string()
        .describe('Two memories with the same chain head have the same turns in the same order.'),
      checkpoints: count.describe('Signed checkpoints that were compared.'),
      firstBadTurn: z
        .object({
          turnId: z.int().positive(),
          conversationId: z.string().nullable().describe('Null if the turn is missing.'),
          turnIndex: count.nullable(),
        })
        .nullable()
        .describe('The first turn that does not match its hashes or a checkpoint.'),
      problems: z
        .array(z.object({ code: z.string(), message: z.string() }))
        .describe('Empty if there are no problems.'),
    }),
    handle: ({ memory }) => memory.admin.verify(),
  }),

  listCheckpoints: memoryOperation('listCheckpoints', 'existing', {
    tag: 'upkeep',
    summary: 'Lists the signed checkpoints, newest first.',
    answer: z.object({
      items: z.array(checkpointShape).max(MAX_CHECKPOINTS).describe(`The last ${MAX_CHECKPOINTS}.`),
      total: count,
    }),
    async handle({ memory }) {
      const checkpoints = await internals(memory).store.evidence.checkpoints();
      const latestFirst = checkpoints.toSorted((a, b) => b.turnId - a.turnId);
      return { items: latestFirst.slice(0, MAX_CHECKPOINTS), total: checkpoints.length };
    },
  }),

  createCheckpoint: memoryOperation('createCheckpoint', 'existing', {
    tag: 'upkeep',
    summary:
      'Signs the current state of the turns, so that a later rewrite is detected even when all hashes are recomputed.',
    answer: z.object({
      checkpoint: checkpointShape.nullable().describe('Null if there are no new turns since the last one.'),
    }),
    handle: async ({ memory }) => ({ checkpoint: await memory.admin.checkpoint() }),
  }),

  readArchive: memoryOperation('readArchive', 'existing', {
    tag: 'upkeep',
    summary:
      'Returns the place of the archive, the number of archived turns, and of turns that are not archived yet.',
    answer: z.object({
      isPossible: z.boolean().describe('Whether the store can be archived. SQLite and PostgreSQL can.'),
      place: z.string().nullable().describe('Null: none was named with `--archive`.'),
      archived: count,
      pending: count.describe('Turns without a copy.'),
      archivedTo: z.int().nullable().describe('Time of the newest turn with a copy.'),
    }),
    handle: ({ memory }) => internals(memory).archiveState(),
  }),

  archiveMemory: memoryOperation('archiveMemory', 'existing', {
    tag: 'upkeep',
    summary: 'Copies turns that are not archived yet; otherwise this happens within five minutes.',
    access: 'operator',
    answer: z.object({ turns: count, objects: count }),
    problems: ['READ_ONLY', 'DISK_FULL', 'FILE_UNREADABLE', 'CHAIN_BROKEN'],
    handle: ({ memory }) => memory.admin.archive(),
  }),

  verifyArchive: memoryOperation('verifyArchive', 'existing', {
    tag: 'upkeep',
    summary: 'Compares every turn with its copy in the archive.',
    answer: z.object({
      archived: count,
      pending: count,
      objects: count,
      unlocked: count.nullable().describe('Objects that can be deleted or replaced now; null when unknown.'),
      problems: z.array(z.string()).describe('Empty if there are no problems.'),
    }),
    problems: ['FILE_UNREADABLE'],
    handle: ({ memory }) => memory.admin.verifyArchive(),
  }),

  backUpMemory: memoryOperation('backUpMemory', 'existing', {
    tag: 'upkeep',
    summary: 'Writes a copy of the memory into the folder `backups` next to it, while it is in use.',
    access: 'operator',
    status: 201,
    answer: z.object({
      path: z.string().describe('Its path on the server.'),
      sizeBytes: count,
    }),
    problems: ['READ_ONLY', 'DISK_FULL'],
    async handle({ memory, parts }) {
      const folder = join(parts.dataDir, 'backups');
      makeDataFolder(folder);
      const at = new Date(parts.now()).toISOString().replaceAll(/[:.]/g, '-');
      const path = join(folder, `memory_${memory.memoryId}_${at}.db`);
      const { sizeBytes } = await memory.admin.backup(path);
      return { path, sizeBytes };
    },
  }),

  rebuildMemory: memoryOperation('rebuildMemory', 'existing', {
    tag: 'upkeep',
    summary: 'Rebuilds the indexes, and the episodes from the turns.',
    body: z
      .strictObject({
        what: z
          .enum(['indexes', 'units'])
          .optional()
          .describe('`units`: also the episodes. Default: `indexes`.'),
        vectors: z.boolean().optional().describe('Whether to recompute all vectors.'),
      })
      .optional(),
    answer: z.object({
      unitsIndexed: count,
      episodesRestored: count,
      episodesRemoved: count.describe('Number of removed episodes without a turn.'),
      jobsEnqueued: count,
    }),
    example: { what: 'indexes' },
    handle: ({ memory, body }) => memory.admin.rebuild(body?.what, { vectors: body?.vectors === true }),
  }),
};
