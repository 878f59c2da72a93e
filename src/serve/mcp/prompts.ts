/** Prompts that a user selects in the client, in their language. */
import type { GetPromptResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isMemoryError } from '../../engine/engine.ts';
import { detectLanguage } from '../../text/text.ts';
import type { McpAccess } from './access.ts';

const LANGUAGES = ['ja', 'zh', 'en'] as const;
type Language = (typeof LANGUAGES)[number];

const language = z.enum(LANGUAGES).optional().describe('ja, zh or en; default: the language of the text.');

const REMEMBER: Record<Language, (text: string) => string> = {
  ja: (text) =>
    `次のことを覚えておいてください。remember ツールを使い、あとで読んでもそれだけで分かる一文にして、ふさわしい type を選んでください。すでに覚えていることと食い違う場合は、まず教えてください。\n\n${text}`,
  zh: (text) =>
    `请记住下面的内容。使用 remember 工具，写成以后单独读也能明白的一句话，并选择合适的 type。如果与已经记住的内容有出入，请先告诉我。\n\n${text}`,
  en: (text) =>
    `Remember the following. Use the remember tool, write one sentence that is clear by itself when read later, and choose the type that fits. If it contradicts something already remembered, tell me first.\n\n${text}`,
};

const KNOWN: Record<Language, (about: string, pack: string) => string> = {
  ja: (about, pack) =>
    `「${about}」について、覚えていることを教えてください。下は記憶から取り出したものです。足りなければ recall と explore で調べてください。覚えていることと推測とを分け、いつのことかも添えてください。覚えていなければ、そう言ってください。\n\n${pack}`,
  zh: (about, pack) =>
    `关于“${about}”，请告诉我你记得什么。下面是从记忆中取出的内容；如果不够，请用 recall 和 explore 查找。请区分记得的内容与推测，并说明是什么时候的事。不记得就直说。\n\n${pack}`,
  en: (about, pack) =>
    `Tell me what you remember about “${about}”. Below is what the memory gave; if it is not enough, look with recall and explore. Keep what is remembered apart from what you infer, and say when it was. If nothing is remembered, say so.\n\n${pack}`,
};

const ANSWER: Record<Language, (question: string) => string> = {
  ja: (question) =>
    `次の質問に答える前に、recall ツールで関係する記憶を調べてください。見つかったことは答えに生かし、関係のないものには触れないでください。\n\n${question}`,
  zh: (question) =>
    `回答下面的问题之前，请先用 recall 工具查找相关的记忆。找到的内容要用在回答里，无关的不要提。\n\n${question}`,
  en: (question) =>
    `Before you answer the question below, look with the recall tool for memories that bear on it. Let what you find shape the answer, and leave out what has nothing to do with it.\n\n${question}`,
};

export function addPrompts(server: McpServer, { memory }: McpAccess): void {
  server.registerPrompt(
    'remember_this',
    {
      description: 'Remembers something. これを覚えて・记住这个',
      argsSchema: z.object({ text: z.string().describe('What to remember.'), language }),
    },
    ({ text, language }) => userMessage(REMEMBER[language ?? detectLanguage(text)](text)),
  );
  server.registerPrompt(
    'what_do_you_know_about',
    {
      description: 'Tells what is remembered about something. について覚えていること・关于什么你记得什么',
      argsSchema: z.object({ about: z.string().describe('Whom or what.'), language }),
    },
    async ({ about, language }) => {
      const text = await packOf(memory, about);
      return userMessage(KNOWN[language ?? detectLanguage(about)](about, text));
    },
  );
  server.registerPrompt(
    'recall_before_answering',
    {
      description: 'Answers a question from memory. 思い出してから答える・先回忆再回答',
      argsSchema: z.object({ question: z.string(), language }),
    },
    ({ question, language }) => userMessage(ANSWER[language ?? detectLanguage(question)](question)),
  );
}

/** Without text there is nothing to recall; the model is still asked. */
async function packOf(memory: McpAccess['memory'], about: string): Promise<string> {
  try {
    return (await memory.pack(about)).text;
  } catch (error) {
    if (isMemoryError(error, 'EMPTY_TEXT')) return '';
    throw error;
  }
}

function userMessage(text: string): GetPromptResult {
  return { messages: [{ role: 'user', content: { type: 'text', text: text.trimEnd() } }] };
}
