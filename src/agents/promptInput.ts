/** What has been said in words, as the AI SDK hands it to a model. */
import type { LanguageModelMiddleware } from 'ai';

export type Call = Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0];
export type CallOptions = Call['params'];
export type Prompt = CallOptions['prompt'];
export type Content = Awaited<ReturnType<Call['doGenerate']>>['content'];

/** Speaker of everything that the model says: what is learnt from others is not learnt from it. */
export const AGENT = 'ai';

export interface Line {
  readonly speaker: string;
  readonly text: string;
}

export interface PromptInput {
  /** The user's last words. */
  readonly words: Line;
  /** What user and model said before them, oldest first. */
  readonly before: readonly Line[];
  /** Whether the model has spoken or called tools since: then this is a further call for the same words. */
  readonly isAnswered: boolean;
}

/**
 * Null when the user has said nothing.
 * @param speaker by what name the user's words are kept
 */
export function readPromptInput(prompt: Prompt, speaker: string): PromptInput | null {
  const last = prompt.findLastIndex((message) => message.role === 'user' && textOf(message) !== '');
  const words = prompt[last];
  if (!words) return null;
  const before = prompt.slice(0, last).flatMap((message): Line[] => {
    const text = textOf(message);
    if (text === '') return [];
    return [{ speaker: message.role === 'user' ? speaker : AGENT, text }];
  });
  return { words: { speaker, text: textOf(words) }, before, isAnswered: last < prompt.length - 1 };
}

/** The words of a message of user or model; empty when there are none. Files are named in place of words. */
function textOf(message: Prompt[number]): string {
  if (message.role === 'user') {
    const words = keepable(message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
    return words || message.content.map((part) => (part.type === 'file' ? nameOf(part) : '')).join(' ');
  }
  if (message.role !== 'assistant') return '';
  return replyText(message.content);
}

function nameOf(file: { readonly mediaType: string; readonly filename?: string }): string {
  return `[${file.filename ?? file.mediaType}]`;
}

/** The words of a reply, as the AI SDK puts them together; empty when there are none. */
export function replyText(
  content: readonly { readonly type: string; readonly text?: string | undefined }[],
): string {
  return keepable(content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join(''));
}

/** Words as they can be kept word for word; empty when nothing is said. */
export function keepable(text: string): string {
  const words = text.replaceAll('\0', '').toWellFormed();
  return words.trim() === '' ? '' : words;
}

/** The prompt with one more message for the system, behind those that it begins with. */
export function withSystemMessage(prompt: Prompt, content: string): Prompt {
  const own = prompt.findIndex(({ role }) => role !== 'system');
  return prompt.toSpliced(own === -1 ? prompt.length : own, 0, { role: 'system', content });
}
