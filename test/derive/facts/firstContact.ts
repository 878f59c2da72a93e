/** Compares facts learnt from first conversations with facts labelled by a person. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { internals, openMemory, type LanguageModel, type MemoryOptions } from '../../../src/engine/engine.ts';
import { terms, type Language } from '../../../src/text/text.ts';

interface Turn {
  readonly conv_id: string;
  readonly turn_id: string;
  readonly speaker: string;
  readonly text: string;
  readonly timestamp: string;
}

export interface Label {
  readonly conv_id: string;
  readonly turn_id: string;
  readonly subject: string;
  readonly attribute: string;
  readonly value: string;
}

/** Part of a turn that looks like a fact but is not one. */
type NoFact = Pick<Label, 'conv_id' | 'turn_id'> & { readonly text: string; readonly why: string };

export interface Found {
  /** Conversation and turn. */
  readonly place: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
}

export interface FirstContactReport {
  readonly found: readonly Found[];
  /** Found facts that no label supports. */
  readonly wrong: readonly Found[];
  /** Found facts taken from a passage that is labelled as no fact. */
  readonly misread: readonly Found[];
  /** Labels of the attributes that the rules cover. */
  readonly listed: readonly Label[];
  /** Labels in `listed` that were not found. */
  readonly missed: readonly Label[];
  /** Labels of all attributes, and those that were not found. */
  readonly labels: readonly Label[];
  readonly missedOfAll: readonly Label[];
}

const FOLDER = new URL('first-contact/', import.meta.url);

/** The attributes that the rules cover, by the labels' names. */
const LISTED =
  /^(?:name|home|hometown|job|employer|business|former job|family|relation|children|pet|allergy|cannot take|diet|likes|dislikes|hobby|plays|birthday|age|car|phone|possession|health|medication|marital status|relationship)$/;
/** A person in a passage without a fact still belongs to the speaker. */
const PEOPLE = /family|knows|家族|知り合い|家人|认识/;

/** @param model null: by rules */
export async function measureFirstContact(
  language: Language,
  model: LanguageModel | null,
): Promise<FirstContactReport> {
  const found = await learnFrom(language, model);
  const labels = readLines<Label>(`${language}.facts.jsonl`);
  const isAt = (one: Found) => (label: Label) => placeOf(label) === one.place && says(one, label);
  // A person labelled at the first mention may be mentioned again.
  const isAgain = (one: Found) =>
    labels.some((label) => one.object.includes(label.subject) || says(one, label));
  const isMissed = (label: Label) => !found.some((one) => isAt(one)(label));
  const listed = labels.filter(({ attribute }) => LISTED.test(attribute));
  return {
    found,
    wrong: found.filter((one) => !labels.some(isAt(one)) && !isAgain(one)),
    misread: readLines<NoFact>(`${language}.nofacts.jsonl`).flatMap((nofact) =>
      found.filter(
        ({ place, object, predicate }) =>
          place === placeOf(nofact) && nofact.text.includes(object) && !PEOPLE.test(predicate),
      ),
    ),
    listed,
    missed: listed.filter(isMissed),
    labels,
    missedOfAll: labels.filter(isMissed),
  };
}

function readLines<T>(name: string): T[] {
  const lines = readFileSync(new URL(name, FOLDER), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

function placeOf({ conv_id, turn_id }: Pick<Label, 'conv_id' | 'turn_id'>): string {
  return `${conv_id} ${turn_id}`;
}

/** Every fact once for each supporting turn; each conversation in its own memory. */
async function learnFrom(language: Language, model: LanguageModel | null): Promise<Found[]> {
  const byConversation = Map.groupBy(readLines<Turn>(`${language}.history.jsonl`), (turn) => turn.conv_id);
  const found: Found[] = [];
  for (const turns of byConversation.values()) found.push(...(await learnConversation(turns, model)));
  return found;
}

async function learnConversation(turns: readonly Turn[], model: LanguageModel | null): Promise<Found[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'omoide-facts-'));
  const options: MemoryOptions = {
    dataDir,
    timeZone: 'UTC',
    embedder: { provider: 'hashed' },
    worker: false,
    ...(model && { model }),
  };
  const memory = await openMemory(options);
  try {
    const places = new Map<number, string>();
    for (const turn of turns) {
      const { text, timestamp, conv_id: conversationId } = turn;
      const speaker = turn.speaker === 'user' ? 'user' : 'ai';
      const occurredAt = Date.parse(`${timestamp}Z`);
      const { unitId } = await memory.add({ conversationId, speaker, text, occurredAt });
      places.set(unitId, placeOf(turn));
    }
    await internals(memory).settle();
    const facts = await memory.units.list({ kinds: ['fact'], maxSensitivity: 'secret' }, { limit: 10_000 });
    return facts.flatMap((unit) => {
      if (unit.kind !== 'fact') return [];
      const { subject, predicate, object, evidence } = unit.payload;
      const told = evidence.flatMap((id) => places.get(id) ?? []);
      return told.map((place) => ({ place, subject, predicate, object }));
    });
  } finally {
    await memory.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Whether both have the same words, with some exceptions: `driver of a truck` and `drive a truck, long haul`. */
function says({ object }: Found, { subject, attribute, value }: Label): boolean {
  const [said, wanted] = [object, value].map((words) => words.normalize('NFKC').toLowerCase());
  if (said === undefined || wanted === undefined) return false;
  if (attribute === 'relation' && said.includes(subject.toLowerCase())) return true;
  if (said.includes(wanted) || wanted.includes(said)) return true;
  const [a, b] = [new Set(terms(said)), new Set(terms(wanted))];
  return a.intersection(b).size * 2 >= Math.min(a.size, b.size);
}
