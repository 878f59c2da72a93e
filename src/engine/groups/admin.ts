import { relative } from 'node:path';
import { writeBackup } from '../../backup/backup.ts';
import { readConversationFile } from '../../ingest/ingest.ts';
import { MemoryError } from '../../model/model.ts';
import type { Admin } from '../memory.ts';
import { UNIT_JOB_KINDS, type MemoryCore } from '../memoryCore.ts';
import { checkOptions } from '../options.ts';

export function createAdmin(core: MemoryCore): Admin {
  const { store } = core;
  const { checkpoints, now, model, episodeJobKinds } = core.parts;
  return {
    async info() {
      const [info, nextVectorModel] = await Promise.all([
        store.admin.info(),
        store.indexes.vectors.nextModel(),
      ]);
      const embedder = core.vectors.embedder?.id ?? null;
      return { ...info, embedder, nextVectorModel, model: model.current?.id ?? null };
    },
    async verify(options = {}) {
      checkOptions('admin.verify', options);
      return checkpoints.verify(options);
    },
    checkpoint: async () => checkpoints.sign(),
    async rebuild(what = 'indexes', options = {}) {
      checkOptions('admin.rebuild', options);
      const { vectors, onProgress } = options;
      const { embedder } = core.vectors;
      const kept = await store.indexes.vectors.model();
      const isOtherModel = embedder !== null && kept !== null && kept.id !== embedder.id;
      const report = await store.admin.rebuild(what, {
        jobKinds: what === 'units' ? episodeJobKinds : UNIT_JOB_KINDS,
        now: now(),
        dropVectors: vectors === true || isOtherModel,
        ...(onProgress && { onProgress }),
      });
      // Jobs that failed with the previous model may succeed with this one.
      await store.jobs.retryFailed(now());
      core.wake();
      return report;
    },
    async backup(path) {
      const { dataDir, options } = core.parts;
      if (options.store !== undefined) {
        throw new MemoryError(
          'INVALID_INPUT',
          'A database is backed up by PostgreSQL’s own tools: docs/postgres.md.',
        );
      }
      return writeBackup({
        dataDir,
        to: path,
        memoryIds: [store.memoryId],
        now,
        ...(options.notes && !isWithin(options.notes.global, dataDir) && { notes: options.notes.global }),
      });
    },
    async archive(options = {}) {
      checkOptions('admin.archive', options);
      return core.parts.archiving.write(options.onProgress);
    },
    verifyArchive: async () => core.parts.archiving.verify(),
    async importFile(path, options = {}) {
      checkOptions('admin.importFile', options);
      const { format, conversationId, me, dateOrder, ...rest } = options;
      const { timeZone } = store;
      const items = readConversationFile(path, { timeZone, format, conversationId, me, dateOrder });
      return core.addAll(items, rest);
    },
  };
}

function isWithin(path: string, folder: string): boolean {
  return !relative(folder, path).startsWith('..');
}
