import { internals, type AddedTurn, type LanguageModel } from '../../engine/engine.ts';
import { checkId, checkText, isMemoryError, MemoryError } from '../../model/model.ts';
import { requestDescription } from '../describe.ts';
import { INTERRUPTED, storableText, storeTurn } from '../storeTurn.ts';
import { offRecordIn } from '../offRecord.ts';
import { packFor, systemPrompt } from '../prompted.ts';
import { codeOf, type CompanionParts, type OpenAiPlace } from '../types.ts';
import { COMPANION } from '../window.ts';
import { isAbort, openAiError } from './errors.ts';
import {
  conversationIdOf,
  readMessages,
  readConversationLines,
  withSystemMessage,
  type Message,
  type Conversation,
} from './messages.ts';
import { MAX_TURNS_READ, placeOf } from './place.ts';
import { forwardReply, isUnderWay, replyText, type KeepReply } from './reply.ts';

type Body = Readonly<Record<string, unknown>>;

/** A running chat completion. */
interface Exchange {
  readonly parts: CompanionParts;
  readonly body: Body;
  readonly messages: readonly Message[];
  readonly conversation: Conversation;
  /** Index in `said.lines` of the user's last message. */
  readonly last: number;
  readonly conversationId: string;
  readonly place: CompletionPlace;
  readonly scope: Scope;
}

/** Where an exchange is stored, and how. */
export interface CompletionPlace extends OpenAiPlace {
  /** Whether the user's message is stored before the model is called; default: in parallel. */
  readonly keepsFirst?: boolean;
  /** Turn index of the user's last message; default: found from the stored turns. If it is taken, the next free one. */
  readonly turnIndex?: number;
  /** Stored with both turns. */
  readonly meta?: Readonly<Record<string, string>>;
}

/** Signals and callbacks of an answer. */
interface Scope {
  /** Aborted when the client disconnects, the server stops, or the answer ends, so that no work waits for it forever. */
  readonly signal: AbortSignal;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Call it when the answer has begun. */
  readonly answering: () => void;
  /** Call it when the answer has ended. */
  readonly end: () => void;
  /** Registers background work that the server waits for when it stops. */
  readonly track: (work: Promise<void>) => void;
}

/** Answers a chat completion. Errors become responses; unexpected ones are thrown. */
export async function complete(
  parts: CompanionParts,
  body: Body,
  place: CompletionPlace,
  server: Pick<Scope, 'stopping' | 'track'>,
): Promise<Response> {
  const over = new AbortController();
  const signal = AbortSignal.any([place.signal, server.stopping, over.signal]);
  const answering = internals(parts.memory).beginForegroundWork();
  let replied = () => {};
  const end = () => {
    replied();
    over.abort();
  };
  const scope: Scope = { ...server, signal, answering, end };
  try {
    const messages = readMessages(body);
    const conversation = readConversationLines(messages);
    const { last } = conversation;
    if (last === null) return await forwardOnly(modelOf(parts), body, scope);
    const conversationId =
      place.conversationId === undefined
        ? conversationIdOf(messages, conversation)
        : checkId(place.conversationId, 'conversation id');
    replied = internals(parts.memory).beginReply(conversationId);
    parts.onExchange?.();
    return await answer({ parts, body, messages, conversation, last, conversationId, place, scope });
  } catch (error) {
    answering();
    scope.end();
    if (isMemoryError(error) || isAbort(error)) return openAiError(error);
    throw error;
  }
}

function modelOf(parts: CompanionParts): LanguageModel {
  const model = parts.chatModel();
  if (!model) throw new MemoryError('NO_MODEL');
  return model;
}

/** Forwards a request without a user message; nothing is stored. */
async function forwardOnly(model: LanguageModel, body: Body, scope: Scope): Promise<Response> {
  return relay(await ask(model, body, scope), scope, async () => {});
}

/**
 * The user's message is stored after the first piece is forwarded, or after this many milliseconds. It is always on the
 * disk before the answer ends, also when the model call fails.
 */
const MAX_STORE_DELAY_MS = 50;

/** Stores the user's message while the model reads it. The request fails if it cannot be stored. */
async function answer(exchange: Exchange): Promise<Response> {
  const { parts, body, conversation, last, scope } = exchange;
  let kept: Promise<AddedTurn | null> | undefined;
  const keepNow = () => (kept ??= storeUserTurn(exchange));
  // Callers that need the result await it and handle its error.
  const keepSoon = () => void keepNow().catch(() => {});
  try {
    checkText(conversation.lines[last]?.text ?? '');
    if (exchange.place.keepsFirst) await keepNow();
    const asked = ask(modelOf(parts), await withMemory(exchange), scope);
    // The error is handled below.
    asked.catch(() => {});
    if (body['stream'] === true) setTimeout(keepSoon, MAX_STORE_DELAY_MS);
    else {
      await isUnderWay();
      await keepNow();
    }
    const keepReplyToo: KeepReply = async (text, isWhole) =>
      storeReply(exchange, await keepNow(), text, isWhole);
    return await relay(await asked, scope, keepReplyToo, () => {
      if (!kept) setImmediate(keepSoon);
    });
  } catch (error) {
    await keepNow();
    throw error;
  }
}

async function ask(model: LanguageModel, body: Body, scope: Scope): Promise<Response> {
  return model.forward('/chat/completions', body, 'chat', scope.signal);
}

/**
 * Forwards the model's answer.
 * @param onPiece called after each forwarded piece of a streamed answer
 */
async function relay(
  upstream: Response,
  scope: Scope,
  keep: KeepReply,
  onPiece: () => void = () => {},
): Promise<Response> {
  if (!upstream.body || !upstream.headers.get('content-type')?.includes('text/event-stream')) {
    const text = await upstream.text();
    await keep(replyText(text), true);
    scope.answering();
    scope.end();
    return new Response(text, responseInit(upstream));
  }
  const over = Promise.withResolvers<void>();
  scope.track(over.promise);
  const stream = forwardReply(upstream.body, keep, scope.signal, {
    onFirst() {
      scope.answering();
      onPiece();
    },
    onOver() {
      scope.answering();
      over.resolve();
      scope.end();
    },
  });
  return new Response(stream, responseInit(upstream));
}

/** Stores the user's message, or finds it if it is already stored; null in a tool round that began elsewhere. */
async function storeUserTurn(exchange: Exchange): Promise<AddedTurn | null> {
  const { parts, conversation, last, conversationId } = exchange;
  const { memory } = parts;
  const turns = await memory.conversations.recent(conversationId, MAX_TURNS_READ);
  const turnIndex = exchange.place.turnIndex ?? placeOf(turns, conversation.lines, last, parts.now());
  const isKnown = turns.some((turn) => turn.turnIndex === turnIndex);
  if (conversation.isToolRound && !isKnown) return null;
  const line = conversation.lines[last];
  if (!line) return null;
  const meta = {
    ...exchange.place.meta,
    ...(conversation.images.length > 0 && { images: conversation.images.length }),
  };
  const user = await storeTurn(memory, {
    conversationId,
    ...line,
    ...(isOffRecord(exchange) && { remember: false }),
    meta,
    ...(turnIndex !== null && { turnIndex }),
  });
  // The answer does not wait for the description.
  if (user.isNew && conversation.images.length > 0 && parts.visionModel())
    await requestDescription(memory, user.unitId, conversation.images);
  return user;
}

/**
 * Minimum number of stored turns that are compared with the client's lines, so that an earlier copy of the question is
 * not recalled.
 */
const MIN_TURNS_COMPARED = 40;

/** The client's request with the memory for the user's message added. */
async function withMemory(exchange: Exchange): Promise<Body> {
  const { parts, body, messages, conversation, last, conversationId } = exchange;
  const { memory } = parts;
  const settings = parts.settings();
  const context = conversation.lines.slice(0, last);
  const texts = new Set(conversation.lines.map(({ text }) => text));
  const page = { limit: Math.min(Math.max(conversation.lines.length, MIN_TURNS_COMPARED), MAX_TURNS_READ) };
  const kept = await memory.units.list(
    { conversationId, kinds: ['episode'], maxSensitivity: 'secret' },
    page,
  );
  const exceptUnitIds = kept.flatMap((unit) =>
    unit.kind === 'episode' && texts.has(unit.payload.text) ? unit.id : [],
  );
  const pack = await packFor(memory, settings, conversation.lines[last]?.text ?? '', {
    context,
    exceptUnitIds,
    options: { mode: settings.deepRecall ? 'deep' : 'fast', timeLimitMs: settings.deepTimeLimitMs },
  });
  if (pack.text === '') return body;
  const clock = { now: parts.now(), timeZone: memory.timeZone };
  const content = systemPrompt(pack.language, pack, clock);
  return { ...body, messages: withSystemMessage(messages, content) };
}

/** By the header or by the user's words. */
function isOffRecord({ conversation, last, place }: Exchange): boolean {
  return place.remember === false || offRecordIn(conversation.lines[last]?.text ?? '') !== null;
}

async function storeReply(
  exchange: Exchange,
  user: AddedTurn | null,
  words: string,
  isWhole: boolean,
): Promise<void> {
  const { parts, conversation, last, conversationId } = exchange;
  const text = storableText(words);
  if (text.trim() === '') return;
  const remember = isOffRecord(exchange) ? { remember: false } : {};
  const meta = { ...exchange.place.meta, ...(isWhole ? {} : INTERRUPTED) };
  // After the user's message and the assistant's messages between tool rounds.
  const place = user && { turnIndex: user.turnIndex + (conversation.lines.length - last) };
  try {
    await storeTurn(parts.memory, { conversationId, speaker: COMPANION, text, meta, ...remember, ...place });
  } catch (error) {
    if (user) parts.onProblem?.({ what: 'reply', unitId: user.unitId, code: codeOf(error) });
    throw error;
  }
}

const HEADERS = /^(?:content-type|cache-control|retry-after|x-request-id|openai-.*|x-ratelimit-.*)$/u;

/** Status and headers of a response, without hop-by-hop headers. */
function responseInit({ status, headers }: Response): ResponseInit {
  return { status, headers: [...headers].filter(([name]) => HEADERS.test(name)) };
}
