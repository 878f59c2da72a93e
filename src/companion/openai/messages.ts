/** Parses the messages of a chat completion. */
import { hash } from 'node:crypto';
import { checkId, isRecord, listOf, MemoryError } from '../../model/model.ts';
import { storableText } from '../storeTurn.ts';
import { IMAGES_ALONE } from '../requests.ts';
import { COMPANION, type Line } from '../window.ts';

export interface Conversation {
  /** Text of the user and the assistant, in order. */
  readonly lines: readonly Line[];
  /** Index in `lines` of the user's last message; null when there is none. */
  readonly last: number | null;
  /** Whether tool results follow it: then the user's message belongs to an earlier request. */
  readonly isToolRound: boolean;
  /** Data URLs in the user's last message. */
  readonly images: readonly string[];
}

/** A message as the client sent it, with all other fields. */
export interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly name?: unknown;
  readonly tool_call_id?: unknown;
  readonly tool_calls?: unknown;
}

/** @throws MemoryError INVALID_INPUT */
export function readMessages(body: Readonly<Record<string, unknown>>): readonly Message[] {
  const { messages } = body;
  const isMessage = (value: unknown): value is Message =>
    isRecord(value) && typeof value['role'] === 'string';
  if (!Array.isArray(messages) || !messages.every(isMessage))
    throw new MemoryError('INVALID_INPUT', '`messages` must be a list of messages, each with a role.');
  return messages;
}

export function readConversationLines(messages: readonly Message[]): Conversation {
  const lines: Line[] = [];
  const conversation: { -readonly [Field in keyof Omit<Conversation, 'lines'>]: Conversation[Field] } = {
    last: null,
    isToolRound: false,
    images: [],
  };
  for (const message of messages) {
    if (message.role === 'tool' || message.role === 'function') conversation.isToolRound = true;
    if (message.role !== 'user' && message.role !== 'assistant') continue;
    const isUser = message.role === 'user';
    const images = isUser ? imagesOf(message.content) : [];
    const text = textOf(message.content) || (images.length > 0 ? IMAGES_ALONE : '');
    if (text === '') continue;
    if (isUser) Object.assign(conversation, { last: lines.length, isToolRound: false, images });
    lines.push({ speaker: isUser ? userName(message.name) : COMPANION, text });
  }
  return {
    lines,
    ...conversation,
    images: conversation.images.filter((url) => url.startsWith('data:image/')),
  };
}

/** The text of a message; empty if it has none. */
function textOf(content: unknown): string {
  const texts = partsOf(content).map((part) => (typeof part['text'] === 'string' ? part['text'] : ''));
  const text = storableText(texts.filter((part) => part !== '').join('\n'));
  return text.trim() === '' ? '' : text;
}

function imagesOf(content: unknown): string[] {
  return partsOf(content).flatMap((part) => {
    if (part['type'] !== 'image_url' && part['type'] !== 'input_image') return [];
    const image = part['image_url'];
    const url = isRecord(image) ? image['url'] : image;
    return typeof url === 'string' ? [url] : [];
  });
}

function partsOf(content: unknown): Record<string, unknown>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).filter(isRecord);
}

function userName(name: unknown): string {
  try {
    return typeof name === 'string' ? checkId(name, 'name') : 'user';
  } catch {
    return 'user';
  }
}

const isSystem = ({ role }: Message) => role === 'system' || role === 'developer';

/** The conversation id for a client that gives none: a hash of its first messages. */
export function conversationIdOf(messages: readonly Message[], conversation: Conversation): string {
  const system = messages.filter(isSystem).map(({ content }) => textOf(content));
  const first = conversation.lines.find(({ speaker }) => speaker !== COMPANION)?.text ?? '';
  // Many clients put the date or time into the system prompt; digits are ignored so that it stays the same
  // conversation.
  const beginning = JSON.stringify([system.map((text) => text.replace(/\d+/gu, '0')), first]);
  return `chat-${hash('sha256', beginning).slice(0, 32)}`;
}

/** The messages with a further system message after the client's own. */
export function withSystemMessage(messages: readonly Message[], content: string): readonly Message[] {
  const own = messages.findIndex((message) => !isSystem(message));
  return messages.toSpliced(own === -1 ? messages.length : own, 0, { role: 'system', content });
}
