import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../../model/model.ts';
import type { Line } from '../window.ts';
import { placeOf } from './place.ts';

const MINUTE_MS = 60_000;

/** Lines written as `u hello` and `a hi`. */
const lines = (...words: string[]): Line[] =>
  words.map((word) => ({ speaker: word.startsWith('u') ? 'user' : 'ai', text: word.slice(2) }));

/** The lines as turns, one minute apart, the last one minute ago. */
const turns = (from: number, ...words: string[]): Turn[] =>
  lines(...words).map(
    (line, i) => ({ ...line, turnIndex: from + i, occurredAt: -MINUTE_MS * (words.length - i) }) as Turn,
  );

describe('the place of a turn in its conversation', () => {
  test.each([
    ['first in a new conversation', [], lines('u hi'), 0],
    ['in a conversation that began without us', [], lines('u hi', 'a hello', 'u and?'), 2],
    ['next', turns(0, 'u hi', 'a hello'), lines('u hi', 'a hello', 'u and?'), 2],
    [
      'repeated before it was answered',
      turns(0, 'u hi', 'a hello', 'u and?'),
      lines('u hi', 'a hello', 'u and?'),
      2,
    ],
    ['repeated at the beginning', turns(0, 'u hi'), lines('u hi'), 0],
    ['regenerated', turns(0, 'u hi', 'a hello'), lines('u hi'), 0],
    [
      'regenerated later in the conversation',
      turns(0, 'u hi', 'a hello', 'u and?', 'a so.'),
      lines('u hi', 'a hello', 'u and?'),
      2,
    ],
    [
      'after a regenerated answer',
      turns(0, 'u hi', 'a hello', 'a hey'),
      lines('u hi', 'a hey', 'u and?'),
      null,
    ],
    [
      'repeated after a regenerated answer',
      turns(0, 'u hi', 'a hello', 'a hey', 'u and?'),
      lines('u hi', 'a hey', 'u and?'),
      3,
    ],
    ['edited', turns(0, 'u hi', 'a hello'), lines('u hey'), null],
    [
      'from a client that leaves out the beginning',
      turns(0, 'u 1', 'a 2', 'u 3', 'a 4'),
      lines('u 3', 'a 4', 'u 5'),
      null,
    ],
    ['repeated by such a client', turns(0, 'u 1', 'a 2', 'u 3', 'a 4', 'u 5'), lines('u 3', 'a 4', 'u 5'), 4],
    [
      'the same as earlier, after something else',
      turns(0, 'u 1', 'a 2', 'u yes', 'a 4'),
      lines('u 1', 'a 2', 'u yes', 'a 4', 'u yes'),
      4,
    ],
    [
      'the same as in a conversation with the same beginning',
      turns(0, 'u hi', 'a hello', 'u news?', 'a none'),
      lines('u hi', 'a good day', 'u news?'),
      null,
    ],
    [
      'the same greeting after a whole conversation',
      turns(0, 'u hi', 'a hello', 'u bye', 'a bye'),
      lines('u hi'),
      null,
    ],
  ])('%s', (_what, kept, said, place) => {
    expect(placeOf(kept, said, said.length - 1, 0)).toBe(place);
  });

  test('the same greeting much later is a new turn', () => {
    expect(placeOf(turns(0, 'u hi', 'a hello'), lines('u hi'), 0, 60 * MINUTE_MS)).toBeNull();
    // Unless it was not answered.
    expect(placeOf(turns(0, 'u hi'), lines('u hi'), 0, 60 * MINUTE_MS)).toBe(0);
  });

  test('a client that sends all messages each time, and repeats requests, stores each turn once', () => {
    const word = fc.constantFrom('yes', 'no', 'why?');
    const property = fc.property(fc.array(fc.tuple(word, word), { maxLength: 12 }), (exchanges) => {
      const kept: Turn[] = [];
      const said: Line[] = [];
      const keep = (line: Line, place: number | null) => {
        const turnIndex = place ?? kept.length;
        if (!kept.some((turn) => turn.turnIndex === turnIndex))
          kept.push({ ...line, turnIndex, occurredAt: 0 } as Turn);
      };
      for (const [question, answer] of exchanges) {
        const line = { speaker: 'user', text: question };
        said.push(line);
        for (let times = 0; times < 2; times += 1) keep(line, placeOf(kept, said, said.length - 1, times));
        said.push({ speaker: 'ai', text: answer });
        keep({ speaker: 'ai', text: answer }, null);
      }
      expect(kept.map(({ speaker, text }) => ({ speaker, text }))).toEqual(said);
    });
    fc.assert(property);
  });
});
