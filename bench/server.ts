/**
 * Measures the companion server with a model that answers at once.
 *
 *     node bench/server.ts [--clients 50] [--seconds 60] [--turns 10000] [--pairs 400] [--json]
 *
 * First many clients chat concurrently, each in its own conversation, and the stored turns are compared with the sent
 * ones. Then the time to the first piece of a `/v1/chat/completions` answer is measured, from the server and from the
 * model directly, alternating.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openMemory } from '../src/engine/engine.ts';
import { renderText, type Block } from '../src/eval/eval.ts';
import { createClient } from '../src/serve/client.ts';
import { generateQueries } from './generate.ts';
import { startPart, type Part, type Place } from './serverParts.ts';
import { spread, type Spread } from './spread.ts';

/** The recall's time comes with its hits, which is much data: only one in this many chats requests it. */
const TOLD_EVERY = 8;
const WARM_UP_PAIRS = 40;
/**
 * Pause after each answer, in milliseconds. With the server it is a minimum time for a person to write again, and long
 * enough that learning from one exchange (which begins after 250 ms) does not affect the next measurement.
 */
const PAUSE_MS = { direct: 60, server: 700 };

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    turns: { type: 'string', default: '10000' },
    pairs: { type: 'string', default: '400' },
    json: { type: 'boolean', default: false },
  },
});
const [clients, seconds, turns, pairs] = [values.clients, values.seconds, values.turns, values.pairs].map(
  Number,
) as [number, number, number, number];

interface LoadResult {
  readonly clients: number;
  readonly seconds: number;
  readonly chats: number;
  readonly errors: readonly string[];
  /** Turns that were sent but are missing, and stored turns that were not sent. */
  readonly lost: number;
  readonly doubled: number;
  readonly chatMs: Spread;
  readonly firstTokenMs: Spread;
  readonly recallMs: Spread;
  readonly jobsLeft: number;
}

interface OverheadResult {
  readonly turns: number;
  readonly pairs: number;
  readonly directMs: Spread;
  readonly serverMs: Spread;
  /** For each pair, the server's time minus the model's. */
  readonly addedMs: Spread;
}

const loadBefore = loadavg()[0] ?? 0;
const model = await startPart({ role: 'model' });
const load = seconds > 0 ? await onServer(0, (server, dataDir) => measureLoad(server, dataDir)) : null;
const overhead = pairs > 0 ? await onServer(turns, (server) => measureOverhead(server)) : null;
await model.stop();
const machine = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node.js ${process.version}`;
const report = { machine, loadBefore, load, overhead };
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : renderText(describe()));

async function onServer<T>(
  turns: number,
  measure: (server: Part, dataDir: string) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'omoide-bench-'));
  const server = await startPart({ role: 'server', dataDir, modelUrl: model.url, turns });
  try {
    return await measure(server, dataDir);
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measureLoad(server: Part, dataDir: string): Promise<LoadResult> {
  const times = { chat: [] as number[], firstToken: [] as number[], recall: [] as number[] };
  const errors: string[] = [];
  const endAt = performance.now() + seconds * 1_000;
  const said = new Map<string, string[]>();
  const talk = async (place: Place, n: number) => {
    const conversationId = `client-${n}`;
    const lines: string[] = [];
    said.set(conversationId, lines);
    for (const [i, { text }] of generateQueries(2_000, n + 1).entries()) {
      if (performance.now() > endAt) return;
      const question = { text, conversationId, withMemory: i % TOLD_EVERY === 0 };
      await chatOnce(place, question, lines, times).catch((error: unknown) => errors.push(String(error)));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => talk(server, n)));
  const jobsLeft = await jobsOf(server);
  await server.stop();
  return {
    clients,
    seconds,
    chats: times.chat.length,
    errors,
    ...(await compare(dataDir, said)),
    chatMs: spread(times.chat),
    firstTokenMs: spread(times.firstToken),
    recallMs: spread(times.recall),
    jobsLeft,
  };
}

async function chatOnce(
  { url, token }: Place,
  question: { readonly text: string; readonly conversationId: string; readonly withMemory: boolean },
  lines: string[],
  times: { chat: number[]; firstToken: number[]; recall: number[] },
): Promise<void> {
  const startedAt = performance.now();
  let reply = '';
  let end: string | null = null;
  lines.push(`user: ${question.text}`);
  const chat = createClient({ baseUrl: url, token }).chat({ body: question });
  for await (const { event, data } of chat) {
    end = event;
    if (event === 'memory') times.recall.push(data.recall.metadata.totalLatencyMs);
    if (event === 'token' && reply === '') times.firstToken.push(performance.now() - startedAt);
    if (event === 'token') reply += data.text;
    if (event === 'error') throw new Error(`${data.code}: ${data.message}`);
  }
  if (end !== 'done') throw new Error(`The last event was ${end}.`);
  lines.push(`ai: ${reply}`);
  times.chat.push(performance.now() - startedAt);
}

async function jobsOf({ url, token }: Place): Promise<number> {
  const { jobs } = await createClient({ baseUrl: url, token }).readStats({ memoryId: 'default' });
  return jobs.queued + jobs.running + jobs.failed;
}

/** Compares the stored turns with the sent ones. */
async function compare(
  dataDir: string,
  said: ReadonlyMap<string, readonly string[]>,
): Promise<{ lost: number; doubled: number }> {
  const memory = await openMemory({ dataDir, learn: false, worker: false });
  const kept = new Map<string, string[]>();
  for await (const { conversationId, speaker, text } of memory.conversations.turns()) {
    const lines = kept.get(conversationId) ?? [];
    kept.set(conversationId, [...lines, `${speaker}: ${text}`]);
  }
  await memory.close();
  let [lost, doubled] = [0, 0];
  for (const [conversationId, lines] of said) {
    const there = kept.get(conversationId) ?? [];
    // In order: a turn at another position counts as lost and as doubled.
    lost += lines.filter((line, i) => there[i] !== line).length;
    doubled += there.filter((line, i) => lines[i] !== line).length;
  }
  return { lost, doubled };
}

async function measureOverhead(server: Part): Promise<OverheadResult> {
  const ways = [
    { place: { ...model, url: model.url }, name: 'direct' },
    { place: { ...server, url: `${server.url}/v1` }, name: 'server' },
  ] as const;
  const times = { direct: [] as number[], server: [] as number[] };
  const queries = generateQueries(pairs + WARM_UP_PAIRS, 77);
  for (const [n, { text, context }] of queries.entries()) {
    const history = context.map((line) => ({
      role: line.speaker === 'user' ? 'user' : 'assistant',
      content: line.text,
    }));
    const messages = [
      { role: 'system', content: 'You are a kind companion.' },
      ...history,
      { role: 'user', content: text },
    ];
    // Each goes first equally often.
    for (const { place, name } of n % 2 === 0 ? ways : ways.toReversed()) {
      const took = await firstPiece(place, messages);
      if (n >= WARM_UP_PAIRS) times[name].push(took);
      await new Promise((resolve) => {
        setTimeout(resolve, PAUSE_MS[name]);
      });
    }
  }
  return {
    turns,
    pairs,
    directMs: spread(times.direct),
    serverMs: spread(times.server),
    addedMs: spread(times.server.map((took, i) => took - (times.direct[i] ?? 0))),
  };
}

/** Milliseconds until the first piece of text of a streamed answer, which is then read to its end. */
async function firstPiece({ url, token }: Place, messages: readonly object[]): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'omoide', messages, stream: true }),
  });
  if (!answer.ok || !answer.body) throw new Error(`${answer.status} ${await answer.text()}`);
  let took: number | null = null;
  for await (const text of answer.body.pipeThrough(new TextDecoderStream()))
    if (took === null && text.includes('"content"')) took = performance.now() - startedAt;
  if (took === null) throw new Error('Nothing was said.');
  return took;
}

function describe(): Block[] {
  const row = (name: string, { p50, p95, max }: Spread) => [
    name,
    p50.toFixed(2),
    p95.toFixed(2),
    max.toFixed(2),
  ];
  const blocks: Block[] = [{ kind: 'text', text: `${machine}; load ${loadBefore.toFixed(1)} at the start.` }];
  if (load) {
    const { errors, chats, lost, doubled, jobsLeft } = load;
    blocks.push(
      {
        kind: 'text',
        text: `${clients} clients for ${seconds} s: ${chats} chats, ${errors.length} errors, ${lost} turns lost, ${doubled} doubled; ${jobsLeft} jobs left. ${errors.slice(0, 3).join('; ')}`,
      },
      {
        kind: 'table',
        head: ['ms', 'p50', 'p95', 'max'],
        rows: [
          row('recall', load.recallMs),
          row('first piece', load.firstTokenMs),
          row('whole chat', load.chatMs),
        ],
      },
    );
  }
  if (overhead) {
    blocks.push(
      {
        kind: 'text',
        text: `/v1/chat/completions at ${turns} turns, ${pairs} pairs, until the first piece:`,
      },
      {
        kind: 'table',
        head: ['ms', 'p50', 'p95', 'max'],
        rows: [
          row('the model directly', overhead.directMs),
          row('through the server', overhead.serverMs),
          row('added', overhead.addedMs),
        ],
      },
    );
  }
  return blocks;
}
