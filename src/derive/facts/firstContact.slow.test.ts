/** What rules learn from first conversations, against what somebody found in them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DeriveRig } from '../../../test/derive/rig.ts';
import { terms, type Language } from '../../text/text.ts';
import { createFactsDerivation } from './facts.ts';

interface Turn {
  readonly conv_id: string;
  readonly turn_id: string;
  readonly speaker: string;
  readonly text: string;
  readonly timestamp: string;
}
interface Label {
  readonly conv_id: string;
  readonly turn_id: string;
  readonly subject: string;
  readonly attribute: string;
  readonly value: string;
}
/** Part of a turn that looks like a fact and is none. */
type NoFact = Pick<Label, 'conv_id' | 'turn_id'> & { readonly text: string; readonly why: string };
interface Found {
  /** Conversation and turn. */
  readonly place: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

const FOLDER = new URL('../../../test/derive/facts/first-contact/', import.meta.url);

function readLines<T>(name: string): T[] {
  const lines = readFileSync(new URL(name, FOLDER), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

const placeOf = ({ conv_id, turn_id }: Pick<Label, 'conv_id' | 'turn_id'>) => `${conv_id} ${turn_id}`;

/** Every fact once for each turn that bears it out. */
async function learnFrom(language: Language): Promise<Found[]> {
  const byConversation = Map.groupBy(readLines<Turn>(`${language}.history.jsonl`), (turn) => turn.conv_id);
  const found: Found[] = [];
  for (const turns of byConversation.values()) {
    const rig = new DeriveRig();
    const places = new Map<number, string>();
    for (const turn of turns) {
      const speaker = turn.speaker === 'user' ? 'user' : 'ai';
      places.set(await rig.say(turn.text, turn.timestamp, speaker), placeOf(turn));
    }
    await rig.run(createFactsDerivation(rig.parts), ...places.keys());
    for (const { payload } of await rig.list('fact')) {
      const { subject, predicate, object, evidence } = payload;
      const told = evidence.flatMap((id) => places.get(id) ?? []);
      found.push(...told.map((place) => ({ place, subject, predicate, object })));
    }
  }
  return found;
}

/** The attributes that rules look for, by the names that the labels give them. */
const LISTED =
  /^(?:name|home|hometown|job|employer|business|former job|family|relation|children|pet|allergy|cannot take|diet|likes|dislikes|hobby|plays|birthday|age|car|phone|possession|health|medication|marital status|relationship)$/;

/** The same words, but for some: `driver of a truck` and `drive a truck, long haul`. */
function says({ object }: Found, { subject, attribute, value }: Label): boolean {
  const [said, wanted] = [object, value].map((words) => words.normalize('NFKC').toLowerCase());
  if (said === undefined || wanted === undefined) return false;
  if (attribute === 'relation' && said.includes(subject.toLowerCase())) return true;
  if (said.includes(wanted) || wanted.includes(said)) return true;
  const [a, b] = [new Set(terms(said)), new Set(terms(wanted))];
  return a.intersection(b).size * 2 >= Math.min(a.size, b.size);
}

describe.each([
  ['en', 0.5],
  ['ja', 0.5],
  ['zh', 0.5],
] as const)('facts by rules from first conversations in %s', (language, leastRecall) => {
  test('are what was told', async () => {
    const found = await learnFrom(language);
    const labels = readLines<Label>(`${language}.facts.jsonl`);
    const isAt = (one: Found) => (label: Label) => placeOf(label) === one.place && says(one, label);
    // Somebody who is labelled where first spoken of may be spoken of again.
    const isAgain = (one: Found) =>
      labels.some((label) => one.object.includes(label.subject) || says(one, label));
    const wrong = found.filter((one) => !labels.some(isAt(one)) && !isAgain(one));
    const listed = labels.filter(({ attribute }) => LISTED.test(attribute));
    const missed = listed.filter((label) => !found.some((one) => isAt(one)(label)));
    const lines = (things: readonly object[]) =>
      things.map((thing) => Object.values(thing).join(' | ')).join('\n');
    expect.soft(1 - wrong.length / found.length, lines(wrong)).toBeGreaterThanOrEqual(0.95);
    expect.soft(1 - missed.length / listed.length, lines(missed)).toBeGreaterThanOrEqual(leastRecall);
  });

  test('are none of what only looks like one', async () => {
    const found = await learnFrom(language);
    const wrong = readLines<NoFact>(`${language}.nofacts.jsonl`).flatMap((nofact) =>
      found.filter((one) => one.place === placeOf(nofact) && nofact.text.includes(one.object)),
    );
    // The people in it are the speaker's, whatever is said of them.
    expect(wrong.filter(({ predicate }) => !/family|knows|家族|知り合い|家人|认识/.test(predicate))).toEqual(
      [],
    );
  });
});
