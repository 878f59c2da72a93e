/** Explore: a deliberate search by words, time, emotion, topic or entity, or by several at once. (MemoryCore §6.3) */
import { MemoryError, parseInput, unitText, type Instant } from '../../model/model.ts';
import type { Embedder } from '../../llm/llm.ts';
import type { Store } from '../../store/store.ts';
import { detectLanguage, type Language } from '../../text/text.ts';
import type { AccessCounter } from '../count.ts';
import type { DocumentReader } from '../documents.ts';
import { StageClock } from '../trace.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { find, type Findings } from './find.ts';
import { isoOrNull } from './items.ts';
import { readPage, type Request } from './page.ts';
import { exploreOptionsSchema, exploreQuerySchema, type ExploreOptions, type ExploreQuery } from './query.ts';
import { whyNothing, whyQuery } from './reasons.ts';
import { instantOf, readQuestion, viewFor, type ResolvedQuery } from './resolvedQuery.ts';
import type { Exploration, Understood } from './types.ts';

export {
  EXPLORE_VIEWS,
  exploreOptionsSchema,
  exploreQuerySchema,
  type ExploreOptions,
  type ExploreQuery,
  type ExploreView,
} from './query.ts';
export type {
  Exploration,
  ExploredItem,
  ExploredTopic,
  NothingReason,
  QuoteExploration,
  TimelineExploration,
  TimelineGroup,
  TopicExploration,
  TopicLink,
  Understood,
} from './types.ts';

const DEFAULT_LIMIT = 20;
const NOTHING: Findings = { found: [], vectors: 'not_wanted' };

export interface ExploreParts {
  readonly store: Store;
  /** Null: keyword search only. */
  readonly embedder: Embedder | null;
  readonly reader: DocumentReader;
  readonly counter: AccessCounter;
  readonly now: () => Instant;
}

/**
 * Finds what matches all parts of the query.
 * @throws MemoryError INVALID_INPUT, INVALID_TIME; NOT_FOUND for an unknown id. An unknown name gives an empty result.
 */
export async function explore(
  parts: ExploreParts,
  input: ExploreQuery,
  inputOptions: ExploreOptions = {},
): Promise<Exploration> {
  const clock = new StageClock();
  const query: ExploreQuery = parseInput(exploreQuerySchema, input, 'a question of an exploration');
  const options: ExploreOptions = parseInput(exploreOptionsSchema, inputOptions, 'options of an exploration');
  if (Object.values(query).every((value) => value === undefined)) {
    throw new MemoryError('INVALID_INPUT', 'There is nothing to look for: the question is empty.');
  }
  const { store } = parts;
  const question = queryIdentity(query, options);
  const cursor = options.cursor === undefined ? null : readCursor(question, options.cursor);
  const now = cursor?.now ?? instantOf(store, options.now) ?? instantOf(store, options.asOf) ?? parts.now();
  const resolved = await clock.time('question', () =>
    readQuestion(store, query, options, { now, earlier: cursor }),
  );
  const findings = resolved.unknown === null ? await find({ ...parts, clock }, resolved) : NOTHING;
  const language = options.language ?? (await languageOf(store, query, resolved, findings));
  const sentenceOptions = { language, timeZone: store.timeZone };
  const request: Request = {
    view: options.view ?? viewFor(resolved),
    limit: options.limit ?? DEFAULT_LIMIT,
    rest: cursor?.rest ?? null,
  };
  const page = await clock.time('show', () =>
    readPage({ store, query: resolved, sentenceOptions }, request, findings),
  );
  if (options.count !== false) parts.counter.count(page.unitIds, parts.now());
  const isEmpty = page.unitIds.length === 0 && cursor === null;
  const reason = resolved.unknown ?? 'nothing_found';
  return {
    ...page.view,
    understood: understood(resolved),
    language,
    why: whyQuery(resolved, sentenceOptions),
    nothing: isEmpty ? { reason, sentence: whyNothing(reason, language) } : null,
    nextCursor: page.rest && writeCursor(question, { ...resolved.reading, now, rest: page.rest }),
    metadata: {
      vectors: findings?.vectors ?? 'not_wanted',
      totalLatencyMs: clock.totalMs(),
      breakdown: clock.breakdown(),
    },
  };
}

/** All parts that distinguish the question from another. */
function queryIdentity(query: ExploreQuery, options: ExploreOptions): unknown {
  const { cursor: _, limit: _limit, now: _now, language: _language, count: _count, ...asked } = options;
  const inOrder = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return [inOrder(query), inOrder(asked)];
}

/** The language of the query's words; if it is ambiguous or there are none, the language of the results. */
async function languageOf(
  store: Store,
  query: ExploreQuery,
  resolved: ResolvedQuery,
  findings: Findings | null,
): Promise<Language> {
  const { text, keywords, period, topic, entity } = query;
  const names = [topic, entity].filter((value) => typeof value === 'string');
  const asked = [text, keywords, period, ...names].flat().join('\n');
  const first = findings?.found[0]?.unitId;
  const [found] =
    first === undefined
      ? await store.units.list(resolved.filter, { limit: 1 })
      : await store.units.get([first]);
  const led = [resolved.topic?.title, resolved.entity?.name, found && unitText(found)].join('\n');
  return detectLanguage(asked, detectLanguage(led));
}

function understood({ text, keywords, period, emotion, topic, entity }: ResolvedQuery): Understood {
  return {
    text,
    keywords,
    period: period && { from: isoOrNull(period.from), to: isoOrNull(period.to), words: period.words },
    emotion,
    topic: topic && { id: topic.id, title: topic.title },
    entity: entity && { id: entity.id, name: entity.name, type: entity.type },
  };
}
