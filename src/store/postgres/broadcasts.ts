import { randomUUID } from 'node:crypto';
import type { BroadcastListener, Broadcasts } from '../broadcast.ts';
import type { Database } from './database.ts';
import { CHANNEL, type DirectConnection } from './direct.ts';
import { toMemoryError } from './errors.ts';

/** How often the outbox is polled: this finds rows whose notification was lost with a killed process. */
const POLL_INTERVAL_MS = 2_000;
/** Changes of one memory within this time are reported as one. */
const CHANGE_PAUSE_MS = 250;
/** A row may become visible this long after its time, which is that of the start of its transaction. */
const MAX_TRANSACTION_MS = 600_000;
/** Rows are kept this long. A process that was disconnected for longer misses some. */
const KEPT = '1 day';
const PRUNE_EVERY_MS = 600_000;

interface OutboxRow {
  readonly seq: string;
  readonly kind: 'event' | 'message' | 'erased';
  readonly name: string;
  readonly unit_id: string | null;
  readonly message: string | null;
  readonly at: string;
}

/** Broadcasts through the table `outbox`, with a notification for each new row. */
export class PostgresBroadcasts implements Broadcasts {
  readonly #db: Database;
  readonly #connection: DirectConnection;
  readonly #listener: BroadcastListener;
  readonly #ownId = randomUUID().slice(0, 8);
  readonly #unfollow: () => void;
  readonly #timer: NodeJS.Timeout;
  /** Rows that were delivered, and when. */
  readonly #told = new Map<string, number>();
  readonly #changed = new Set<string>();
  #changeTimer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | null = null;
  #mustPollAgain = false;
  /** When the outbox was last read; null: never, so that existing rows are not delivered. */
  #polledAt: number | null = null;
  #prunedAt = 0;
  #wasBroken = false;
  #isClosed = false;

  constructor(db: Database, listener: BroadcastListener) {
    this.#db = db;
    this.#connection = db.direct;
    this.#listener = listener;
    this.#unfollow = this.#connection.follow({
      onNotify: (payload) => this.#receive(payload),
      onBreak: () => {
        this.#wasBroken = true;
      },
    });
    this.#timer = setInterval(() => this.#pollSoon(), POLL_INTERVAL_MS).unref();
  }

  /** Starts listening. Earlier broadcasts are not delivered. */
  async begin(): Promise<void> {
    await this.#poll();
  }

  changed(memoryId: string): void {
    this.#changed.add(memoryId);
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined;
      void this.#publishChanges();
    }, CHANGE_PAUSE_MS).unref();
  }

  look(): void {
    this.#pollSoon();
    void this.#notify(['look']);
  }

  async send(memoryId: string, message: string): Promise<void> {
    await this.#connection.queryAgain(
      `INSERT INTO outbox (memory_id, kind, message) SELECT id, 'message', $2 FROM memory WHERE name = $1`,
      [memoryId, message],
    );
    this.look();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#publishChanges();
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#changeTimer);
    this.#unfollow();
    await this.#polling;
    await this.#db.close();
  }

  #receive(payload: string): void {
    const [type, sender, memoryId = ''] = payload.split(' ');
    if (sender === this.#ownId) return;
    if (type === 'look') this.#pollSoon();
    else if (type === 'changed') {
      this.#db.dueJobs.expire();
      this.#listener.onChange(memoryId);
    }
  }

  async #publishChanges(): Promise<void> {
    const names = [...this.#changed];
    this.#changed.clear();
    await this.#notify(names.map((name) => ({ changed: name })));
  }

  /** A notification that fails is made up for by polling. */
  async #notify(news: readonly ('look' | { readonly changed: string })[]): Promise<void> {
    if (this.#isClosed || news.length === 0) return;
    const payloads = news.map((one) =>
      one === 'look' ? `look ${this.#ownId}` : `changed ${this.#ownId} ${one.changed}`,
    );
    const sql = `SELECT pg_notify('${CHANNEL}', n) FROM json_array_elements_text($1::json) n`;
    await this.#connection.query(sql, [JSON.stringify(payloads)]).catch(() => {});
  }

  #pollSoon(): void {
    if (this.#isClosed) return;
    if (this.#polling) {
      this.#mustPollAgain = true;
      return;
    }
    this.#polling = this.#poll()
      .catch(() => {
        this.#wasBroken = true;
      })
      .finally(() => {
        this.#polling = null;
        if (!this.#mustPollAgain) return;
        this.#mustPollAgain = false;
        this.#pollSoon();
      });
  }

  async #poll(): Promise<void> {
    const startedAt = performance.now();
    const isFirst = this.#polledAt === null;
    const since = MAX_TRANSACTION_MS + startedAt - (this.#polledAt ?? startedAt);
    try {
      // On every new connection: `LISTEN` ends with its connection.
      await this.#connection.query(`LISTEN ${CHANNEL}`);
      const rows = await this.#connection.query<OutboxRow>(READ, [since / 1_000]);
      this.#polledAt = startedAt;
      for (const row of rows) {
        const key = `${row.seq} ${row.at}`;
        if (this.#told.has(key)) continue;
        this.#told.set(key, startedAt);
        if (!isFirst) this.#deliver(row);
      }
      this.#dropDelivered(startedAt);
      this.#reportBreak();
      await this.#prune(startedAt);
    } catch (cause) {
      throw toMemoryError(cause);
    }
  }

  #deliver({ kind, name, unit_id: unitId, message }: OutboxRow): void {
    if (kind === 'event') this.#listener.onEvent(name, Number(unitId));
    else if (kind === 'message') this.#listener.onMessage(name, message ?? '');
    else this.#listener.onErased(name);
  }

  /** After a broken connection, unknown changes may have been missed. */
  #reportBreak(): void {
    if (!this.#wasBroken) return;
    this.#wasBroken = false;
    this.#listener.onBreak();
  }

  #dropDelivered(now: number): void {
    for (const [key, at] of this.#told) {
      if (at + 2 * MAX_TRANSACTION_MS > now) return;
      this.#told.delete(key);
    }
  }

  async #prune(now: number): Promise<void> {
    if (this.#prunedAt !== 0 && this.#prunedAt + PRUNE_EVERY_MS > now) return;
    this.#prunedAt = now;
    await this.#connection.query(`DELETE FROM outbox WHERE at < now() - interval '${KEPT}'`);
  }
}

const READ = `SELECT o.seq::text, o.kind, m.name, o.unit_id::text, o.message, o.at::text
  FROM outbox o JOIN memory m ON m.id = o.memory_id
  WHERE o.at > now() - make_interval(secs => $1) ORDER BY o.seq`;
