import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { draft, say, START } from '../../../test/conformance/samples.ts';
import { freeName } from '../../../test/postgres/memories.ts';
import { missingForServer } from '../../../test/postgres/server.ts';
import { sharedServer, withDatabase } from '../../../test/postgres/shared.ts';
import { openPostgresStore } from './postgres.ts';

const MEMORY = 'terms';
const OF_MEMORY = `memory_id = (SELECT id FROM memory WHERE name = '${MEMORY}')`;
const WORDS_OF_1 = 'The words of unit 1 in the text index are not those of its text.';
const SHARED_ID = 'Several terms of the text index have the id 1.';

const missing = missingForServer();
describe.skipIf(missing !== null)(`verify finds ${missing ?? ''}`, () => {
  test.each([
    ['a wrong number of times', `UPDATE posting SET times = times + 1 WHERE unit_id = 1`, [WORDS_OF_1]],
    ['a missing term of a unit', `DELETE FROM posting WHERE unit_id = 1 AND term_id = 1`, [WORDS_OF_1]],
    [
      'a term that the unit does not have',
      `INSERT INTO posting SELECT memory_id, 99, unit_id, 1, length FROM posting WHERE unit_id = 1 AND term_id = 1`,
      [WORDS_OF_1],
    ],
    [
      'terms whose ids were exchanged',
      `UPDATE term SET id = last.id + 1 - term.id FROM (SELECT memory_id AS memory, max(id) AS id FROM term GROUP BY 1) last
       WHERE memory_id = last.memory`,
      [WORDS_OF_1],
    ],
    ['terms with the same id', `UPDATE term SET id = 1 WHERE id = 2`, [WORDS_OF_1, SHARED_ID]],
  ])('%s in the text index', async (_, damage, expected) => {
    const url = (await sharedServer()).url();
    await freeName(url, MEMORY);
    const options = { memoryId: MEMORY, timeZone: 'UTC', now: () => START, keys: { folder: tmpdir() } };
    const store = await openPostgresStore(url, options);
    onTestFinished(() => store.close());
    await say(store, draft('red kites', { turnIndex: 0 }), draft('old mills', { turnIndex: 1 }));
    expect((await store.admin.verify()).problems).toEqual([]);
    await withDatabase(url, (sql) => sql.unsafe(`${damage} AND ${OF_MEMORY}`));
    const messages = (await store.admin.verify()).problems.map(({ message }) => message);
    expect(messages).toEqual(expect.arrayContaining(expected));
  });
});
