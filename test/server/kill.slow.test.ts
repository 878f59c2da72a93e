import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory, type Turn } from '../../src/engine/engine.ts';
import { openSettings, settingsPath } from '../../src/settings/settings.ts';
import { startScriptedModel, type ScriptedModel } from '../scriptedModel/scriptedModel.ts';
import { seededRandom } from '../seededRandom.ts';
import { temporaryFolder } from '../temporary.ts';
import { startKillable, type Killable } from './killable.ts';

const KILLS = Number(process.env['OMOIDE_KILLS'] ?? 3);
const TIMES = Array.from({ length: KILLS }, (_, i) => i + 1);
const CLIENTS = 6;

async function startModel(): Promise<ScriptedModel> {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  return model;
}

const answeredBy = (model: ScriptedModel) => [
  '--chat-model',
  JSON.stringify({ provider: 'endpoint', url: model.url, model: 'scripted', retries: 0 }),
];

/** What a client received of one chat. */
interface Seen {
  readonly text: string;
  readonly conversationId: string;
  /** The reply received so far. */
  reply: string;
  /** Whether the server sent `done`. */
  isDone: boolean;
}

/** Sends a message and reads the answer to its end, or until the server is killed. */
async function chat(server: Killable, seen: Seen): Promise<void> {
  try {
    const { text, conversationId } = seen;
    const response = await server.request('POST', '/api/chat', { text, conversationId });
    let events = '';
    for await (const part of response.body ?? []) {
      events += Buffer.from(part).toString();
      for (let end = events.indexOf('\n\n'); end >= 0; end = events.indexOf('\n\n')) {
        const [, type, data] = /^event: (\w+)\ndata: (.*)$/m.exec(events.slice(0, end)) ?? [];
        if (type === 'token') seen.reply += (JSON.parse(data ?? '') as { text: string }).text;
        if (type === 'done') seen.isDone = true;
        events = events.slice(end + 2);
      }
    }
  } catch {
    // The server was killed.
  }
}

/** Clients that send one message after another until the server is killed. */
async function chatOn(server: Killable, client: number, all: Seen[]): Promise<void> {
  for (let i = 0; server.child.exitCode === null && server.child.signalCode === null; i += 1) {
    const seen = {
      text: `${client} 番の人が ${i} 回目に言う。`,
      conversationId: `c${client}`,
      reply: '',
      isDone: false,
    };
    all.push(seen);
    await chat(server, seen);
  }
}

async function readAll(dataDir: string): Promise<Turn[]> {
  const memory = await openMemory({ dataDir, embedder: null, learn: false, worker: false });
  try {
    expect((await memory.admin.verify()).problems).toEqual([]);
    return await Array.fromAsync(memory.conversations.turns());
  } finally {
    await memory.close();
  }
}

/** Differences between what a client received and what is stored. */
function differences({ text, conversationId, reply, isDone }: Seen, turns: readonly Turn[]): string[] {
  const kept = turns.filter((turn) => turn.conversationId === conversationId);
  const said = kept.filter((turn) => turn.speaker === 'user' && turn.text === text);
  const replies = kept.filter((turn) => turn.speaker === 'ai' && turn.text.startsWith(`「${text}」`));
  return [
    ...(said.length > 1 ? [`${text} is kept ${said.length} times`] : []),
    ...(replies.length > 1 ? [`the reply to ${text} is kept ${replies.length} times`] : []),
    // A client that received part of the answer knows that its message is stored.
    ...(reply !== '' && said.length === 0 ? [`${text} is lost`] : []),
    ...(isDone && replies[0]?.text !== reply ? [`the reply to ${text} is ${replies[0]?.text}`] : []),
  ];
}

describe('killed during chats', () => {
  test.each(TIMES)('(%i) nothing that was acknowledged is lost or doubled', async () => {
    const random = seededRandom();
    const model = await startModel();
    const replyTo = (text: string) => `「${text}」と聞いたよ。それは楽しみだね。`;
    model.answer((body) => {
      const { messages } = body as { messages: { content: string }[] };
      return { text: replyTo(messages.at(-1)?.content ?? ''), chunkDelayMs: 2 };
    });
    const dataDir = temporaryFolder();
    const all: Seen[] = [];
    for (const round of [1, 2]) {
      const server = await startKillable(dataDir, [...answeredBy(model), '--no-worker']);
      const clients = Array.from({ length: CLIENTS }, (_, i) => chatOn(server, round * 100 + i, all));
      while (all.filter(({ isDone }) => isDone).length < round * CLIENTS) await pause(5);
      await pause(random() * 100);
      await server.kill();
      await Promise.all(clients);
    }
    const turns = await readAll(dataDir);
    expect(all.flatMap((seen) => differences(seen, turns))).toEqual([]);
    expect(all.filter(({ isDone }) => isDone).length).toBeGreaterThanOrEqual(2 * CLIENTS);
    expect(all.some(({ isDone }) => !isDone)).toBe(true);
  });
});

describe('killed while the settings change', () => {
  test.each(TIMES)(
    '(%i) the change is applied completely or not at all, and no acknowledged one is lost',
    async () => {
      const random = seededRandom();
      const dataDir = temporaryFolder();
      const server = await startKillable(dataDir, ['--no-worker']);
      /** Settings with the number of the change in each part. */
      const change = (n: number) => ({
        presets: { persona: [{ id: `p${n}`, name: `${n}`, text: `あなたは ${n} 人目。`.repeat(50) }] },
        active: { persona: `p${n}` },
        budgets: { packTokens: 1_000 + n },
      });
      const acknowledged: number[] = [];
      const changing = (async () => {
        for (let n = 1; ; n += 1) {
          await server.ask('PATCH', '/api/settings', change(n));
          acknowledged.push(n);
        }
      })().catch(() => {});
      while (acknowledged.length < 3) await pause(1);
      await pause(random() * 50);
      await server.kill();
      await changing;
      const last = acknowledged.at(-1) ?? 0;
      const settings = openSettings(settingsPath(dataDir));
      const { presets, active, budgets } = settings.get();
      settings.close();
      const n = budgets.packTokens - 1_000;
      expect([last, last + 1]).toContain(n);
      expect({ persona: presets.persona, active: active.persona }).toEqual({
        persona: change(n).presets.persona,
        active: `p${n}`,
      });
      const again = await startKillable(dataDir, ['--no-worker']);
      expect(await again.ask('GET', '/api/settings')).toMatchObject({ active: { persona: `p${n}` } });
      expect(await again.stop()).toBe(0);
    },
  );
});
