import { KeyWrapping, type KeyPlace, type MasterKeySetting } from '../../keys/keys.ts';
import { connect } from './database.ts';
import { PostgresKeys } from './keys.ts';
import { schemaVersion } from './migrate.ts';
import type { Session } from './session.ts';

/**
 * Encrypts the keys of all memories of a database under a new master key, one memory at a time. After an interruption,
 * call it again to continue.
 * @param to where the new key is or will be stored; default: it replaces the present one
 * @throws MemoryError KEY_MISSING, INVALID_INPUT if the present one cannot be replaced, READ_ONLY, BUSY
 */
export async function rotatePostgresKeys(url: string, place: KeyPlace, to?: MasterKeySetting): Promise<void> {
  const db = connect(url);
  try {
    const memories = await db.read(async () => {
      if ((await schemaVersion(db.sql)) === 0) return [];
      return db.sql.unsafe<{ id: number; wrapped_key: Uint8Array }[]>(
        'SELECT id, wrapped_key FROM memory ORDER BY id',
      );
    });
    const present = new KeyWrapping(place);
    present.open({ isUsed: true });
    const next = present.next(to);
    for (const { id, wrapped_key: wrappedKey } of memories) {
      const wrapped = next.wrapping.rewrap(wrappedKey, present);
      const keys = new PostgresKeys(next.wrapping, wrapped);
      const rewrap = (one: Uint8Array) => next.wrapping.rewrap(one, present);
      await db.transaction({ id, keys }, { lock: 'write' }, (tx) => rewrapMemory(tx, rewrap));
    }
    next.finish();
  } finally {
    await db.close();
  }
}

async function rewrapMemory(tx: Session, rewrap: (wrapped: Uint8Array) => Uint8Array): Promise<void> {
  const memory = await tx.get<{ wrapped_key: Uint8Array }>('SELECT wrapped_key FROM memory WHERE id = $1');
  if (memory) await tx.run('UPDATE memory SET wrapped_key = ? WHERE id = $1', rewrap(memory.wrapped_key));
  const pages = await tx.all<{ id: Uint8Array; keys: Uint8Array }>(
    'SELECT id, keys FROM key_page WHERE memory_id = $1',
  );
  for (const { id, keys } of pages) {
    await tx.run('UPDATE key_page SET keys = ? WHERE memory_id = $1 AND id = ?', rewrap(keys), id);
  }
}
