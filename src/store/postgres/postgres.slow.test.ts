import { tmpdir } from 'node:os';
import { describe, onTestFinished } from 'vitest';
import { missingForServer } from '../../../test/postgres/server.ts';
import { dumpMemory, freeName, applyDamage } from '../../../test/postgres/memories.ts';
import { sharedServer } from '../../../test/postgres/shared.ts';
import { describeStore, type OpenStore } from '../../../test/conformance/conformance.ts';
import { openPostgresStore } from './postgres.ts';

const PARTITIONS = 3;
/** The server's own master key is used, whatever the folder. */
const KEYS = { folder: tmpdir() };

const open: OpenStore = async (options) => {
  // Opening connections takes longer than the tests themselves.
  const url = `${(await sharedServer()).url()}?max_connections=3`;
  await freeName(url, options.memoryId);
  const stores = [await openPostgresStore(url, { ...options, partitions: PARTITIONS, keys: KEYS })];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  const openAnother = async () => {
    const store = await openPostgresStore(url, { ...options, timeZone: 'UTC', keys: KEYS });
    stores.push(store);
    return store;
  };
  return {
    store: stores[0]!,
    openAnother,
    async reopen() {
      for (const store of stores) await store.close();
      return openAnother();
    },
    dump: () => dumpMemory(url, options.memoryId),
    damage: (damage) => applyDamage(url, options.memoryId, damage),
  };
};

const missing = missingForServer();
describe.skipIf(missing !== null)(`a server of its own ${missing ?? ''}`, () => {
  describeStore('PostgreSQL', open);
});
