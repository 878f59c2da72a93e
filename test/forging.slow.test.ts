/** Ways to forge a memory's files. `omoide verify` finds each, names it and exits with code 1. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { openMemory } from '../src/engine/engine.ts';
import { witnessedCheckpointText } from '../src/model/model.ts';
import { runCommand } from './cli/runCommand.ts';
import { forgeTurn, rewriteHashes } from './forgedTurns.ts';
import { temporaryFolder } from './temporary.ts';

const OPEN = { embedder: { provider: 'hashed' }, worker: false, learn: false } as const;

interface Forged {
  readonly dataDir: string;
  readonly db: DatabaseSync;
  readonly log: string;
  /** A place outside the data folder. */
  readonly witness: string;
}

/** Twelve turns in three sessions, each signed at its end. */
async function makeMemory(): Promise<Omit<Forged, 'db'>> {
  const [dataDir, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const witness = join(elsewhere, 'witness.log');
  for (let sitting = 0; sitting < 3; sitting += 1) {
    const memory = await openMemory({ ...OPEN, dataDir, witness });
    for (let i = 0; i < 4; i += 1)
      await memory.add({ conversationId: 'c', speaker: 'user', text: `sentence ${sitting * 4 + i + 1}` });
    if (sitting === 0) {
      const unit = await memory.units.add({
        content: {
          kind: 'loop',
          payload: { text: 'Call the dentist.' },
        },
      });
      await memory.units.update({ unitId: unit.id, set: { salience: 0.9 } });
      await memory.units.link(1, unit.id, 'contextual');
    }
    await memory.close();
  }
  return { dataDir, log: join(dataDir, 'witness_default.log'), witness };
}

/** Runs `change` with the triggers dropped, and creates them again. */
function withoutTriggers(db: DatabaseSync, change: () => void): void {
  const triggers = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'turn'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
  db.exec('PRAGMA foreign_keys = OFF');
  change();
  for (const { sql } of triggers) db.exec(String(sql));
}

function rewrite(db: DatabaseSync, turnId: number): void {
  withoutTriggers(db, () => {
    forgeTurn(db, turnId, { text: 'forged' });
    rewriteHashes(db);
  });
}

function cutTail(db: DatabaseSync, lastId: number): void {
  withoutTriggers(db, () => {
    db.prepare('DELETE FROM unit WHERE turn_id > ?').run(lastId);
    db.prepare('DELETE FROM turn WHERE id > ?').run(lastId);
    db.prepare('DELETE FROM checkpoint WHERE turn_id > ?').run(lastId);
  });
}

function signAgain(db: DatabaseSync): void {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  db.exec('DELETE FROM checkpoint');
  const last = db.prepare('SELECT id, chain_hash FROM turn ORDER BY id DESC LIMIT 1').get();
  const checkpoint = {
    turnId: Number(last?.['id']),
    chainHash: Buffer.from(last?.['chain_hash'] as Uint8Array).toString('hex'),
    at: 1,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  };
  const signature = sign(null, Buffer.from(witnessedCheckpointText('default', checkpoint)), privateKey);
  db.prepare(
    'INSERT INTO checkpoint (turn_id, chain_hash, at, public_key, signature) VALUES (?, ?, ?, ?, ?)',
  ).run(
    checkpoint.turnId,
    checkpoint.chainHash,
    checkpoint.at,
    checkpoint.publicKey,
    signature.toString('base64'),
  );
}

const HASHED_TABLES = ['link', 'entity', 'unit_entity', 'edge', 'topic_member', 'topic_parent'];

const RECIPES: Readonly<Record<string, { forge: (memory: Forged) => void; says: RegExp; witness?: true }>> = {
  'a turn edited, as it is': {
    forge: ({ db }) => withoutTriggers(db, () => forgeTurn(db, 6, { text: 'forged' })),
    says: /first turn that does not match: #6/,
  },
  'a turn edited, all hashes recomputed, checkpoints deleted': {
    forge({ db }) {
      rewrite(db, 6);
      db.exec('DELETE FROM checkpoint');
    },
    says: /first turn that does not match: #6, turn 5 of conversation c/,
  },
  'the same, signed anew with another key': {
    forge({ db }) {
      rewrite(db, 6);
      signAgain(db);
    },
    says: /not signed with .*signing\.key[^]*first turn that does not match: #6/,
  },
  'the last turns deleted with their checkpoints': {
    forge: ({ db }) => cutTail(db, 9),
    says: /first turn that does not match: #10/,
  },
  'checkpoints deleted': {
    forge: ({ db }) => db.exec('DELETE FROM checkpoint WHERE turn_id = 12'),
    says: /checkpoint at turn 12 is missing/,
  },
  'the triggers dropped': {
    forge: ({ db }) => db.exec('DROP TRIGGER turn_is_never_updated'),
    says: /trigger turn_is_never_updated is missing/,
  },
  'a trigger weakened': {
    forge: ({ db }) =>
      db.exec(
        'DROP TRIGGER turn_is_never_updated; CREATE TRIGGER turn_is_never_updated BEFORE UPDATE ON turn BEGIN SELECT 1; END',
      ),
    says: /trigger turn_is_never_updated was changed/,
  },
  'a trigger added': {
    forge: ({ db }) =>
      db.exec('CREATE TRIGGER t AFTER INSERT ON turn BEGIN UPDATE unit SET salience = 0; END'),
    says: /trigger t that does not belong/,
  },
  'the log cut short': {
    forge({ log }) {
      const lines = readFileSync(log, 'utf8').split('\n');
      writeFileSync(log, `${lines.slice(0, 1).join('\n')}\n`);
    },
    says: /lacks the checkpoint at turn 8/,
  },
  'the log deleted': {
    forge: ({ log }) => rmSync(log),
    says: /lacks the checkpoint at turn 4/,
  },
  'a line of the log edited': {
    forge({ log }) {
      writeFileSync(log, readFileSync(log, 'utf8').replace('"turnId":8', '"turnId":7'));
    },
    says: /Line 2 of .* is not signed by its key/,
  },
  'turns, checkpoints and log cut at the same place': {
    forge({ db, log }) {
      cutTail(db, 8);
      const lines = readFileSync(log, 'utf8').split('\n');
      writeFileSync(log, `${lines.slice(0, 2).join('\n')}\n`);
    },
    witness: true,
    says: /Turn 9 (?:is missing|was changed): .*witness\.log/,
  },
  'all of the folder rewritten, its key and log removed': {
    forge({ db, log, dataDir }) {
      rewrite(db, 3);
      db.exec('DELETE FROM checkpoint');
      rmSync(log);
      rmSync(join(dataDir, 'signing.key'));
    },
    witness: true,
    says: /Turn 3 was changed: .*witness\.log/,
  },
  'an older version of a unit edited': {
    forge: ({ db }) =>
      db.exec(
        `UPDATE unit_version SET snapshot = (
           SELECT other.snapshot FROM unit_version AS other WHERE other.unit_id = unit_version.unit_id AND other.version = 2
         ) WHERE version = 1 AND EXISTS (
           SELECT 1 FROM unit_version AS other WHERE other.unit_id = unit_version.unit_id AND other.version = 2)`,
      ),
    says: /Version 1 of unit \d+ does not match its hash/,
  },
  'a derived unit edited': {
    forge: ({ db }) =>
      db.exec(
        `UPDATE unit SET payload = '{"text":"Call the plumber.","dueAt":null,"evidence":[],"status":"open"}' WHERE kind <> 0`,
      ),
    says: /Unit \d+ cannot be decrypted/,
  },
  'a link edited': {
    forge: ({ db }) => db.exec("UPDATE link SET relation = 'contradicts'"),
    says: /row of link with from_unit_id 1, to_unit_id \d+, relation contradicts does not match its hash/,
  },
  'a link added': {
    forge: ({ db }) => db.exec("INSERT INTO link VALUES (2, 3, 'contradicts', '')"),
    says: /row of link with from_unit_id 2, to_unit_id 3, relation contradicts has no hash/,
  },
  'a link edited in a file that was turned back to the schema without hashes': {
    forge({ db }) {
      db.exec("UPDATE link SET relation = 'contradicts'");
      for (const table of HASHED_TABLES) db.exec(`ALTER TABLE ${table} DROP COLUMN mac`);
      db.exec('PRAGMA user_version = 5');
    },
    says: /row of link with from_unit_id 1, to_unit_id \d+, relation contradicts has no hash/,
  },
};

describe('omoide verify finds', () => {
  test.each(Object.entries(RECIPES))('%s', async (_, { forge, says, witness }) => {
    const made = await makeMemory();
    const verify = ['verify', '--data', made.dataDir, ...(witness ? ['--witness', made.witness] : [])];
    expect(await runCommand(...verify)).toMatchObject({ code: 0 });
    const db = new DatabaseSync(join(made.dataDir, 'memory_default.db'));
    forge({ ...made, db });
    db.close();
    const first = await runCommand(...verify);
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(says);
    // Verifying signs nothing, and further turns do not hide the change.
    const memory = await openMemory({ ...OPEN, dataDir: made.dataDir });
    await memory.add({ conversationId: 'c', speaker: 'user', text: 'afterwards' });
    await memory.close();
    const again = await runCommand(...verify);
    expect(again.code).toBe(1);
    expect(again.stdout).toMatch(says);
  });

  test('a memory rewritten with its own key, by a head that was noted before', async () => {
    const { dataDir, log } = await makeMemory();
    const before = await openMemory({ ...OPEN, dataDir });
    const { chainHead } = await before.admin.verify();
    await before.add({ conversationId: 'c', speaker: 'user', text: 'one more' });
    await before.close();
    const expecting = ['verify', '--data', dataDir, '--expect', chainHead];
    expect(await runCommand(...expecting)).toMatchObject({ code: 0 });
    const db = new DatabaseSync(join(dataDir, 'memory_default.db'));
    rewrite(db, 2);
    db.exec('DELETE FROM checkpoint');
    db.close();
    rmSync(log);
    const memory = await openMemory({ ...OPEN, dataDir });
    await memory.admin.rebuild('units');
    await memory.admin.checkpoint();
    await memory.close();
    expect(await runCommand('verify', '--data', dataDir)).toMatchObject({ code: 0 });
    const { code, stdout } = await runCommand(...expecting);
    expect([code, stdout.includes(chainHead)]).toEqual([1, true]);
  });

  test('nothing wrong with an unchanged copy of a folder', async () => {
    const { dataDir } = await makeMemory();
    const copy = temporaryFolder();
    for (const name of ['memory_default.db', 'keys.db', 'master.key', 'signing.key', 'witness_default.log'])
      copyFileSync(join(dataDir, name), join(copy, name));
    expect(await runCommand('verify', '--data', copy)).toMatchObject({ code: 0 });
  });
});
