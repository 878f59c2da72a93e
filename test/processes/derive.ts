/**
 * A process that runs a derivation on every turn of a memory and then recomputes all vectors with another model. Tests
 * kill it; started again, it continues.
 *
 *     node derive.ts '{"path":"…/memory.db","turns":60}'
 *
 * Lines: `open`, `derived N` for the unit of each stored derivation, `prepared MODEL`, `switched MODEL`, `done`.
 */
import { writeSync } from 'node:fs';
import { newUnitSchema } from '../../src/model/model.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite.ts';
import type { DerivationResult, Store, TurnDraft } from '../../src/store/store.ts';

export interface DeriveRequest {
  readonly path: string;
  readonly turns: number;
}

/** The first serves at the start; each of the others is prepared and then switched to. */
export const MODELS = ['first', 'second', 'third'];
export const PEOPLE = ['田中さん', '老王', 'Sarah Connor'];

export function openAt(path: string): Store {
  return openSqliteStore(path, { memoryId: 'm', timeZone: 'UTC' });
}

/** One fact, one person and one edge for each unit. */
export function derivationOf(unitId: number): DerivationResult {
  const payload = { subject: 'user', predicate: 'says', object: `thing ${unitId}`, evidence: [unitId] };
  const unit = newUnitSchema.parse({ content: { kind: 'fact', payload } });
  const named = [PEOPLE[unitId % PEOPLE.length] ?? '', 'user'].map((name) => ({
    entityId: null,
    type: 'person' as const,
    name,
    aliases: [],
    surface: name,
    confidence: 1,
  }));
  return {
    mark: { unitId, kind: 'extract', fingerprint: 'one fact' },
    changes: [
      { type: 'add', unit, reason: 'derived' },
      { type: 'update', unitId, set: { notes: { reflection: `read ${unitId}` } }, reason: 'read' },
    ],
    mentions: named,
    relations: [{ from: 1, to: 0, relation: 'knows', weight: 0.5 }],
    unitJobKinds: ['embed'],
  };
}

/** A vector computed from the model and the id. */
export function vectorOf(model: string, unitId: number): Float32Array {
  return Float32Array.from({ length: 8 + MODELS.indexOf(model) }, (_, i) => 1 + ((unitId * (i + 3)) % 17));
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

async function append(store: Store, turns: number): Promise<void> {
  const drafts = Array.from({ length: turns }, (_, turnIndex): TurnDraft => {
    const origin = { source: 'chat', sensitivity: 'normal', scope: 'global', imageSummary: null } as const;
    const text = `Turn ${turnIndex}: 田中さんと散歩した。`;
    const jobKinds = ['embed', 'extract'];
    return {
      conversationId: 'c',
      turnIndex,
      speaker: 'user',
      text,
      occurredAt: turnIndex,
      meta: {},
      jobKinds,
      ...origin,
    };
  });
  await store.evidence.append(drafts);
}

async function work(store: Store): Promise<void> {
  // A killed process may still hold a lease; the test does not wait for it to expire.
  const claim = { kinds: ['extract'], owner: 'child', leaseMs: 1, limit: 3 };
  for (;;) {
    const jobs = await store.jobs.claim({ ...claim, now: Date.now() + 1_000 });
    if (jobs.length === 0) return;
    for (const job of jobs) {
      const unitId = Number(job.input['unitId']);
      await store.units.applyDerivation(derivationOf(unitId));
      say(`derived ${unitId}`);
    }
    await store.jobs.settle(
      'child',
      jobs.map((job) => ({ jobId: job.id, result: 'done' })),
    );
  }
}

async function prepare(store: Store, model: string): Promise<void> {
  for (;;) {
    const unitIds = await store.indexes.vectors.missingFromNext(model, 7);
    if (unitIds.length === 0) break;
    await store.indexes.vectors.upsertNext(
      model,
      unitIds.map((unitId) => ({ unitId, vector: vectorOf(model, unitId) })),
    );
    say(`prepared ${model}`);
  }
  if (await store.indexes.vectors.switchToNext(model)) say(`switched ${model}`);
}

async function main({ path, turns }: DeriveRequest): Promise<void> {
  const store = openAt(path);
  say('open');
  await append(store, turns);
  const kept = await store.indexes.vectors.model();
  const [first = '', ...others] = MODELS.slice(MODELS.indexOf(kept?.id ?? MODELS[0] ?? ''));
  const unitIds = (await store.units.list({}, { limit: 10_000 })).map((unit) => unit.id);
  await store.indexes.vectors.upsert(
    first,
    unitIds.map((unitId) => ({ unitId, vector: vectorOf(first, unitId) })),
  );
  await work(store);
  for (const model of others) await prepare(store, model);
  await store.close();
  say('done');
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as DeriveRequest);
