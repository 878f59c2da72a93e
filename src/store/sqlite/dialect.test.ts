import { expect, test } from 'vitest';
import { toSqlite } from './dialect.ts';

test.each([
  ['SELECT 1 FROM unit WHERE memory_id = $1 AND id = ?', 'SELECT 1 FROM unit WHERE id = ?'],
  [
    'UPDATE entity SET mentions = 0 WHERE memory_id = $1\n  AND id = ?',
    'UPDATE entity SET mentions = 0 WHERE id = ?',
  ],
  ['UPDATE topic SET changes = changes + 1 WHERE memory_id = $1', 'UPDATE topic SET changes = changes + 1'],
  ['INSERT INTO topic_parent VALUES ($1, ?, ?)', 'INSERT INTO topic_parent VALUES (?, ?)'],
  ['ON CONFLICT (memory_id, topic_id) DO NOTHING', 'ON CONFLICT (topic_id) DO NOTHING'],
  [
    'SELECT t.id FROM topic_parent p JOIN topic t ON t.memory_id = $1 AND t.id = p.topic_id WHERE p.memory_id = $1',
    'SELECT t.id FROM topic_parent p CROSS JOIN topic t ON t.id = p.topic_id',
  ],
  [
    'WHERE u.memory_id = $1 AND u.id = ANY (?::bigint[]) LIMIT ?',
    'WHERE u.id IN (SELECT value FROM json_each(?)) LIMIT +?',
  ],
  ["to_json(coalesce(json_agg(u.id), '[]'))", "json(coalesce(json_group_array(u.id), '[]'))"],
])('translates a statement for PostgreSQL to SQLite: %s', (sql, expected) => {
  expect(toSqlite(sql)).toBe(expected);
});
