/** Builds the memory's part of a prompt, in sections, within a token budget. */
import { z } from 'zod';
import { parseInput, parseInstant, type Instant } from '../model/model.ts';
import { NO_BUDGET, recallOptionsSchema, type Recall, type RecallResult } from '../recall/recall.ts';
import type { Store, UnitFilter } from '../store/store.ts';
import { countTokens, detectLanguage, type Language } from '../text/text.ts';
import { reserveRoom, spareBackground } from './background.ts';
import { gatherEvidence } from './evidence.ts';
import { fitSections } from './fit.ts';
import { gatherProfileSections } from './profileSections.ts';
import { renderSections } from './render.ts';
import type { Section, SectionName } from './sections.ts';

export { SECTION_NAMES, type SectionName } from './sections.ts';

/** The options of a pack. */
export const packOptionsSchema = recallOptionsSchema.omit({ kinds: true, limit: true, count: true }).extend({
  /** Who the companion is; the operator's text, kept whole. */
  persona: z.string().optional(),
  /** What companion and user have agreed on; the operator's text, kept whole. */
  contract: z.string().optional(),
  /** Language of headings and reasons; default: the utterance's. */
  language: z.enum(['ja', 'zh', 'en']).optional(),
});
export type PackOptions = z.input<typeof packOptionsSchema>;

export interface Pack {
  /** Ready for the prompt; empty when there is nothing to say. */
  readonly text: string;
  readonly tokens: number;
  readonly budgetTokens: number;
  readonly language: Language;
  readonly sections: readonly {
    readonly name: SectionName;
    /** Entries shown, and entries available; the operator's texts count as one each. */
    readonly shown: number;
    readonly available: number;
    /** Units that the shown entries come from. */
    readonly unitIds: readonly number[];
  }[];
  /** Whether persona and contract alone were over the budget and had to be cut. */
  readonly isCut: boolean;
  readonly recall: RecallResult;
}

export interface PackDependencies {
  readonly store: Store;
  readonly recall: Pick<Recall, 'recall'>;
  readonly now: () => Instant;
}

const DEFAULT_BUDGET_TOKENS = 1_500;
const RECALLED_KINDS = ['episode', 'fact', 'loop', 'note', 'summary'] as const;
/** As many turns as a recall returns by default, and the same number of other units. */
const MAX_HITS = 20;
/** Used to count the tokens of the heading too. */
const SHORT_EVIDENCE: Section = {
  name: 'EPISODE_EVIDENCE',
  own: '',
  entries: [{ lines: ['-'], unitIds: [] }],
};

/**
 * Builds the pack for an utterance.
 * @throws MemoryError INVALID_INPUT, EMPTY_TEXT, INVALID_TIME
 */
export async function buildPack(
  dependencies: PackDependencies,
  utterance: string,
  input: PackOptions = {},
): Promise<Pack> {
  const options = parseInput(packOptionsSchema, input, 'options of a pack');
  const {
    persona,
    contract,
    language: wanted,
    budgetTokens = DEFAULT_BUDGET_TOKENS,
    ...recallOptions
  } = options;
  const recalled = await dependencies.recall.recall(utterance, {
    ...recallOptions,
    // One recall serves all sections: turns as evidence, and other relevant units at the head of their sections.
    kinds: [...RECALLED_KINDS],
    limit: MAX_HITS,
    // The pack keeps the budget: it decides which turns are left out.
    budgetTokens: NO_BUDGET,
  });
  const language = wanted ?? detectLanguage(utterance);
  const { store } = dependencies;
  const { at, filter } = readFilter(options, store.timeZone, dependencies.now);
  const about = [...(options.context ?? []).map((line) => line.text), utterance].join('\n');
  const relevantIds = recalled.hits.flatMap(({ unitId, kind, relevance }) =>
    kind !== 'episode' && relevance !== 'low' ? unitId : [],
  );
  const profileSections = await gatherProfileSections(store, { about, language, at, relevantIds }, filter);
  const before: Section[] = [
    { name: 'PERSONA_ANCHOR', own: persona?.trim() ?? '', entries: [] },
    { name: 'RELATIONSHIP_CONTRACT', own: contract?.trim() ?? '', entries: [] },
    ...profileSections,
  ];
  const relevant = new Set(relevantIds);
  const frame = hasEvidence(recalled)
    ? reserveRoom([...before, SHORT_EVIDENCE], relevant, budgetTokens, language)
    : [...before, SHORT_EVIDENCE];
  const roomTokens = () => budgetTokens - fitSections(frame, budgetTokens, language).tokens;
  // Long texts are cut around what was searched for.
  const queryText = [utterance, ...(recalled.metadata.deep?.queries ?? [])].join('\n');
  const evidence = await gatherEvidence(store, recalled, {
    queryText,
    language,
    mayBeShown: filter,
    roomTokens,
  });
  const sections: Section[] = [...before, { name: 'EPISODE_EVIDENCE', own: '', entries: evidence }];
  const over = countTokens(renderSections(sections, language)) - budgetTokens;
  const spared =
    evidence.length > 0 && over > 0 ? spareBackground(sections, relevant, { over, frame }) : sections;
  const fitted = fitSections(spared, budgetTokens, language);
  return {
    text: renderSections(fitted.sections, language),
    tokens: fitted.tokens,
    budgetTokens,
    language,
    sections: fitted.sections.map((section, i) => ({
      name: section.name,
      shown: countEntries(section),
      available: countEntries(sections[i]),
      unitIds: section.entries.flatMap((entry) => entry.unitIds),
    })),
    isCut: fitted.isCut,
    recall: recalled,
  };
}

function hasEvidence({ inject, hits }: RecallResult): boolean {
  return inject && hits.some(({ kind, relevance }) => kind === 'episode' && relevance !== 'low');
}

function countEntries(section: Section | undefined): number {
  return (section?.entries.length ?? 0) + (section?.own ? 1 : 0);
}

/** The filter for units that were not searched for, and the instant of the request. */
function readFilter(
  options: PackOptions,
  timeZone: string,
  now: () => Instant,
): { at: Instant; filter: UnitFilter } {
  const instant = (value: PackOptions['now']) =>
    value === undefined ? undefined : parseInstant(value, timeZone);
  const asOf = instant(options.asOf);
  const at = instant(options.now) ?? asOf ?? now();
  const [from, to] = [instant(options.from), instant(options.to)];
  const filter: UnitFilter = {
    aliveAt: at,
    ...(options.maxSensitivity && { maxSensitivity: options.maxSensitivity }),
    ...(options.scope && { scope: options.scope }),
    ...(options.beforeTurnId !== undefined && { beforeTurnId: options.beforeTurnId }),
    ...(options.exceptUnitIds && { exceptUnitIds: options.exceptUnitIds }),
    ...(asOf !== undefined && { asOf }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
  return { at, filter };
}
