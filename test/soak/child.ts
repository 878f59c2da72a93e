/** A companion in a separate process, with a clock that its parent sets. */
import { createCompanion, DEFAULT_REMINDERS } from '../../src/companion/companion.ts';
import { scheduleReorganization } from '../../src/organize/organize.ts';
import { internals, openLanguageModel, openMemory } from '../../src/engine/engine.ts';

export type Order =
  | { readonly id: number; readonly do: 'work'; readonly at: number }
  | {
      readonly id: number;
      readonly do: 'chat';
      readonly at: number;
      readonly text: string;
      readonly messageId: string;
    }
  | { readonly id: number; readonly do: 'notify'; readonly at: number; readonly message: string };

const [dataDir = '', url = ''] = process.argv.slice(2);
let clock = Number(process.argv[4]);
const now = () => clock;
const model = openLanguageModel({ provider: 'endpoint', url, model: 'scripted-model', retries: 0 });
const memory = await openMemory({
  dataDir,
  timeZone: 'UTC',
  embedder: { provider: 'hashed' },
  model,
  worker: false,
  now,
});
await scheduleReorganization(internals(memory).store, 'nightly', clock);
const companion = createCompanion({
  memory,
  chatModel: () => model,
  visionModel: () => null,
  settings: () => ({
    persona: '',
    contract: '',
    packTokens: 800,
    recentTurns: 10,
    deepRecall: false,
    deepTimeLimitMs: 1_000,
    reminders: DEFAULT_REMINDERS,
  }),
  publish: (event) => process.send?.({ event }),
  now,
});

async function chat(text: string, messageId: string): Promise<unknown> {
  const request = { text, messageId, conversationId: 'talk' };
  let end: unknown = null;
  for await (const event of companion.chat(request, new AbortController().signal)) {
    if (event.type === 'token') process.send?.({ token: true });
    if (event.type === 'done' || event.type === 'error') end = event;
  }
  return end;
}

/** Kinds of jobs that the companion itself runs. */
const SERVED: ReadonlySet<string> = new Set(['respond', 'remind', 'describe_images']);

interface Progress {
  /** When the next job is due, or a model is tried again. */
  readonly nextDue: number | null;
  readonly failed: number;
}

/** Does all due work that can be done now. */
async function work(): Promise<Progress> {
  for (;;) {
    await companion.lookForReminders();
    await internals(memory).settle();
    const queued = await memory.jobs.list({ status: 'queued', limit: 10_000 });
    const { running, failed } = await memory.jobs.count();
    const outages = new Map(memory.jobs.outages().map(({ kind, until }) => [kind, until]));
    const times = queued.map(({ kind, runAfter }) => Math.max(runAfter, outages.get(kind) ?? 0));
    const isServed = queued.some(({ kind }, i) => SERVED.has(kind) && (times[i] ?? 0) <= clock);
    if (running === 0 && !isServed) {
      // A due job that was not run waits for an earlier turn of its conversation.
      const later = times.filter((at) => at > clock);
      return { nextDue: later.length === 0 ? null : Math.min(...later), failed };
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

async function execute(order: Order): Promise<unknown> {
  clock = order.at;
  if (order.do === 'chat') return chat(order.text, order.messageId);
  if (order.do === 'notify') return companion.notify({ from: 'calendar', message: order.message });
  return work();
}

process.on('message', (order: Order) => {
  execute(order).then(
    (result) => process.send?.({ id: order.id, result }),
    (error: unknown) => process.send?.({ id: order.id, error: String(error) }),
  );
});
process.send?.({ ready: true });
