/** Every statement names the memory for every table that it reads or writes, so that none sees another memory's rows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
/** Statements that both stores run. */
const SHARED = fileURLToPath(new URL('../tables/', import.meta.url));
const SCHEMA = readFileSync(join(FOLDER, 'migrations/001_memory.sql'), 'utf8');
const TABLES = [...SCHEMA.matchAll(/CREATE TABLE (\w+) \([^;]*PARTITION BY/g)].map(([, name]) => name);

/** Includes inserted names. */
const TABLE = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO)\\s+(?:(?:${TABLES.join('|')})\\b|\\$\\{\\w+\\})`, 'g');
/** Inserted conditions begin with the memory, which is checked below. */
const CONDITIONS = ['${HELD}', '${DUE_JOB}', '${keyCondition(', '${from}'];
const MEMORY =
  /memory_id = (?:\$1|\w+\.memory_id)|VALUES \(\$1|SELECT (?:DISTINCT )?\$1|memory_id, .*\)\s+SELECT|memory_id IN/g;
const TEXTS = /`[^`]*`|'[^'\n]*'|"[^"\n]*"/g;

function sources(): { name: string; text: string }[] {
  return [FOLDER, SHARED].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') })),
  );
}

function namings(text: string): number {
  const put = CONDITIONS.reduce((sum, condition) => sum + text.split(condition).length - 1, 0);
  return (text.match(MEMORY)?.length ?? 0) + put;
}

test('every table in a statement is joined with the memory', () => {
  const statements = sources().flatMap(({ name, text }) =>
    (text.match(TEXTS) ?? []).map((statement) => ({ name, statement })),
  );
  const ofTables = statements.filter(({ statement }) => statement.match(TABLE));
  expect(ofTables.length).toBeGreaterThan(150);
  const unnamed = ofTables.filter(
    ({ statement }) => namings(statement) < (statement.match(TABLE)?.length ?? 0),
  );
  expect(unnamed).toEqual([]);
});

test('only two database functions read all memories at once', () => {
  const migrations = readdirSync(join(FOLDER, 'migrations')).map((name) =>
    readFileSync(join(FOLDER, 'migrations', name), 'utf8'),
  );
  const functions = migrations.flatMap((sql) => [...sql.matchAll(/FUNCTION (omoide_memories_\w+)\(/g)]);
  expect([...new Set(functions.map(([, name]) => name))].sort()).toEqual([
    'omoide_memories_of_other_models',
    'omoide_memories_with_work',
  ]);
  const callers = sources().filter(({ text }) => text.includes('omoide_memories_'));
  expect(callers.map(({ name }) => name).sort()).toEqual(['dueJobs.ts', 'postgres.ts']);
});

test('inserted conditions begin with the memory', () => {
  const jobs = readFileSync(join(SHARED, 'jobQueue.ts'), 'utf8');
  expect(jobs).toMatch(/const HELD = "memory_id = \$1 AND/);
  expect(jobs).toMatch(/const DUE_JOB = `j\.memory_id = \$1 AND/);
  const topics = readFileSync(join(SHARED, 'topicUpkeep.ts'), 'utf8');
  expect(topics).toMatch(/find\(says, `\$\{table\} x WHERE memory_id = \$1 AND/);
  expect(topics).toMatch(/find\(says, `topic x WHERE memory_id = \$1 AND/);
  expect(readFileSync(join(SHARED, 'rowImages.ts'), 'utf8')).toMatch(/\['memory_id = \$1', /);
});
