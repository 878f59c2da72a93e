import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { internals, openMemory, type Memory } from '../../src/engine/engine.ts';
import { FORGOTTEN_CONVERSATION, type UpkeepRequest } from '../processes/upkeep.ts';

const SCRIPT = fileURLToPath(new URL('../processes/upkeep.ts', import.meta.url));

export const SECRET = 'I adopted a cat called Zylophantus. Quermel of Vorrantheim gave it to me.';
const TALK = [
  'I went to the harbour with Mia yesterday and we had tea.',
  'My sister Mia lives in Osaka and works as a nurse.',
  'We should visit the museum of trains tomorrow morning.',
  '今日は吊り橋まで散歩したよ。とても揺れたね。',
  '我们明天去颐和园划船吧。',
  'I promised to call the dentist next week.',
];

export async function open(dataDir: string, archive?: string, now?: () => number): Promise<Memory> {
  const memory = await openMemory({
    dataDir,
    timeZone: 'UTC',
    embedder: { provider: 'hashed' },
    worker: false,
    ...(archive !== undefined && { archive }),
    ...(now && { now }),
  });
  onTestFinished(() => memory.close());
  return memory;
}

/** A memory that has learnt from some turns, with a conversation to delete. */
export async function fill(dataDir: string): Promise<void> {
  const memory = await open(dataDir);
  for (const [c, conversationId] of ['c1', 'c2', FORGOTTEN_CONVERSATION, 'c3', 'c4'].entries()) {
    const texts = conversationId === FORGOTTEN_CONVERSATION ? [SECRET, 'What a lovely cat!'] : TALK;
    for (const [i, text] of texts.entries()) {
      const occurredAt = Date.UTC(2026, 4, 1 + c) + i * 60_000;
      await memory.add({ conversationId, speaker: i % 2 ? 'ai' : 'user', text, occurredAt });
    }
  }
  await internals(memory).settle();
  await memory.journal.reorganize();
  await memory.close();
}

/** A copy to damage. */
export function copyOf(template: string, folder: string): string {
  const dataDir = join(folder, 'data');
  cpSync(template, dataDir, { recursive: true });
  return dataDir;
}

export interface Ended {
  readonly lines: readonly string[];
  readonly signal: NodeJS.Signals | null;
  /** From `begin` to the end, in milliseconds. */
  readonly workMs: number;
}

/** Runs the process and kills it this long after it began its work. */
export async function run(
  request: UpkeepRequest,
  options: { readonly killAfterMs?: number; readonly env?: Record<string, string> } = {},
): Promise<Ended> {
  const { killAfterMs, env } = options;
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify(request)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  let [began, ended] = [0, 0];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    ended = Date.now();
    if (line !== 'begin') return;
    began = ended;
    if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  });
  const signal = await new Promise<NodeJS.Signals | null>((resolve) => {
    child.on('close', (_code, by) => resolve(by));
  });
  return { lines, signal, workMs: Math.max(1, ended - began) };
}

/** Files of the folder that contain one of the secret names, as `grep -ai` finds it. */
export function filesWithSecret(folder: string): string[] {
  const names = ['Zylophantus', 'Quermel', 'Vorrantheim'].map((name) => Buffer.from(name));
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => {
      const content = readFileSync(join(folder, name));
      return names.some((piece) => content.includes(piece));
    });
}

/** The data of a memory that maintenance must not lose. */
export async function contents(memory: Memory): Promise<{ turns: number; facts: number; text: string }> {
  const turns = await Array.fromAsync(memory.conversations.turns());
  const facts = await memory.units.list({ kinds: ['fact'], withArchived: true }, { limit: 1_000 });
  return { turns: turns.length, facts: facts.length, text: turns.map(({ text }) => text).join('\n') };
}
