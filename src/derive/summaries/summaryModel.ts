/** Summaries by a language model. */
import { z } from 'zod';
import type { LanguageModel } from '../../llm/llm.ts';
import { countTokens, type Language } from '../../text/text.ts';
import { isWorthKeeping } from '../guard.ts';
import { fillPrompt, type Prompt } from '../prompts.ts';
import { formatTurn, type Scene } from '../scene.ts';
import type { Material } from './material.ts';
import type { Summary, SummarySubject } from './plan.ts';

export interface Written {
  readonly text: string;
  readonly highlights: readonly string[];
  readonly mood: string | null;
}

/** The most tokens of episodes in one request, and the most UTF-16 units of one turn. */
const MAX_TOKENS = 6_000;
const MAX_TURN_LENGTH = 600;
const MAX_TEXT_LENGTH = 2_000;
const MAX_HIGHLIGHT_LENGTH = 240;
const MAX_HIGHLIGHTS = 5;
const MAX_MOOD_LENGTH = 80;

const schema = z.object({
  summaries: z.array(
    z.object({
      /** The number of the subject in the request. */
      number: z.int(),
      text: z.string(),
      highlights: z.array(z.string()),
      mood: z.string().nullable(),
    }),
  ),
});
type Reply = z.infer<typeof schema>['summaries'][number];

const SUBJECTS: Readonly<
  Record<Language, Readonly<Record<SummarySubject['scope'], (title: string) => string>>>
> = {
  en: {
    weekly: (title) => `the week ${title}: what happened, what was talked about, what was felt`,
    person: (title) =>
      `${title}: who that is, what they do, what happened with them, how the others stand to them`,
    topic: (title) => `the topic “${title}”: what was said and experienced, and how it developed`,
    relationship: () =>
      'the relationship between the people and the companion (`ai`): how they talk to each other, what they share and have agreed on, what brought them closer or apart',
  },
  ja: {
    weekly: (title) => `${title} の一週間：何があり、何を話し、どう感じたか`,
    person: (title) => `${title}：どんな人で、何をしていて、何があり、周りの人とどういう関係か`,
    topic: (title) => `「${title}」という話題：何が語られ、体験され、どう進んだか`,
    relationship: () =>
      '人とコンパニオン（`ai`）の関係：どんなふうに話すか、何を共有し約束したか、何で近づき、あるいは離れたか',
  },
  zh: {
    weekly: (title) => `${title} 这一周：发生了什么、聊了什么、有什么感受`,
    person: (title) => `${title}：是怎样的人、在做什么、发生过什么、与其他人关系如何`,
    topic: (title) => `“${title}”这个话题：说过和经历过什么，如何发展`,
    relationship: () =>
      '人与伙伴（`ai`）之间的关系：怎样交谈、有哪些共同的经历和约定、是什么让彼此更近或更远',
  },
};

/** The subject, its material, and the previous summary. */
export interface SummaryTask {
  readonly material: Material;
  readonly previous: Summary | null;
}

/**
 * The summaries of all tasks, by one request; null for those without a usable text in the reply.
 * @throws MemoryError MODEL_FAILED when the model does not answer
 */
export async function summarizeByModel(
  tasks: readonly SummaryTask[],
  { prompt, model, timeZone }: { prompt: Prompt; model: LanguageModel; timeZone: string },
  signal: AbortSignal,
): Promise<(Written | null)[]> {
  const maxTokens = MAX_TOKENS / tasks.length;
  const sections = tasks.map((task, i) =>
    fillPrompt(prompt, valuesOf(task, { number: i + 1, maxTokens, timeZone })),
  );
  const system = sections[0]?.system ?? '';
  const content = sections.map(({ messages }) => messages[0].content).join('\n\n');
  const { value } = await model.generateObject(
    {
      purpose: 'summarize',
      name: 'summaries',
      schema,
      temperature: 0,
      system,
      messages: [{ role: 'user', content }],
    },
    signal,
  );
  return tasks.map((_, i) => {
    const reply = value.summaries.find(({ number }) => number === i + 1);
    return reply && isWorthKeeping(reply.text.trim(), MAX_TEXT_LENGTH) ? writtenOf(reply) : null;
  });
}

function valuesOf(
  { material, previous }: SummaryTask,
  { number, maxTokens, timeZone }: { number: number; maxTokens: number; timeZone: string },
): Record<string, string> {
  const { language, subject, title } = material;
  const upTo = Number(previous?.payload.structured?.['upTo'] ?? 0);
  const unread = material.scenes.filter(({ episode }) => episode.id > upTo);
  const scenes = unread.length > 0 ? unread : material.scenes;
  return {
    number: String(number),
    what: SUBJECTS[language][subject.scope](title),
    previous: previous?.payload.text ?? '-',
    episodes: withinTokens(scenes, maxTokens, timeZone).join('\n'),
  };
}

function writtenOf({ text, highlights, mood }: Reply): Written {
  const feeling = mood?.trim() ?? '';
  return {
    text: text.trim(),
    highlights: highlights
      .map((highlight) => highlight.trim())
      .filter((highlight) => isWorthKeeping(highlight, MAX_HIGHLIGHT_LENGTH))
      .slice(0, MAX_HIGHLIGHTS),
    mood: isWorthKeeping(feeling, MAX_MOOD_LENGTH) ? feeling : null,
  };
}

/** The most important turns that fit, in order of time, one line each. */
function withinTokens(scenes: readonly Scene[], maxTokens: number, timeZone: string): string[] {
  const lines = scenes.map((scene, place) => ({
    place,
    salience: scene.episode.salience,
    line: formatTurn(scene.episode, scene.text.slice(0, MAX_TURN_LENGTH).toWellFormed(), timeZone),
  }));
  let tokens = 0;
  return lines
    .sort((a, b) => b.salience - a.salience || b.place - a.place)
    .filter(({ line }) => (tokens += countTokens(line)) <= maxTokens)
    .sort((a, b) => a.place - b.place)
    .map(({ line }) => line);
}
