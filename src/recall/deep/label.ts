/** Deep recall, phase 3: which candidates bear on the conversation, and how they are best told. */
import { z } from 'zod';
import type { LanguageModel } from '../../llm/llm.ts';
import { localDate, MemoryError, unitText } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { terms, type Language } from '../../text/text.ts';
import { INJECTION_STRATEGIES, type Candidate, type InjectionStrategy, type Question } from '../types.ts';
import { line, passage, promptAbout } from './wording.ts';

/** Candidates that a model is shown. */
export const MAX_LABELLED = 30;
const MAX_CHOSEN = 5;
/** Longest passage of a candidate, and of the turn before it, UTF-16 units. */
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
  /** The model's own, one sentence; null when it gave none. */
  readonly reason: string | null;
}

export interface Labels {
  /** `high` first, else as the model has them; at most five. Empty: nothing bears on it. */
  readonly chosen: readonly Label[];
  readonly injectionStrategy: InjectionStrategy;
  /** Ids in the reply that were no candidates. */
  readonly unknownIds: readonly number[];
}

/** What the candidates are to bear on. */
export interface LabelQuestion {
  readonly store: Store;
  readonly question: Question;
  readonly language: Language;
  /** What else was searched for. */
  readonly queries: readonly string[];
}

/** @throws MemoryError MODEL_FAILED, also when the reply names nothing but what was no candidate */
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
      mends: false,
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
  // Of equal labels the model's order stands: sorting is stable.
  const ordered = [...chosen.values()].sort(
    (a, b) => Number(b.relevance === 'high') - Number(a.relevance === 'high'),
  );
  return {
    chosen: ordered.slice(0, MAX_CHOSEN),
    injectionStrategy: reply.injection_strategy,
    unknownIds,
  };
}

/** A line for each candidate: its id, day and words, and for a turn what it answers. */
async function describe(
  { store, question, queries }: LabelQuestion,
  candidates: readonly Candidate[],
): Promise<string[]> {
  const before = await turnsBefore(store, question, candidates);
  const words = terms([question.utterance, ...queries].join('\n'));
  return candidates.map(({ unit }) => {
    const text = unitText(unit);
    const said =
      unit.kind === 'episode'
        ? line(unit.payload.speaker, text, TEXT_CHARS, words)
        : passage(text, TEXT_CHARS, words);
    const earlier = before.get(unit.id);
    const head = `- unit_id: ${unit.id} | ${localDate(unit.occurredAt, question.timeZone)} | ${unit.kind}`;
    return `${head} | ${earlier === undefined ? '' : `${earlier} / `}${said}`;
  });
}

/** As far as they may be found themselves. */
async function turnsBefore(
  store: Store,
  { filter }: Question,
  candidates: readonly Candidate[],
): Promise<Map<number, string>> {
  const episodes = candidates.flatMap(({ unit }) => (unit.kind === 'episode' ? unit.id : []));
  const around = await store.units.neighbours(episodes, { before: 1, after: 0 });
  const allowed = await store.units.filter([...new Set(around.flatMap(({ before }) => before))], filter);
  const units = new Map((await store.units.get(allowed)).map((unit) => [unit.id, unit]));
  const told = around.flatMap(({ unitId, before: [id = 0] }): [number, string][] => {
    const unit = units.get(id);
    return unit?.kind === 'episode'
      ? [[unitId, line(unit.payload.speaker, unitText(unit), BEFORE_CHARS)]]
      : [];
  });
  return new Map(told);
}
