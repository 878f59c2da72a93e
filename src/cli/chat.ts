/** `omoide chat`: a conversation in the terminal that is stored, with or without a language model. */
import { createInterface } from 'node:readline/promises';
import { createCompanion, DEFAULT_REMINDERS, type Companion } from '../companion/companion.ts';
import {
  internals,
  isMemoryError,
  openLanguageModel,
  parseLanguageModelSetting,
  type LanguageModel,
  type Memory,
} from '../engine/engine.ts';
import { flag } from './command.ts';
import { formatHit } from './hits.ts';
import { chosenModelOf, openOrCreate, withMemory } from './opening.ts';
import { addSettingsCommand } from './settingsCommand.ts';
import { plain, printLines, printNote, style } from './terminal.ts';
import { readInput } from './values.ts';

interface Chat {
  readonly memory: Memory;
  readonly conversationId: string;
  /** Null: there are no replies; recalled turns are shown instead. */
  readonly companion: Companion | null;
  /** The units of what was said in this chat without replies: they are on the screen. */
  readonly said: number[];
}

const MAX_HITS = 3;
/** The last turns of the chat that are not shown as hits. */
const MAX_EXCEPT = 100;
const MAX_TEXT_LINES = 4;
const HELP = [
  '/recall WORDS  what the memory finds for these words, and why',
  '/quit          ends the chat (Ctrl-D too)',
];

export const addChat = addSettingsCommand({
  name: 'chat',
  about:
    'Chats in the terminal and stores the conversation; answers come from a language model, else recalled memories are shown.',
  flags: [
    flag(
      '--chat-model <setting>',
      "the model that answers: none, openai:MODEL, ollama:MODEL, URL#MODEL or JSON (default: the settings')",
      { env: 'OMOIDE_CHAT_MODEL' },
    ),
    flag('--persona <file>', 'who the companion is'),
    flag('--conversation <id>', 'the conversation to continue (default: a new one)'),
  ],
  async run({ settings, flags }) {
    const model = readChatModel(flags.chatModel, settings.dataDir);
    const persona = flags.persona === undefined ? '' : await readInput(flags.persona);
    const conversationId = flags.conversation ?? `chat-${new Date().toISOString()}`;
    await withMemory(await openOrCreate(settings, { embeds: true, learns: true }), async (memory) => {
      const companion = model && companionOf(memory, { model, persona });
      printLines(greeting(model));
      try {
        await readLines({ memory, conversationId, companion, said: [] });
      } finally {
        await companion?.stop(0);
      }
      printLines([style('dim', 'Learning from the conversation …')], process.stderr);
      await internals(memory).settle();
    });
  },
});

/** @throws MemoryError INVALID_INPUT, MODEL_FAILED when its key is missing */
function readChatModel(chatModel: string | undefined, dataDir: string): LanguageModel | null {
  if (chatModel === 'none') return null;
  const chosen = chatModel ? parseLanguageModelSetting(chatModel) : chosenModelOf(dataDir, 'chat');
  return chosen && openLanguageModel(chosen);
}

function companionOf(
  memory: Memory,
  { model, persona }: { model: LanguageModel; persona: string },
): Companion {
  return createCompanion({
    memory,
    chatModel: () => model,
    visionModel: () => null,
    settings: () => ({
      persona,
      contract: '',
      packTokens: 1_500,
      recentTurns: 20,
      deepRecall: false,
      deepTimeLimitMs: 2_000,
      // Reminders would not be visible here.
      reminders: { ...DEFAULT_REMINDERS, enabled: false },
    }),
    publish: () => {},
    now: Date.now,
  });
}

function greeting(model: LanguageModel | null): string[] {
  const who = model
    ? `${model.id} answers, with a memory.`
    : 'No language model is set: messages are stored, and recalled memories are shown. ' +
      'For answers: “omoide chat --chat-model ollama:qwen3”.';
  return [who, style('dim', '/help lists commands; Ctrl-D ends the chat.'), ''];
}

async function readLines(chat: Chat): Promise<void> {
  const terminal = process.stdin.isTTY;
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal, prompt: '❯ ' });
  let isOpen = true;
  lines.on('close', () => (isOpen = false));
  lines.on('SIGINT', () => lines.close());
  lines.prompt();
  for await (const line of lines) {
    const text = line.trim();
    if (text === '/quit' || text === '/exit') break;
    await reply(chat, text).catch(reportError);
    // With piped input, the input ends before the last line is answered.
    if (isOpen) lines.prompt();
  }
  lines.close();
}

/** An error in one line does not end the chat. */
function reportError(error: unknown): void {
  if (!isMemoryError(error)) throw error;
  printNote(`${error.message} Try again, or /quit.`);
}

async function reply(chat: Chat, text: string): Promise<void> {
  if (text === '') return;
  if (text === '/help') return printLines(HELP);
  if (text.startsWith('/recall '))
    return printLines(await formatRecalled(chat, text.slice('/recall '.length)));
  if (text.startsWith('/')) return printLines([`There is no command ${text.split(' ')[0]}.`, ...HELP]);
  if (chat.companion) return answer(chat, chat.companion, text);
  const remembered = await formatRecalled(chat, text, chat.said);
  const { unitId } = await chat.memory.add({ conversationId: chat.conversationId, speaker: 'user', text });
  chat.said.push(unitId);
  printLines(remembered);
}

async function formatRecalled(
  { memory }: Chat,
  text: string,
  exceptUnitIds: readonly number[] = [],
): Promise<string[]> {
  const { hits, inject } = await memory.recall(text, {
    limit: MAX_HITS,
    exceptUnitIds: exceptUnitIds.slice(-MAX_EXCEPT),
  });
  if (!inject) return [style('dim', '  Nothing is recalled.')];
  return hits
    .filter(({ relevance }) => relevance !== 'low')
    .flatMap((hit, i) => formatHit(hit, i + 1, { timeZone: memory.timeZone, maxLines: MAX_TEXT_LINES }));
}

/** Prints the model's reply while it is streamed. */
async function answer({ conversationId }: Chat, companion: Companion, text: string): Promise<void> {
  for await (const event of companion.chat({ text, conversationId }, new AbortController().signal)) {
    if (event.type === 'token') process.stdout.write(plain(event.data.text));
    else if (event.type === 'done') printLines(['', '']);
    else if (event.type === 'error')
      printNote(`${event.data.message} Your message is stored. “omoide doctor” looks for the cause.`);
  }
}
