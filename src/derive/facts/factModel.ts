/** Finds facts by a language model, and checks each against the quoted words. */
import { z } from 'zod';
import { localDate, parseInstant, type Instant, type UnitOf } from '../../model/model.ts';
import { terms, type Language, oneLine } from '../../text/text.ts';
import { hasEvidence, isQuestion, isWorthKeeping } from '../guard.ts';
import { isNoMoreSensitive, type Scene } from '../scene.ts';
import { sentencesOf } from '../sentences.ts';
import type { FoundFact } from './foundFact.ts';
import { PREDICATE_NAMES, predicateWording } from '../../text/text.ts';
import { subjectKey, tidySubject, writeSubject, type UserNames } from './subjects.ts';

type Fact = UnitOf<'fact'>;

/** The most known facts that a model is shown. */
const MAX_SHOWN = 40;
const MAX_FACTS = 12;
const MAX_SUBJECT_LENGTH = 60;
const MAX_PREDICATE_LENGTH = 60;
const MAX_OBJECT_LENGTH = 200;
/** The highest confidence, since models are overconfident. */
const MAX_CONFIDENCE = 0.9;

export const factSchema = z.object({
  facts: z.array(
    z.object({
      subject: z.string(),
      predicate: z.string(),
      object: z.string(),
      /** Dates, `YYYY-MM-DD`. */
      validFrom: z.string().nullable(),
      validTo: z.string().nullable(),
      confidence: z.number(),
      /** The words of the turn that state it. */
      quote: z.string(),
      /** Id of the known fact that it contradicts. */
      contradicts: z.number().nullable(),
    }),
  ),
});
type ReplyFact = z.infer<typeof factSchema>['facts'][number];

/** The turns to search for facts, and the known facts. */
export interface FactSearch {
  readonly scenes: readonly Scene[];
  readonly known: readonly Fact[];
  readonly user: UserNames;
  readonly timeZone: string;
}

/** The values for the prompt, and the ids of the facts that the model is shown. */
export function factValues(
  search: FactSearch,
  language: Language,
): { readonly shown: ReadonlySet<number>; readonly values: Record<string, string> } {
  const { scenes, user, timeZone } = search;
  const shown = factsToShow(search);
  const speakers = new Set(scenes.map(({ episode }) => episode.payload.speaker));
  return {
    shown: new Set(shown.map((fact) => fact.id)),
    values: {
      speakers: [...speakers]
        .map((speaker) => `${speaker} = “${writeSubject(speaker, null, user, language)}”`)
        .join(', '),
      predicates: PREDICATE_NAMES.map((name) => predicateWording(name, language)).join(', '),
      known: shown.length === 0 ? '-' : shown.map((fact) => formatFact(fact, timeZone)).join('\n'),
    },
  };
}

/** The facts of a reply that a turn states. */
export function factsIn(
  reply: z.infer<typeof factSchema>,
  scene: Scene,
  search: Pick<FactSearch, 'user' | 'timeZone'> & { readonly shown: ReadonlySet<number> },
): FoundFact[] {
  return reply.facts
    .filter(({ quote }) => hasEvidence(quote, scene.text))
    .slice(0, MAX_FACTS)
    .flatMap((fact) => checked(fact, scene, search));
}

/** Current facts about the speaker or what the turn mentions, the most relevant first. */
function factsToShow({ scenes, known, user }: FactSearch): Fact[] {
  const speakers = new Set(scenes.map(({ episode }) => subjectKey(episode.payload.speaker, user)));
  const words = new Set(scenes.flatMap(({ text }) => terms(text)));
  return known
    .filter(
      ({ payload, sensitivity }) =>
        payload.validTo === null &&
        scenes.every(({ episode }) => isNoMoreSensitive(sensitivity, episode.sensitivity)),
    )
    .map((fact) => {
      const { subject, predicate, object } = fact.payload;
      const shared = terms(`${subject} ${predicate} ${object}`).filter((term) => words.has(term)).length;
      return { fact, shared, isSpeakers: speakers.has(subjectKey(subject, user).split('/')[0] ?? '') };
    })
    .filter(({ shared, isSpeakers }) => shared > 0 || isSpeakers)
    .sort((a, b) => b.shared - a.shared || b.fact.occurredAt - a.fact.occurredAt || a.fact.id - b.fact.id)
    .slice(0, MAX_SHOWN)
    .map(({ fact }) => fact);
}

function formatFact({ id, payload, occurredAt }: Fact, timeZone: string): string {
  const words = oneLine([payload.subject, payload.predicate, payload.object].join(' | '));
  return `${id}: ${words} (${localDate(payload.validFrom ?? occurredAt, timeZone)})`;
}

/** The fact in its stored form; empty when it cannot be stored. */
function checked(
  fact: ReplyFact,
  scene: Scene,
  { user, timeZone, shown }: Parameters<typeof factsIn>[2],
): FoundFact[] {
  const { speaker } = scene.episode.payload;
  const [predicate, object] = [oneLine(fact.predicate), oneLine(fact.object)];
  const subject = tidySubject(oneLine(fact.subject), speaker, user);
  if (isAsked(fact.quote, scene)) return [];
  if (!isWorthKeeping(subject, MAX_SUBJECT_LENGTH) || !isWorthKeeping(predicate, MAX_PREDICATE_LENGTH))
    return [];
  if (!isWorthKeeping(object, MAX_OBJECT_LENGTH)) return [];
  const [validFrom, validTo] = [fact.validFrom, fact.validTo].map((date) => readDate(date, timeZone));
  return [
    {
      subject,
      predicate,
      object,
      validFrom: validFrom ?? null,
      validTo: validTo && validTo > (validFrom ?? -Infinity) ? validTo : null,
      confidence: Math.min(MAX_CONFIDENCE, Math.max(0.1, fact.confidence)),
      ends: false,
      contradicts: fact.contradicts !== null && shown.has(fact.contradicts) ? fact.contradicts : null,
    },
  ];
}

/** Whether the quoted words are in a question. */
function isAsked(quote: string, { text, language }: Scene): boolean {
  const sentences = sentencesOf(text).filter((sentence) => hasEvidence(quote, sentence));
  return sentences.length > 0 && sentences.every((sentence) => isQuestion(sentence, language));
}

function readDate(date: string | null, timeZone: string): Instant | null {
  if (date === null) return null;
  // `2024` and `2024-05` mean the beginning of the year or month.
  const [, year, month = '01', rest = '-01'] = /^(\d{4})(?:-(\d{2}))?(-\d{2}.*)?$/.exec(date.trim()) ?? [];
  if (year === undefined) return null;
  try {
    return parseInstant(`${year}-${month}${rest}`, timeZone);
  } catch {
    return null;
  }
}
