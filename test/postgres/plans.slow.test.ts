/** How PostgreSQL plans the statements of recalls. */
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/store/postgres/database.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { draft } from '../conformance/samples.ts';
import { newDatabase } from './processes.ts';
import { missingForServer } from './server.ts';
import { sharedServer } from './shared.ts';

const PARTITIONS = 3;

interface Prepared {
  readonly name: string;
  readonly custom_plans: number;
  readonly parameters: number;
}

const missing = missingForServer();
describe.skipIf(missing !== null)(`statements ${missing ?? ''}`, () => {
  test('are planned once for all memories, and each execution reads only the partition of its memory', async () => {
    // One connection for statements, one for transactions.
    const url = `${await newDatabase(await sharedServer())}?max_connections=2`;
    const db = connect(url);
    onTestFinished(() => db.close());
    for (const memoryId of ['a', 'b']) {
      const store = await openPostgresStore(url, {
        memoryId,
        timeZone: 'UTC',
        partitions: PARTITIONS,
        keys: { folder: tmpdir() },
      });
      onTestFinished(() => store.close());
      const [turn] = await store.evidence.append([draft('tea and cake')]);
      const unitIds = [turn?.unitId ?? 0];
      const vector = new Float32Array(8).fill(1);
      await store.indexes.vectors.upsert('m', [{ unitId: unitIds[0] ?? 0, vector }]);
      for (let times = 0; times < 10; times += 1) {
        await store.indexes.text.search(['tea'], {}, 10);
        await store.indexes.text.statistics({ terms: ['tea'], speakers: ['user'] });
        await store.indexes.vectors.query(vector, {}, 10);
        await store.indexes.vectors.cosines(vector, unitIds);
        await store.indexes.vectors.newestWithout('m', { limit: 10 });
        await store.units.passages(unitIds);
        await store.units.adjacent(unitIds, {}, 1);
        await store.units.list({}, { limit: 10 });
      }
    }
    const prepared = await db.sql.unsafe<Prepared[]>(
      `SELECT name, custom_plans::integer, cardinality(parameter_types) AS parameters FROM pg_prepared_statements
       WHERE statement LIKE '%memory_id = $1%'`,
    );
    expect(prepared.length).toBeGreaterThan(7);
    for (const { name, custom_plans, parameters } of prepared) {
      expect({ name, custom_plans }).toEqual({ name, custom_plans: 0 });
      const values = Array.from({ length: parameters }, (_, i) => (i === 0 ? '1' : 'NULL'));
      const lines = await db.sql.unsafe(`EXPLAIN EXECUTE "${name}" (${values.join(', ')})`);
      const plan = JSON.stringify(lines);
      const partitions = new Set([...plan.matchAll(/ on [a-z_]+_(\d+) /g)].map(([, partition]) => partition));
      expect({ plan, read: partitions.size }).toEqual({ plan, read: 1 });
      expect(plan).not.toContain('Workers Planned');
    }
  });
});
