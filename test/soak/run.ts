/** Runs and checks simulated weeks, step by step. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CompanionEvent } from '../../src/companion/companion.ts';
import { openMemory } from '../../src/engine/engine.ts';
import { startScriptedModel, type ScriptedModel } from '../scriptedModel/scriptedModel.ts';
import type { Order } from './child.ts';
import { createAnswer, type Weather } from './model.ts';
import { planTalk, type PlannedChat } from './talk.ts';

export interface SoakReport {
  readonly figures: Readonly<Record<string, number | string>>;
  readonly problems: readonly string[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 3, 1);
const CHILD = fileURLToPath(new URL('child.ts', import.meta.url));
/** Maximum delay of a reminder: the next step of the clock. */
const MAX_LATE_MS = 60_000;
const MAX_CALLS = 2.2;
/** With fewer days, refused requests are too large a part of the total. */
const MIN_DAYS_FOR_REFUSED = 14;
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

export async function runSoak(days: number, log: (line: string) => void = () => {}): Promise<SoakReport> {
  const model = await startScriptedModel();
  const dataDir = mkdtempSync(join(tmpdir(), 'omoide-soak-'));
  try {
    return await new Soak(dataDir, model, days, log).run();
  } finally {
    await model.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class Soak {
  readonly #dataDir: string;
  readonly #model: ScriptedModel;
  readonly #days: number;
  readonly #log: (line: string) => void;
  readonly #events: { readonly event: CompanionEvent; readonly at: number }[] = [];
  /** Messages that the companion acknowledged. */
  readonly #acknowledged = new Set<string>();
  readonly #problems: string[] = [];
  /** Requests to the model, by purpose. */
  readonly #sent = new Map<string, number>();
  #clock = START;
  #answered = 0;
  #unanswered = 0;
  #kills = 0;
  #failed = 0;
  #next = 1;
  #child: ChildProcess | null = null;

  constructor(dataDir: string, model: ScriptedModel, days: number, log: (line: string) => void) {
    this.#dataDir = dataDir;
    this.#model = model;
    this.#days = days;
    this.#log = log;
    const onRequest = (schema: string | null, weather: Weather) => {
      const what = weather === 'down' ? 'refused' : (schema ?? 'words');
      this.#sent.set(what, (this.#sent.get(what) ?? 0) + 1);
    };
    model.answer(createAnswer(() => this.#weather(), onRequest));
  }

  /** The model's faults are within the first days, however many days there are. */
  #weather(): Weather {
    const hours = (this.#clock - START) / HOUR_MS;
    const day = Math.floor(this.#days / 3) * 24;
    if (hours >= day + 10 && hours < day + 16) return 'down';
    if (hours >= day + 17 && hours < day + 18) return 'garbage';
    return hours >= day + 24 && hours < day + 48 ? 'slow' : 'fine';
  }

  async run(): Promise<SoakReport> {
    const chats = planTalk(START, this.#days);
    await this.#start();
    const kills = [Math.floor(chats.length / 3) + 20, Math.floor((2 * chats.length) / 3)];
    for (const [nth, chat] of chats.entries()) {
      await this.#passUntil(chat.at);
      if (nth === kills[0]) await this.#killWhileAnswering(chat, nth);
      await this.#say(chat, nth);
      if (nth === kills[1]) await this.#killWhileWorking();
      if (nth % 24 === 5)
        await this.#ask({ do: 'notify', at: this.#clock, message: `Train ${nth} is late.` });
      if ((nth + 1) % 60 === 0)
        this.#log(`${Math.floor((nth + 1) / 12)} days, ${this.#model.chats.length} requests`);
    }
    await this.#passUntil(START + (this.#days + 2) * DAY_MS);
    await this.#stop();
    return this.#check(chats);
  }

  /** Advances the clock, stopping whenever something is due. */
  async #passUntil(at: number): Promise<void> {
    for (;;) {
      const { nextDue, failed } = (await this.#ask({ do: 'work', at: this.#clock })) as {
        nextDue: number | null;
        failed: number;
      };
      this.#failed = failed;
      if (nextDue === null || nextDue >= at) break;
      this.#clock = Math.max(nextDue, this.#clock + 1);
    }
    this.#clock = at;
  }

  async #say(chat: PlannedChat, nth: number): Promise<void> {
    const order = { do: 'chat', at: this.#clock, text: chat.text, messageId: `m${nth}` } as const;
    const end = (await this.#ask(order)) as { type: string } | null;
    if (end === null) this.#problems.push(`chat ${nth} ended without an end`);
    this.#acknowledged.add(chat.text);
    if (end?.type === 'done') this.#answered += 1;
    else this.#unanswered += 1;
  }

  /** Kills the process at the first word of its answer; the client sends its message again. */
  async #killWhileAnswering(chat: PlannedChat, nth: number): Promise<void> {
    const child = this.#running();
    const spoke = new Promise<void>((resolve) => {
      child.on('message', (message: { token?: true }) => message.token && resolve());
    });
    child.send({ id: 0, do: 'chat', at: this.#clock, text: chat.text, messageId: `m${nth}` });
    await spoke;
    await this.#kill();
  }

  async #killWhileWorking(): Promise<void> {
    this.#running().send({ id: 0, do: 'work', at: this.#clock });
    await new Promise((resolve) => {
      setTimeout(resolve, 30);
    });
    await this.#kill();
  }

  #running(): ChildProcess {
    if (!this.#child) throw new Error('The companion does not run.');
    return this.#child;
  }

  async #start(): Promise<void> {
    const child = fork(CHILD, [this.#dataDir, this.#model.url, String(this.#clock)]);
    this.#child = child;
    child.on('message', ({ event }: { event?: CompanionEvent }) => {
      if (event) this.#events.push({ event, at: this.#clock });
    });
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', () => reject(new Error('The companion did not start.')));
    });
  }

  async #kill(): Promise<void> {
    const child = this.#running();
    const gone = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill('SIGKILL');
    await gone;
    this.#kills += 1;
    // The leases of the killed process expire.
    this.#clock += 2 * 60_000;
    await this.#start();
  }

  async #stop(): Promise<void> {
    const child = this.#running();
    const gone = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.disconnect();
    child.kill();
    await gone;
  }

  async #ask(order: Unnumbered<Order>): Promise<unknown> {
    const id = this.#next++;
    const child = this.#running();
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`The companion ended by itself (${code}).`));
      child.once('exit', onExit);
      const onMessage = (message: { id?: number; result?: unknown; error?: string }) => {
        if (message.id !== id) return;
        child.off('message', onMessage);
        child.off('exit', onExit);
        if (message.error === undefined) resolve(message.result);
        else reject(new Error(message.error));
      };
      child.on('message', onMessage);
      child.send({ ...order, id });
    });
  }

  async #check(chats: readonly PlannedChat[]): Promise<SoakReport> {
    const memory = await openMemory({ dataDir: this.#dataDir, embedder: null, worker: false, learn: false });
    try {
      const texts: string[] = [];
      for await (const turn of memory.conversations.turns()) texts.push(turn.text);
      this.#expect(
        [...this.#acknowledged].every((text) => texts.includes(text)),
        'something acknowledged is lost',
      );
      const said = texts.filter((text) => this.#acknowledged.has(text));
      this.#expect(said.length === new Set(said).size, 'a message that was sent again is kept twice');
      const { problems } = await memory.admin.verify();
      this.#expect(problems.length === 0, `the chain of turns does not verify: ${problems[0]?.message}`);
      this.#expect(this.#failed === 0, `${this.#failed} jobs failed`);
      const end = START + (this.#days + 2) * DAY_MS;
      const left = await memory.jobs.list({ limit: 1_000 });
      const due = left.filter(({ runAfter }) => runAfter <= end - DAY_MS);
      this.#expect(due.length === 0, `${due.length} jobs are not done: ${due[0]?.kind} ${due[0]?.lastError}`);
    } finally {
      await memory.close();
    }
    const reminders = this.#checkReminders(chats);
    const ids = this.#events.flatMap(({ event }) => event.id ?? []);
    this.#expect(ids.length === new Set(ids).size, 'an event came twice');
    const { sent, perExchange } = this.#count();
    return {
      figures: {
        days: this.#days,
        'chats answered': this.#answered,
        'chats kept while the model was down': this.#unanswered,
        'processes killed': this.#kills,
        events: this.#events.length,
        'reminders on time': `${reminders.onTime} of ${reminders.due}`,
        ...sent,
        'requests an exchange': perExchange.toFixed(2),
      },
      problems: this.#problems,
    };
  }

  /** Counts requests to the model; refused ones only count if the six hours are a small part of the time. */
  #count(): { readonly sent: Readonly<Record<string, number>>; readonly perExchange: number } {
    const exchanges = this.#answered + this.#events.filter(({ event }) => event.data.message !== null).length;
    const [all, refused] = [sum(this.#sent.values()), this.#sent.get('refused') ?? 0];
    const counted = this.#days < MIN_DAYS_FOR_REFUSED ? all - refused : all;
    const perExchange = counted / Math.max(1, exchanges);
    this.#expect(perExchange <= MAX_CALLS, `${perExchange.toFixed(2)} requests an exchange`);
    const sent = Object.fromEntries([...this.#sent].map(([what, count]) => [`requests: ${what}`, count]));
    return { sent: { exchanges, ...sent, 'requests: all': all }, perExchange };
  }

  #checkReminders(chats: readonly PlannedChat[]): { readonly due: number; readonly onTime: number } {
    const told = this.#events.filter(({ event }) => event.type === 'reminder');
    const duties = chats.flatMap(({ dueAt }) => dueAt ?? []);
    let onTime = 0;
    for (const dueAt of duties) {
      const events = told.filter(({ event }) => event.data.loop?.dueAt === dueAt);
      const [first] = events;
      if (events.length === 1 && first && first.at >= dueAt && first.at <= dueAt + MAX_LATE_MS) onTime += 1;
      else this.#problems.push(`${events.length} reminders of ${new Date(dueAt).toISOString()}`);
    }
    return { due: duties.length, onTime };
  }

  #expect(isSo: boolean, problem: string): void {
    if (!isSo) this.#problems.push(problem);
  }
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((all, count) => all + count, 0);
}
