/** Deep recall, phase 3: which candidates are relevant to the conversation, and how to show them. */
import { z } from 'zod';
import type { LanguageModel } from '../../llm/llm.ts';
import { localDate, MemoryError, unitText } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { terms, type Language } from '../../text/text.ts';
import { INJECTION_STRATEGIES, type Candidate, type InjectionStrategy, type Question } from '../types.ts';
import { line, passage, promptAbout } from './wording.ts';

/** Number of candidates shown to the model. */
export const MAX_LABELLED = 30;
const MAX_CHOSEN = 5;
/** Maximum length of a candidate's passage, and of the turn before it, in UTF-16 units. */
const TEXT_CHARS = 240;
const BEFORE_CHARS = 80;
const REASON_CHARS = 200;

const labelsSchema = z.object({
  relevant_episodes: z.array(
    z.object({
      unit_id: z.int(),
      relevance: z.enum(['high', 'medium', 'low', 'none']),
      reason: z.string(),
    }),
  ),
  injection_strategy: z.enum(INJECTION_STRATEGIES),
});

export interface Label {
  readonly unitId: number;
  readonly relevance: 'high' | 'medium';
  /** The model's reason, one sentence; null if it gave none. */
  readonly reason: string | null;
}

export interface Labels {
  /** `high` first, then in the model's order; at most five. Empty: nothing is relevant. */
  readonly chosen: readonly Label[];
  readonly injectionStrategy: InjectionStrategy;
  /** Ids in the reply that were not among the candidates. */
  readonly unknownIds: readonly number[];
}

/** What the candidates must be relevant to. */
export interface LabelQuestion {
  readonly store: Store;
  readonly question: Question;
  readonly language: Language;
  /** The other queries of the search. */
  readonly queries: readonly string[];
}

/** @throws MemoryError MODEL_FAILED, also when the reply contains only ids that were not candidates */
export async function labelCandidates(
  model: LanguageModel,
  about: LabelQuestion,
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<Labels> {
  const shown = await describe(about, candidates);
  const { value } = await model.generateObject(
    {
      ...promptAbout('label', about.question, about.language, { candidates: shown.join('\n') }),
      purpose: 'rerank',
      name: 'labels',
      schema: labelsSchema,
      temperature: 0,
      repairs: false,
    },
    signal,
  );
  return readLabels(value, candidates);
}

function readLabels(reply: z.output<typeof labelsSchema>, candidates: readonly Candidate[]): Labels {
  const ids = new Set(candidates.map(({ unitId }) => unitId));
  const chosen = new Map<number, Label>();
  const unknownIds: number[] = [];
  for (const { unit_id: unitId, relevance, reason } of reply.relevant_episodes) {
    if (!ids.has(unitId)) unknownIds.push(unitId);
    else if ((relevance === 'high' || relevance === 'medium') && !chosen.has(unitId))
      chosen.set(unitId, { unitId, relevance, reason: passage(reason, REASON_CHARS) || null });
  }
  if (unknownIds.length > 0 && unknownIds.length === reply.relevant_episodes.length)
    throw new MemoryError('MODEL_FAILED', 'The reply names nothing that was a candidate.', {
      retryable: false,
    });
  // Sorting is stable: equal labels keep the model's order.
  const ordered = [...chosen.values()].sort(
    (a, b) => Number(b.relevance === 'high') - Number(a.relevance === 'high'),
  );
  return {
    chosen: ordered.slice(0, MAX_CHOSEN),
    injectionStrategy: reply.injection_strategy,
    unknownIds,
  };
}

/** A line for each candidate: its id, day and text, and for a turn the turn it answers. */
async function describe(
  { store, question, queries }: LabelQuestion,
  candidates: readonly Candidate[],
): Promise<string[]> {
  const before = await turnsBefore(store, question, candidates);
  const words = terms([question.utterance, ...queries].join('\n'));
  return candidates.map(({ unit }) => {
    const text = unitText(unit);
    const quoted =
      unit.kind === 'episode'
        ? line(unit.payload.speaker, text, TEXT_CHARS, words)
        : passage(text, TEXT_CHARS, words);
    const earlier = before.get(unit.id);
    const head = `- unit_id: ${unit.id} | ${localDate(unit.occurredAt, question.timeZone)} | ${unit.kind}`;
    return `${head} | ${earlier === undefined ? '' : `${earlier} / `}${quoted}`;
  });
}

/** The turns before the candidates that the filter allows. */
async function turnsBefore(
  store: Store,
  { filter }: Question,
  candidates: readonly Candidate[],
): Promise<Map<number, string>> {
  const episodes = candidates.flatMap(({ unit }) => (unit.kind === 'episode' ? unit.id : []));
  const around = await store.units.neighbours(episodes, { before: 1, after: 0 });
  const allowed = await store.units.filter([...new Set(around.flatMap(({ before }) => before))], filter);
  const units = new Map((await store.units.get(allowed)).map((unit) => [unit.id, unit]));
  const previous = around.flatMap(({ unitId, before: [id = 0] }): [number, string][] => {
    const unit = units.get(id);
    return unit?.kind === 'episode'
      ? [[unitId, line(unit.payload.speaker, unitText(unit), BEFORE_CHARS)]]
      : [];
  });
  return new Map(previous);
}
