/** Metrics for Prometheus. Every server counts separately. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type {
  Memory,
  MemoryInfo,
  ModelCall,
  RecallMetadata,
  RecallOutcome,
  WorkerEvent,
} from '../engine/engine.ts';
import { nameOutcome } from './usage.ts';

const RECALL_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];
const REQUEST_MS = [1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 60_000];
const STAGE_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000];
const SHARES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1];
/** The stages of a recall that are searches. */
const SEARCHES = new Set(['vector', 'keyword', 'time', 'direct', 'neighbours']);
const MODEL_MS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 120_000];

export interface MetricsSources {
  readonly memories: () => Promise<readonly Memory[]>;
  readonly listeners: () => number;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #strategies = this.#counter('retrieval_strategy_usage_total', 'Recalls by strategy.', [
    'strategy',
  ]);
  readonly #latency = this.#histogram(
    'retrieval_latency_ms',
    'Duration of recalls.',
    ['strategy'],
    RECALL_MS,
  );
  readonly #empty = this.#counter('retrieval_empty_results_total', 'Recalls without a result.', []);
  readonly #rerank = this.#histogram('rerank_latency_ms', 'Duration of reranking.', [], RECALL_MS);
  readonly #outcomes = this.#counter(
    'omoide_recall_outcomes_total',
    'Recalls by result: injected, silent (found, but not certain enough) or empty (nothing found).',
    ['profile', 'outcome'],
  );
  readonly #topProbability = this.#histogram(
    'omoide_recall_top_probability',
    'Probability that the best hit of a recall is relevant.',
    ['profile'],
    SHARES,
  );
  readonly #searches = this.#histogram(
    'omoide_recall_search_ms',
    'Duration of each search of a recall.',
    ['search'],
    STAGE_MS,
  );
  readonly #stages = this.#histogram(
    'omoide_recall_stage_ms',
    'Duration of each other stage of a recall.',
    ['stage'],
    STAGE_MS,
  );
  readonly #feedback = this.#counter('omoide_feedback_total', 'Feedback on recalled units.', [
    'profile',
    'verdict',
  ]);
  readonly #jobs = this.#counter('omoide_jobs_total', 'Finished background jobs, by outcome.', [
    'kind',
    'outcome',
  ]);
  readonly #stalls = this.#counter(
    'omoide_stalls_total',
    'Number of times that background work, the archive or the vector index was blocked.',
    [],
  );
  readonly #ingested = this.#counter('omoide_ingested_turns_total', 'New turns stored.', []);
  readonly #tokens = this.#counter('omoide_model_tokens_total', 'Tokens of language models.', [
    'purpose',
    'model',
    'direction',
  ]);
  readonly #calls = this.#histogram(
    'omoide_model_latency_ms',
    'Duration of requests to language models.',
    ['purpose', 'model', 'outcome'],
    MODEL_MS,
  );
  readonly #exchanges = this.#counter(
    'omoide_exchanges_total',
    'Chats, notifications, reminders and meta requests that a model answered.',
    [],
  );
  readonly #perExchange = this.#gauge(
    'omoide_model_calls_per_exchange',
    'Requests to language models per exchange, including background work.',
    [],
  );
  readonly #outages = this.#gauge(
    'omoide_outages',
    'Kinds of background work that wait because a model cannot be reached or its replies are invalid.',
    ['kind'],
  );
  readonly #requests = this.#histogram(
    'http_request_duration_ms',
    'Time until the start of an answer.',
    ['operation', 'status'],
    REQUEST_MS,
  );
  readonly #waiting = this.#gauge('omoide_jobs', 'Unfinished background jobs.', ['status']);
  readonly #turns = this.#gauge('omoide_turns', 'Turns kept.', []);
  readonly #units = this.#gauge('omoide_units', 'Units kept.', ['kind']);
  readonly #bytes = this.#gauge('omoide_store_bytes', 'Size of the memories on disk.', []);
  readonly #open = this.#gauge('omoide_memories_open', 'Open memories.', []);
  readonly #listeners = this.#gauge('omoide_event_listeners', 'Open event streams.', []);

  #answered = 0;
  #asked = 0;
  /** The figures of each memory when it was last open. */
  readonly #sizes = new Map<string, MemoryInfo>();

  readonly contentType = this.#registry.contentType;

  onRecall(metadata: RecallMetadata, outcome: RecallOutcome): void {
    const { profile } = metadata;
    const strategy = metadata.strategyUsed;
    this.#strategies.inc({ strategy });
    this.#latency.observe({ strategy }, metadata.totalLatencyMs);
    if (metadata.candidatesAfter === 0) this.#empty.inc();
    const rerankMs = metadata.breakdown['rerank'];
    if (rerankMs !== undefined) this.#rerank.observe(rerankMs);
    for (const [stage, ms] of Object.entries(metadata.breakdown))
      if (SEARCHES.has(stage)) this.#searches.observe({ search: stage }, ms);
      else this.#stages.observe({ stage }, ms);
    this.#outcomes.inc({ profile, outcome: nameOutcome(metadata, outcome) });
    if (outcome.topProbability !== null) this.#topProbability.observe({ profile }, outcome.topProbability);
  }

  onFeedback(profile: string, verdict: string): void {
    this.#feedback.inc({ profile, verdict });
  }

  onWorkerEvent(event: WorkerEvent): void {
    if (event.type === 'stalled') {
      this.#stalls.inc();
      return;
    }
    const count = event.type === 'done' ? event.count : 1;
    this.#jobs.inc({ kind: event.kind, outcome: event.type }, count);
  }

  onIngest(added: number): void {
    this.#ingested.inc(added);
  }

  onExchange(): void {
    this.#answered += 1;
    this.#exchanges.inc();
  }

  /** Requests to language models per exchange; null when there was none. */
  get callsPerExchange(): number | null {
    return this.#answered === 0 ? null : this.#asked / this.#answered;
  }

  onModelCall({ modelId: model, purpose, usage, elapsedMs, error }: ModelCall): void {
    this.#asked += 1;
    this.#calls.observe({ purpose, model, outcome: error === null ? 'done' : 'failed' }, elapsedMs);
    if (usage.inputTokens) this.#tokens.inc({ purpose, model, direction: 'input' }, usage.inputTokens);
    if (usage.outputTokens) this.#tokens.inc({ purpose, model, direction: 'output' }, usage.outputTokens);
  }

  /** @param operation `unknown` for an unknown path */
  onRequest(operation: string, status: number, elapsedMs: number): void {
    this.#requests.observe({ operation, status: String(status) }, elapsedMs);
  }

  async text(sources: MetricsSources): Promise<string> {
    await this.#measure(sources);
    return this.#registry.metrics();
  }

  async #measure({ memories, listeners }: MetricsSources): Promise<void> {
    const opened = await memories();
    for (const memory of opened) this.#sizes.set(memory.memoryId, await memory.admin.info());
    for (const gauge of [this.#waiting, this.#turns, this.#units, this.#bytes, this.#outages]) gauge.reset();
    this.#perExchange.set(this.callsPerExchange ?? 0);
    for (const memory of opened) for (const { kind } of memory.jobs.outages()) this.#outages.inc({ kind });
    this.#open.set(opened.length);
    this.#listeners.set(listeners());
    for (const { turns, units, jobs, sizeBytes } of this.#sizes.values()) {
      this.#turns.inc(turns);
      this.#bytes.inc(sizeBytes);
      for (const [kind, count] of Object.entries(units)) this.#units.inc({ kind }, count);
      for (const [status, count] of Object.entries(jobs)) this.#waiting.inc({ status }, count);
    }
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.#registry] });
  }
}
