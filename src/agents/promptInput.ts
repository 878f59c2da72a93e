/** Reads the text of a conversation from a prompt of the AI SDK. */
import type { LanguageModelMiddleware } from 'ai';

export type Call = Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0];
export type CallOptions = Call['params'];
export type Prompt = CallOptions['prompt'];
export type Content = Awaited<ReturnType<Call['doGenerate']>>['content'];

/** The speaker name of the model. Facts are learnt from other speakers, not from it. */
export const AGENT = 'ai';

export interface Line {
  readonly speaker: string;
  readonly text: string;
}

export interface PromptInput {
  /** The user's last words. */
  readonly words: Line;
  /** What user and model said before that, oldest first. */
  readonly before: readonly Line[];
  /** Whether the model has spoken or called tools since then: this is a further call for the same words. */
  readonly isAnswered: boolean;
}

/**
 * Null when the user has said nothing.
 * @param speaker the speaker name for the user's words
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

/** The text of a message of user or model; empty when there is none. Files are represented by their names. */
function textOf(message: Prompt[number]): string {
  if (message.role === 'user') {
    const words = storableText(
      message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
    );
    return words || message.content.map((part) => (part.type === 'file' ? nameOf(part) : '')).join(' ');
  }
  if (message.role !== 'assistant') return '';
  return replyText(message.content);
}

function nameOf(file: { readonly mediaType: string; readonly filename?: string }): string {
  return `[${file.filename ?? file.mediaType}]`;
}

/** The text of a reply, joined as the AI SDK does it; empty when there is none. */
export function replyText(
  content: readonly { readonly type: string; readonly text?: string | undefined }[],
): string {
  return storableText(content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join(''));
}

/** Text that can be stored word for word; empty when it is blank. */
export function storableText(text: string): string {
  const words = text.replaceAll('\0', '').toWellFormed();
  return words.trim() === '' ? '' : words;
}

/** The prompt with another system message after those at its beginning. */
export function withSystemMessage(prompt: Prompt, content: string): Prompt {
  const own = prompt.findIndex(({ role }) => role !== 'system');
  return prompt.toSpliced(own === -1 ? prompt.length : own, 0, { role: 'system', content });
}
