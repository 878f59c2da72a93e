import { internals, type AddedTurn, type LanguageModel } from '../../engine/engine.ts';
import { checkId, checkText, isMemoryError, MemoryError } from '../../model/model.ts';
import { requestDescription } from '../describe.ts';
import { INTERRUPTED, keepable, keepTurn } from '../keep.ts';
import { offRecordIn } from '../offRecord.ts';
import { packFor, systemPrompt } from '../prompted.ts';
import { codeOf, type CompanionParts } from '../types.ts';
import { COMPANION } from '../window.ts';
import { isAbort, openAiError } from './errors.ts';
import {
  conversationIdOf,
  readMessages,
  readSaid,
  withSystemMessage,
  type Message,
  type Said,
} from './messages.ts';
import { MAX_TURNS_READ, placeOf } from './place.ts';
import { handOn, isUnderWay, replyText, type KeepReply } from './reply.ts';

type Body = Readonly<Record<string, unknown>>;

/** A chat completion under way. */
interface Exchange {
  readonly parts: CompanionParts;
  readonly body: Body;
  readonly messages: readonly Message[];
  readonly said: Said;
  /** Place in `said.lines` of the user's last words. */
  readonly last: number;
  readonly conversationId: string;
  readonly place: CompletionPlace;
  readonly scope: Scope;
}

/** Where an exchange belongs, and how it is kept. */
export interface CompletionPlace {
  /** Default: known again by how it begins. */
  readonly conversationId?: string;
  /** False: the exchange is kept off the record. */
  readonly remember?: boolean;
  /** Whether the user's words are kept before the model is asked; default: while it reads them. */
  readonly keepsFirst?: boolean;
  /** Turn index of the user's last words; default: found by what is kept. Where others have it, the next free one. */
  readonly turnIndex?: number;
  /** Kept with both turns. */
  readonly meta?: Readonly<Record<string, string>>;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** What an answer is under way within. */
interface Scope {
  /** Aborted when the client leaves, when the server stops, and when the answer is over, so that nothing waits for it for ever. */
  readonly signal: AbortSignal;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** To be told when the answer has begun: nobody waits for its first piece any more. */
  readonly answering: () => void;
  /** To be told when the answer is over. */
  readonly end: () => void;
  /** Has work that goes on beside the answer waited for when the server stops. */
  readonly track: (work: Promise<void>) => void;
}

/** Answers a chat completion. Failures are answers too, but for unexpected ones, which are thrown. */
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
    const said = readSaid(messages);
    const { last } = said;
    if (last === null) return await pass(modelOf(parts), body, scope);
    const conversationId =
      place.conversationId === undefined
        ? conversationIdOf(messages, said)
        : checkId(place.conversationId, 'conversation id');
    replied = internals(parts.memory).beginReply(conversationId);
    parts.onExchange?.();
    return await answer({ parts, body, messages, said, last, conversationId, place, scope });
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

/** What nobody said is not remembered. */
async function pass(model: LanguageModel, body: Body, scope: Scope): Promise<Response> {
  return relay(await ask(model, body, scope), scope, async () => {});
}

/**
 * So long the user's words may wait for the model's first piece to be handed on, which none takes that reads them first,
 * in milliseconds. They are on the disk before the answer ends, and whatever becomes of asking for it.
 */
const KEPT_WITHIN_MS = 50;

/** The user's words are kept while the model reads them; what could not be kept is not asked about. */
async function answer(exchange: Exchange): Promise<Response> {
  const { parts, body, said, last, scope } = exchange;
  let kept: Promise<AddedTurn | null> | undefined;
  const keepNow = () => (kept ??= keepUser(exchange));
  // Who needs the words waits for them, and is told there when they cannot be kept.
  const keepSoon = () => void keepNow().catch(() => {});
  try {
    checkText(said.lines[last]?.text ?? '');
    if (exchange.place.keepsFirst) await keepNow();
    const asked = ask(modelOf(parts), await withMemory(exchange), scope);
    // How it ends is seen below.
    asked.catch(() => {});
    if (body['stream'] === true) setTimeout(keepSoon, KEPT_WITHIN_MS);
    else {
      await isUnderWay();
      await keepNow();
    }
    const keepReplyToo: KeepReply = async (text, isWhole) =>
      keepReply(exchange, await keepNow(), text, isWhole);
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
 * Hands the model's answer on.
 * @param onPiece told whenever a piece of a streamed one is handed on
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
    return new Response(text, outline(upstream));
  }
  const over = Promise.withResolvers<void>();
  scope.track(over.promise);
  const stream = handOn(upstream.body, keep, scope.signal, {
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
  return new Response(stream, outline(upstream));
}

/** Keeps the user's words, or finds them where they were kept before; null in a round of tools that began elsewhere. */
async function keepUser(exchange: Exchange): Promise<AddedTurn | null> {
  const { parts, said, last, conversationId } = exchange;
  const { memory } = parts;
  const turns = await memory.conversations.recent(conversationId, MAX_TURNS_READ);
  const turnIndex = exchange.place.turnIndex ?? placeOf(turns, said.lines, last, parts.now());
  const isKnown = turns.some((turn) => turn.turnIndex === turnIndex);
  if (said.isToolRound && !isKnown) return null;
  const line = said.lines[last];
  if (!line) return null;
  const meta = { ...exchange.place.meta, ...(said.images.length > 0 && { images: said.images.length }) };
  const user = await keepTurn(memory, {
    conversationId,
    ...line,
    ...(isOffRecord(exchange) && { remember: false }),
    meta,
    ...(turnIndex !== null && { turnIndex }),
  });
  // The answer does not wait for the description.
  if (user.isNew && said.images.length > 0 && parts.visionModel())
    await requestDescription(memory, user.unitId, said.images);
  return user;
}

/** A question asked again is not what was told, so it is looked for further back than the client does. */
const MIN_TURNS_COMPARED = 40;

/** The client's request, with what is remembered for the user's words. */
async function withMemory(exchange: Exchange): Promise<Body> {
  const { parts, body, messages, said, last, conversationId } = exchange;
  const { memory } = parts;
  const settings = parts.settings();
  const context = said.lines.slice(0, last);
  const texts = new Set(said.lines.map(({ text }) => text));
  const page = { limit: Math.min(Math.max(said.lines.length, MIN_TURNS_COMPARED), MAX_TURNS_READ) };
  const kept = await memory.units.list(
    { conversationId, kinds: ['episode'], maxSensitivity: 'secret' },
    page,
  );
  const exceptUnitIds = kept.flatMap((unit) =>
    unit.kind === 'episode' && texts.has(unit.payload.text) ? unit.id : [],
  );
  const pack = await packFor(memory, settings, said.lines[last]?.text ?? '', {
    context,
    exceptUnitIds,
    options: { mode: settings.deepRecall ? 'deep' : 'fast', timeLimitMs: settings.deepTimeLimitMs },
  });
  if (pack.text === '') return body;
  const clock = { now: parts.now(), timeZone: memory.timeZone };
  const content = systemPrompt(pack.language, pack, clock);
  return { ...body, messages: withSystemMessage(messages, content) };
}

/** By the header or by what the user says. */
function isOffRecord({ said, last, place }: Exchange): boolean {
  return place.remember === false || offRecordIn(said.lines[last]?.text ?? '') !== null;
}

async function keepReply(
  exchange: Exchange,
  user: AddedTurn | null,
  words: string,
  isWhole: boolean,
): Promise<void> {
  const { parts, said, last, conversationId } = exchange;
  const text = keepable(words);
  if (text.trim() === '') return;
  const remember = isOffRecord(exchange) ? { remember: false } : {};
  const meta = { ...exchange.place.meta, ...(isWhole ? {} : INTERRUPTED) };
  // After the user's words, and what the assistant said between rounds of tools.
  const place = user && { turnIndex: user.turnIndex + (said.lines.length - last) };
  try {
    await keepTurn(parts.memory, { conversationId, speaker: COMPANION, text, meta, ...remember, ...place });
  } catch (error) {
    if (user) parts.onProblem?.({ what: 'reply', unitId: user.unitId, code: codeOf(error) });
    throw error;
  }
}

const HEADERS = /^(?:content-type|cache-control|retry-after|x-request-id|openai-.*|x-ratelimit-.*)$/u;

/** Status and headers of an answer, without what concerns only the connection it came by. */
function outline({ status, headers }: Response): ResponseInit {
  return { status, headers: [...headers].filter(([name]) => HEADERS.test(name)) };
}
