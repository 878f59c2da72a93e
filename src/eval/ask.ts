/** One conversation in its own memory, and the results of querying it. */
import { rm } from 'node:fs/promises';
import {
  internals,
  memoryPath,
  NO_BUDGET,
  openMemory,
  type Embedder,
  type Hit,
  type Memory,
  type ProfileFile,
  type RecallResult,
  type Strategy,
  type Trace,
} from '../engine/engine.ts';
import { MemoryError } from '../model/model.ts';
import { captureQuery, type CapturedQuery } from './captured.ts';
import {
  EVALUATION_TIME_ZONE,
  isAnswerable,
  type EvaluationConversation,
  type EvaluationQuery,
} from './dataset.ts';
import type { JudgedHit } from './calibration.ts';
import { injectedHits, judgedHits, type Injected } from './injected.ts';
import { measureRanking, recallAt, type Figures } from './measures.ts';

/** The result of one query. */
export interface Outcome {
  readonly conversationId: string;
  readonly queryId: string;
  readonly type: string;
  /** Whether it counts for recall. */
  readonly isAnswerable: boolean;
  /** Neither this nor answerable: the query has an answer, but the set does not say in which turns. */
  readonly isUnanswerable: boolean;
  /** Null when the set names no gold. */
  readonly turn: Figures | null;
  readonly session: Figures | null;
  readonly inject: boolean;
  /** Which of the first hits are injected. */
  readonly injected: Injected;
  /** The first hits with their probabilities; empty when the set does not name the relevant turns. */
  readonly judged: readonly JudgedHit[];
  /** The profile's confidence that any hit is relevant; null when it gives none, or no trace was requested. */
  readonly confidence: number | null;
  readonly latencyMs: number;
  readonly breakdown: Readonly<Record<string, number>>;
  /** With a trace: the share of the gold that remains after each stage. */
  readonly stages: StageRecall | null;
  /** With a trace, for a query whose gold is not all among the first ten. */
  readonly failure: Failure | null;
  /** With a trace and features to capture; null also when no weights decide. */
  readonly captured: CapturedQuery | null;
}

/** Shares of the gold by stage of the pipeline: each search, all searches, scored candidates, the first 50 and 10. */
export type StageRecall = Readonly<Record<string, number>>;

export interface Failure {
  readonly queryId: string;
  readonly conversationId: string;
  readonly type: string;
  readonly query: string;
  readonly context: readonly string[];
  readonly figures: Figures;
  readonly gold: readonly FailureCandidate[];
  /** The first hits. */
  readonly top: readonly FailureCandidate[];
  readonly notes: Readonly<Record<string, unknown>>;
}

export interface FailureCandidate {
  readonly sourceId: string;
  readonly text: string;
  /** From 1; null: not among the hits. */
  readonly rank: number | null;
  readonly isGold: boolean;
  /** Null: not among the candidates. */
  readonly score: number | null;
  readonly features: Readonly<Record<string, number>> | null;
}

export interface AskOptions {
  /** The name of a shipped profile, or of one that the memory was opened with. */
  readonly profile: string;
  readonly strategy: Strategy | null;
  /** Whether to request traces. */
  readonly explain: boolean;
  /** Features of every candidate to capture, with a trace; null: none. */
  readonly capture: readonly string[] | null;
}

export interface AskedMemoryOptions {
  readonly dataDir: string;
  readonly memoryId: string;
  readonly embedder: Embedder | null;
  /** Profiles in addition to the shipped ones. */
  readonly profiles: readonly ProfileFile[];
  /** Whether to learn from the turns before the queries. */
  readonly learn: boolean;
  /** A database for the memory instead of a file. */
  readonly store?: string;
}

/** The maximum number of hits. A recall in a chat returns ten; measuring includes a first gold at rank 30. */
export const LIMIT = 50;
const TOP_SHOWN = 3;
/** A query without a time is asked this long after the last turn. */
const DELAY_AFTER_LAST_TURN_MS = 1_000;

interface Placed {
  readonly sourceId: string;
  readonly sessionId: string;
}

/** The result of a query that was meant for another conversation. */
export interface ForeignOutcome {
  readonly inject: boolean;
  readonly confidence: number | null;
  readonly judged: readonly JudgedHit[];
}

interface Answered {
  readonly figures: Figures;
  readonly ranking: readonly string[];
  readonly gold: ReadonlySet<string>;
  readonly trace: Trace;
}

export class AskedMemory {
  readonly #conversation: EvaluationConversation;
  readonly #memory: Memory;
  readonly #path: string;
  /** By the memory's turn id. */
  readonly #places = new Map<number, Placed>();
  readonly #turnIds = new Map<string, number>();
  /** Source ids by unit id; added when traces name units. */
  readonly #sourceOfUnit = new Map<number, string>();
  readonly #lastTime: number;
  /** The turns right before and after each turn in its session, by the ids of the set. */
  readonly #neighbours: ReadonlyMap<string, readonly string[]>;

  private constructor(conversation: EvaluationConversation, memory: Memory, path: string) {
    this.#conversation = conversation;
    this.#memory = memory;
    this.#path = path;
    this.#neighbours = neighboursIn(conversation);
    this.#lastTime = conversation.turns.reduce((last, { turn }) => Math.max(last, turn.occurredAt), 0);
  }

  /** The conversation that its turns come from. */
  get origin(): string {
    return this.#conversation.origin ?? this.#conversation.id;
  }

  /** Adds and embeds the conversation; also learns from it, if requested. */
  static async open(conversation: EvaluationConversation, options: AskedMemoryOptions): Promise<AskedMemory> {
    const memory = await openMemory({
      ...options,
      timeZone: EVALUATION_TIME_ZONE,
      worker: false,
    });
    const asked = new AskedMemory(conversation, memory, memoryPath(options.dataDir, options.memoryId));
    try {
      await asked.#ingest();
    } catch (error) {
      await memory.close();
      throw error;
    }
    return asked;
  }

  async #ingest(): Promise<void> {
    const { turns } = this.#conversation;
    const report = await this.#memory.add(turns.map(({ turn }) => turn));
    const [problem] = report.problems;
    if (problem) {
      const at = turns[Number(/^turn (\d+)/.exec(problem.place)?.[1]) - 1];
      throw new MemoryError(problem.code, `${at?.place ?? problem.place}: ${problem.reason}`);
    }
    await internals(this.#memory).settle();
    let index = 0;
    for await (const { id } of this.#memory.conversations.turns()) {
      // Turns are returned in the order in which they were added.
      const { sourceId, sessionId } = turns[index++] ?? { sourceId: '', sessionId: '' };
      this.#places.set(id, { sourceId, sessionId });
      // A haystack may contain the same session twice; a cut-off refers to its first copy.
      if (!this.#turnIds.has(sourceId)) this.#turnIds.set(sourceId, id);
    }
  }

  /** Runs one of the conversation's own queries. */
  async ask(query: EvaluationQuery, options: AskOptions): Promise<Outcome> {
    const result = await this.#recall(query, options, query.cutoffTurn);
    const hits = result.hits.flatMap(({ turnId }) => this.#places.get(turnId ?? -1) ?? []);
    const ranking = unique(hits.map((hit) => hit.sourceId));
    const goldTurns = new Set(query.goldTurns);
    const goldSessions = new Set(query.goldSessions);
    const turn = goldTurns.size > 0 ? measureRanking(ranking, goldTurns) : null;
    const sessions = unique(hits.map((hit) => hit.sessionId));
    if (result.trace) await this.#learnUnits(result.trace);
    const sourceOf = ({ turnId }: Hit) => this.#places.get(turnId ?? -1)?.sourceId;
    const knowsGold = query.isUnanswerable || goldTurns.size > 0;
    return {
      conversationId: this.#conversation.id,
      queryId: query.id,
      type: query.type,
      isAnswerable: isAnswerable(query),
      isUnanswerable: query.isUnanswerable,
      turn,
      session: goldSessions.size > 0 ? measureRanking(sessions, goldSessions) : null,
      inject: result.inject,
      injected: injectedHits(result, sourceOf, { gold: goldTurns, neighbours: this.#neighbours }),
      judged: knowsGold ? judgedHits(result, sourceOf, query.isUnanswerable ? new Set() : goldTurns) : [],
      confidence: confidenceOf(result.trace),
      latencyMs: result.metadata.totalLatencyMs,
      breakdown: result.metadata.breakdown,
      stages: result.trace && turn ? this.#stageRecall(result.trace, ranking, goldTurns) : null,
      failure:
        result.trace && turn && turn['R@10'] < 1
          ? this.#failure(query, { figures: turn, ranking, gold: goldTurns, trace: result.trace })
          : null,
      captured:
        result.trace && (turn || query.wrongTurns?.length)
          ? this.#captured(result.trace, query, options)
          : null,
    };
  }

  /** Runs a query meant for another conversation: whether anything would be injected, and with what confidence. */
  async askForeign(query: EvaluationQuery, options: AskOptions): Promise<ForeignOutcome> {
    const result = await this.#recall(query, options, null);
    const sourceOf = ({ turnId }: Hit) => this.#places.get(turnId ?? -1)?.sourceId;
    return {
      inject: result.inject,
      confidence: confidenceOf(result.trace),
      judged: judgedHits(result, sourceOf, new Set()),
    };
  }

  /** Whether this is a part of the same conversation and contains some of what answers the query. */
  mayAnswer({ goldTurns }: EvaluationQuery, origin: string): boolean {
    return origin === this.origin && goldTurns.some((turn) => this.#turnIds.has(turn));
  }

  /** Closes the memory and deletes its file. */
  async discard(): Promise<void> {
    await this.#memory.close();
    for (const suffix of ['', '-wal', '-shm']) await rm(this.#path + suffix, { force: true });
  }

  async #recall(query: EvaluationQuery, options: AskOptions, cutoff: string | null): Promise<RecallResult> {
    const beforeTurnId = cutoff === null ? undefined : this.#turnIds.get(cutoff);
    return this.#memory.recall(query.text, {
      profile: options.profile,
      context: [...query.context],
      now: query.askedAt ?? this.#lastTime + DELAY_AFTER_LAST_TURN_MS,
      limit: LIMIT,
      budgetTokens: NO_BUDGET,
      count: false,
      explain: options.explain,
      ...(options.strategy && { strategy: options.strategy }),
      ...(beforeTurnId !== undefined && { beforeTurnId }),
    });
  }

  async #learnUnits({ searches, candidates }: Trace): Promise<void> {
    const named = [
      ...searches.flatMap((search) => search.unitIds),
      ...candidates.map(({ unitId }) => unitId),
    ];
    const unknown = [...new Set(named)].filter((unitId) => !this.#sourceOfUnit.has(unitId));
    for (const unit of await this.#memory.units.get(unknown)) {
      if (unit.kind !== 'episode') continue;
      this.#sourceOfUnit.set(unit.id, this.#places.get(unit.payload.turnId)?.sourceId ?? '');
    }
  }

  #stageRecall(trace: Trace, ranking: readonly string[], gold: ReadonlySet<string>): StageRecall {
    const shareAmong = (unitIds: readonly number[]) => {
      const found = new Set(unitIds.map((unitId) => this.#sourceOfUnit.get(unitId) ?? ''));
      return recallAt(found.size, [...found], gold);
    };
    const bySearch = Map.groupBy(trace.searches, ({ search }) => search);
    const stages: Record<string, number> = {};
    for (const kind of ['keyword', 'vector', 'time'] as const) {
      stages[kind] = shareAmong((bySearch.get(kind) ?? []).flatMap(({ unitIds }) => unitIds));
    }
    stages['found'] = shareAmong(trace.searches.flatMap(({ unitIds }) => unitIds));
    stages['scored'] = shareAmong(trace.candidates.map(({ unitId }) => unitId));
    stages[`top ${LIMIT}`] = recallAt(LIMIT, ranking, gold);
    stages['top 10'] = recallAt(10, ranking, gold);
    return stages;
  }

  #captured(trace: Trace, query: EvaluationQuery, { capture }: AskOptions): CapturedQuery | null {
    const labels = { gold: new Set(query.goldTurns), wrong: new Set(query.wrongTurns) };
    return capture && captureQuery(trace, capture, (unitId) => this.#sourceOfUnit.get(unitId), labels);
  }

  #failure(query: EvaluationQuery, { figures, ranking, gold, trace }: Answered): Failure {
    const texts = new Map(this.#conversation.turns.map(({ sourceId, turn }) => [sourceId, turn.text]));
    const scored = new Map(trace.candidates.map((each) => [this.#sourceOfUnit.get(each.unitId), each]));
    const describe = (sourceId: string): FailureCandidate => {
      const rank = ranking.indexOf(sourceId) + 1;
      return {
        sourceId,
        text: texts.get(sourceId) ?? '',
        rank: rank === 0 ? null : rank,
        isGold: gold.has(sourceId),
        score: scored.get(sourceId)?.score ?? null,
        features: scored.get(sourceId)?.features ?? null,
      };
    };
    return {
      queryId: query.id,
      conversationId: this.#conversation.id,
      type: query.type,
      query: query.text,
      context: query.context.map(({ speaker, text }) => `${speaker}: ${text}`),
      figures,
      gold: [...gold].map(describe),
      top: ranking.slice(0, TOP_SHOWN).map(describe),
      notes: trace.notes,
    };
  }
}

function neighboursIn({ turns }: EvaluationConversation): Map<string, readonly string[]> {
  const neighbours = new Map<string, string[]>();
  for (const session of Map.groupBy(turns, ({ sessionId }) => sessionId).values())
    for (const [at, { sourceId }] of session.entries())
      neighbours.set(
        sourceId,
        [session[at - 1], session[at + 1]].flatMap((turn) => turn?.sourceId ?? []),
      );
  return neighbours;
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

/** A profile may give its confidence as a number, or as its parts with their sum `z`. */
function confidenceOf(trace: Trace | undefined): number | null {
  const noted = trace?.notes['confidence'];
  const value = typeof noted === 'object' && noted !== null && 'z' in noted ? noted.z : noted;
  return typeof value === 'number' ? value : null;
}
