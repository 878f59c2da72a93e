import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDirectorySet } from './directorySet.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'omoide-evaltest-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TURN =
  '{"conv_id":"a","session_id":"s","turn_id":"t1","speaker":"Ann","text":"Hello.","timestamp":null}';
const QUERY = '{"query_id":"q","conv_id":"a","text":"hello","evidence":["t1"]}';

function read(history: string, queries: string) {
  writeFileSync(join(folder, 'history.jsonl'), history);
  writeFileSync(join(folder, 'queries.jsonl'), queries);
  return readDirectorySet(folder);
}

test('turns keep their order and position, also when sessions are mixed', async () => {
  const line = (session: string, id: number) =>
    JSON.stringify({
      conv_id: 1,
      session_id: session,
      turn_id: id,
      speaker: 'Ann',
      text: `no. ${id}`,
      timestamp: null,
    });
  const history = [line('s1', 1), line('s2', 2), line('s1', 3)].join('\n');
  const set = await read(
    `\uFEFF${history}\r\n\n`,
    '{"query_id":7,"conv_id":1,"text":"no.","evidence":[3,3]}',
  );
  const [conversation] = await Array.fromAsync(set.conversations());
  expect(
    conversation?.turns.map(({ turn, sourceId }) => [sourceId, turn.conversationId, turn.turnIndex]),
  ).toEqual([
    ['1', 's1', 0],
    ['2', 's2', 0],
    ['3', 's1', 1],
  ]);
  // The session of the evidence is known even if the query does not name it.
  expect(conversation?.queries).toMatchObject([
    { id: '7', type: 'untyped', goldTurns: ['3'], goldSessions: ['s1'] },
  ]);
  expect(await set.queryCounts()).toEqual([1]);
});

test.each([
  ['{"conv_id":"a",', QUERY, 'history.jsonl', 2, /not JSON/],
  ['{"conv_id":"a","turn_id":"t2","text":"no one"}', QUERY, 'history.jsonl', 2, /speaker/],
  [TURN, QUERY, 'history.jsonl', 2, /t1 occurs twice/],
  [TURN.replace('t1', 't2').replace('null', '"one day"'), QUERY, 'history.jsonl', 2, /time/i],
  [TURN.replace('t1', 't2').replace('"s"', '"s/1"'), QUERY, 'history.jsonl', 2, /slash/],
  ['', '[]', 'queries.jsonl', 1, /line/],
  ['', `${QUERY}\n${QUERY.replace('"a"', '"b"')}`, 'queries.jsonl', 2, /no conversation b/],
  ['', QUERY.replace('t1', 't9'), 'queries.jsonl', 1, /no turn t9/],
  ['', QUERY.replace('}', ',"cutoff_turn_id":"t8"}'), 'queries.jsonl', 1, /no turn t8/],
  ['', QUERY.replace('hello', ''), 'queries.jsonl', 1, /text/],
])('a malformed line is named: %s %s', async (second, queries, file, line, reason) => {
  await expect(read(`${TURN}\n${second}`, queries)).rejects.toMatchObject({
    name: 'MemoryError',
    message: expect.stringMatching(reason) as string,
    details: { file: join(folder, file), line },
  });
});

test('a turn without text is left out with a note, and references to it are ignored', async () => {
  const empty = TURN.replace('t1', 't2').replace('Hello.', ' ');
  const later = TURN.replace('t1', 't3').replace('Hello.', 'Bye.');
  const query = '{"query_id":"q","conv_id":"a","text":"bye","evidence":["t2","t3"],"cutoff_turn_id":"t2"}';
  const set = await read([TURN, empty, later].join('\n'), query);
  expect(set.notes).toEqual(['Left out turns without text: 1.']);
  const [conversation] = await Array.fromAsync(set.conversations());
  expect(conversation?.turns.map(({ sourceId }) => sourceId)).toEqual(['t1', 't3']);
  expect(conversation?.queries).toMatchObject([{ goldTurns: ['t3'], goldSessions: ['s'], cutoffTurn: 't3' }]);
});

test('a query may name sessions only, and its context may be a list', async () => {
  const query = {
    query_id: 'q',
    conv_id: 'a',
    text: 'hello',
    evidence_sessions: ['s'],
    context: ['Ann: Hi.', { speaker: 'Bob', text: 'Hi Ann.' }],
  };
  const [conversation] = await Array.fromAsync((await read(TURN, JSON.stringify(query))).conversations());
  expect(conversation?.queries).toMatchObject([
    {
      goldTurns: [],
      goldSessions: ['s'],
      isUnanswerable: false,
      context: [
        { speaker: 'Ann', text: 'Hi.' },
        { speaker: 'Bob', text: 'Hi Ann.' },
      ],
    },
  ]);
});

test('rejects a file that is not UTF-8', async () => {
  writeFileSync(join(folder, 'history.jsonl'), Buffer.from([0x7b, 0xff, 0x7d]));
  await expect(readDirectorySet(folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});
