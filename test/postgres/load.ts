/** Clients that send turns to servers, one after another, and record which were acknowledged. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Turn } from '../../src/engine/engine.ts';

/** A server under load: sends a request with its token. */
export interface LoadedServer {
  request(method: string, path: string, body?: unknown): Promise<Response>;
}

export interface Told {
  readonly conversationId: string;
  readonly turnIndex: number;
  readonly text: string;
}

export interface Account {
  readonly acknowledged: number;
  readonly kept: number;
  /** Acknowledged but missing. */
  readonly lost: readonly Told[];
  /** Stored more than once. */
  readonly doubled: readonly Told[];
}

const RETRY_MS = 100;
const MAX_REQUEST_MS = 45_000;

export class Load {
  readonly #servers: readonly LoadedServer[];
  readonly #memoryId: string;
  readonly #acknowledged: Told[] = [];
  readonly #clients: Promise<void>[];
  #isStopped = false;
  /** Number of repeated requests. */
  resent = 0;
  /** Set while waiting for the acknowledgement of a turn sent after this time; see `nextAcknowledgement`. */
  #waiting: { readonly sentAfter: number; readonly resolve: (at: number) => void } | null = null;

  constructor(
    servers: readonly LoadedServer[],
    { memoryId, clients }: { memoryId: string; clients: number },
  ) {
    this.#servers = servers;
    this.#memoryId = memoryId;
    this.#clients = Array.from({ length: clients }, (_, client) => this.#run(client));
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** Resolves when a turn sent from now on was acknowledged, with the elapsed milliseconds. */
  async nextAcknowledgement(): Promise<number> {
    const sentAfter = performance.now();
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#waiting = { sentAfter, resolve };
    return (await promise) - sentAfter;
  }

  /** Waits until every client has finished its current turn. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  account(turns: readonly Turn[]): Account {
    const told = ({ conversationId, turnIndex, text }: Told) =>
      JSON.stringify([conversationId, turnIndex, text]);
    const places = new Set(turns.map(told));
    const texts = Map.groupBy(turns, ({ text }) => text);
    return {
      acknowledged: this.#acknowledged.length,
      kept: turns.length,
      lost: this.#acknowledged.filter((one) => !places.has(told(one))),
      doubled: this.#acknowledged.filter(({ text }) => (texts.get(text)?.length ?? 0) > 1),
    };
  }

  async #run(client: number): Promise<void> {
    const conversationId = `client-${client}`;
    for (let turnIndex = 0; !this.#isStopped; turnIndex += 1) {
      const text = `Client ${client} visits garden ${turnIndex} with ${NAMES[turnIndex % NAMES.length]}.`;
      await this.#tell({ conversationId, turnIndex, text }, client + turnIndex);
    }
  }

  /** Retries on one server after another until the turn is acknowledged: its turn index makes that safe. */
  async #tell(turn: Told, first: number): Promise<void> {
    for (let tried = 0; ; tried += 1) {
      const sentAt = performance.now();
      if (await this.#send(turn, first + tried)) {
        this.#acknowledged.push(turn);
        this.#noteAcknowledgement(sentAt);
        return;
      }
      this.resent += 1;
      await pause(RETRY_MS);
    }
  }

  async #send(turn: Told, place: number): Promise<boolean> {
    const server = this.#servers[place % this.#servers.length];
    const body = { turns: [{ ...turn, speaker: 'user' }] };
    try {
      const sent = server?.request('POST', `/api/memories/${this.#memoryId}/turns`, body);
      const response = await Promise.race([sent, pause(MAX_REQUEST_MS, null, { ref: false })]);
      await response?.text();
      return response?.ok ?? false;
    } catch {
      return false;
    }
  }

  #noteAcknowledgement(sentAt: number): void {
    if (!this.#waiting || sentAt < this.#waiting.sentAfter) return;
    this.#waiting.resolve(performance.now());
    this.#waiting = null;
  }
}

const NAMES = ['Hana', 'Ken', 'Mika', 'Taro', 'Yui'];
