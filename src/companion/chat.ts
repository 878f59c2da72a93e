import type { AddedTurn, LanguageModel, ModelRequest, ModelUsage, Pack } from '../engine/engine.ts';
import { isMemoryError, MemoryError, type Episode, type Meta } from '../model/model.ts';
import { detectLanguage, type Language } from '../text/text.ts';
import { DESCRIBE_IMAGES, requestDescription } from './describe.ts';
import {
  ANSWER_WAIT_MS,
  describeWithinLimit,
  storeImageSummary,
  withMissingImagesNote,
  type ImageDescriptions,
} from './images.ts';
import { INTERRUPTED, storableText } from './storeTurn.ts';
import { forgetBefore, isIncognito, offRecordIn } from './offRecord.ts';
import { packFor, systemPrompt } from './prompted.ts';
import { prompt } from './prompts.ts';
import { applyAnswer } from './reminders/reminders.ts';
import type { ParsedChatRequest } from './requests.ts';
import { byTime, proactiveEpisodes } from './timeline.ts';
import { findStoredExchange } from './repeatedTurns.ts';
import type { ChatDone, ChatEvent, ChatPlaces, CompanionSettings, CompanionParts } from './types.ts';
import { COMPANION, episodesBefore, lineOf, toMessages, withImages, type Line } from './window.ts';

/** A running chat. */
interface Chat {
  readonly parts: CompanionParts;
  readonly settings: CompanionSettings;
  /** Its text is never blank. */
  readonly request: ParsedChatRequest & { readonly conversationId: string };
  readonly userTurn: AddedTurn;
  /** How the turns are stored: off the record or not, and their metadata. */
  readonly keeping: StorageChoice;
  readonly signal: AbortSignal;
  readonly emit: (event: ChatEvent) => void;
}

/** How the turns of an exchange are kept. */
type StorageChoice = { readonly remember?: false; readonly meta: Meta };

/** The state of the reply so far. */
interface Reply {
  text: string;
  kept: AddedTurn | null;
}

/**
 * Stores the message, answers it, and stores the answer. If the abort reason is a MemoryError, the last event reports
 * it; for another reason there is no last event.
 * @throws MemoryError while nothing is stored
 */
export async function runChat(
  parts: CompanionParts,
  request: Chat['request'],
  signal: AbortSignal,
  emit: Chat['emit'],
): Promise<void> {
  const keeping = await chooseStorage(parts, request);
  const { userTurn, reply: earlier } = (await findStoredExchange(parts.memory, request)) ?? {
    userTurn: await storeUserTurn(parts, request, keeping),
    reply: null,
  };
  if (!earlier && offRecordIn(request.text) === 'before') await forgetBefore(parts.memory, userTurn.unitId);
  if (!earlier) await applyAnswer(parts, request.text).catch(() => {});
  const chat: Chat = { parts, settings: parts.settings(), request, userTurn, keeping, signal, emit };
  const reply: Reply = { text: '', kept: earlier };
  if (earlier) return repeat(chat, reply);
  try {
    const end = await answer(chat, reply);
    await storeReply(chat, reply);
    emit({ type: 'done', data: { ...places(chat, reply), ...end } });
  } catch (cause) {
    // If the reply cannot be stored, the chat still reports its original error.
    await storeReply(chat, reply, INTERRUPTED).catch(() => {});
    const error: unknown = signal.aborted ? signal.reason : cause;
    if (isMemoryError(error)) {
      const { code, message } = error;
      emit({ type: 'error', data: { code, message, ...places(chat, reply) } });
    } else if (!signal.aborted) throw error;
  }
}

/** Returns the stored reply to a message that was sent again. */
async function repeat(chat: Chat, reply: Reply): Promise<void> {
  const [unit] = await chat.parts.memory.units.get([reply.kept?.unitId ?? 0]);
  const text = unit?.kind === 'episode' ? unit.payload.text : '';
  chat.emit({ type: 'token', data: { text } });
  const end = {
    usage: UNKNOWN_USAGE,
    finishReason: 'repeated',
    unseenImages: 0,
    remembered: chat.keeping.remember !== false,
  };
  chat.emit({ type: 'done', data: { ...places(chat, reply), ...end } });
}

const UNKNOWN_USAGE: ModelUsage = { inputTokens: null, outputTokens: null };

/** Off the record because of the request, the conversation, or the words of the message. */
async function chooseStorage({ memory }: CompanionParts, request: Chat['request']): Promise<StorageChoice> {
  const { conversationId, incognito = await isIncognito(memory, conversationId) } = request;
  if (incognito) return { remember: false, meta: { incognito: true } };
  const isOffRecord = request.remember === false || offRecordIn(request.text) !== null;
  return isOffRecord ? { remember: false, meta: {} } : { meta: {} };
}

async function storeUserTurn(
  { memory }: CompanionParts,
  request: Chat['request'],
  keeping: StorageChoice,
): Promise<AddedTurn> {
  const { conversationId, speaker = 'user', images = [], clientContext, messageId } = request;
  const meta = {
    ...keeping.meta,
    ...(messageId !== undefined && { messageId }),
    ...(images.length > 0 && { images: images.length }),
    ...(clientContext && { clientContext }),
  };
  return memory.add({ ...keeping, conversationId, speaker, text: request.text, meta });
}

/** Stores the reply, unless it is empty or stored already. */
async function storeReply(
  { parts, request, keeping }: Chat,
  reply: Reply,
  ended: Partial<typeof INTERRUPTED> = {},
): Promise<void> {
  const text = storableText(reply.text);
  if (reply.kept || text.trim() === '') return;
  const { conversationId } = request;
  const meta = { ...keeping.meta, ...ended };
  reply.kept = await parts.memory.add({ ...keeping, conversationId, speaker: COMPANION, text, meta });
}

function places({ request, userTurn }: Chat, { kept }: Reply): ChatPlaces {
  return {
    conversationId: request.conversationId,
    userUnitId: userTurn.unitId,
    replyUnitId: kept?.unitId ?? null,
    turnIds: { user: userTurn.turnId, reply: kept?.turnId ?? null },
  };
}

type AnswerEnd = Pick<ChatDone, 'usage' | 'finishReason' | 'unseenImages' | 'remembered'>;

async function answer(chat: Chat, reply: Reply): Promise<AnswerEnd> {
  const { parts, signal, emit } = chat;
  signal.throwIfAborted();
  const model = parts.chatModel();
  const recent = await recentLines(chat);
  const language = chat.settings.language ?? languageOf(chat.request.text, recent.lines);
  const seen = await describeChatImages(chat, language);
  const recentUnitIds = [...recent.unitIds, chat.userTurn.unitId];
  const pack = await recallFor(chat, { lines: recent.lines, unitIds: recentUnitIds }, seen.summary);
  if (chat.request.withMemory) emit({ type: 'memory', data: { ...pack, recentUnitIds } });
  if (!model) throw new MemoryError('NO_MODEL');
  signal.throwIfAborted();
  const end = await streamReply(model, toRequest(chat, { language, recent, pack, seen }), chat, reply);
  if (reply.text.trim() === '')
    throw new MemoryError('MODEL_FAILED', 'The model gave an empty reply.', { retryable: true });
  return { ...end, unseenImages: seen.unseen, remembered: chat.keeping.remember !== false };
}

async function streamReply(
  model: LanguageModel,
  request: ModelRequest,
  { signal, emit }: Chat,
  reply: Reply,
): Promise<{ usage: ModelUsage; finishReason: string }> {
  const stream = model.stream(request, signal);
  // It rejects with the same error as the text, which is handled there.
  stream.end.catch(() => {});
  for await (const text of stream.text) {
    reply.text += text;
    emit({ type: 'token', data: { text } });
  }
  return stream.end;
}

interface Recent {
  /** Oldest first. */
  readonly lines: readonly Line[];
  /** The units of these lines. */
  readonly unitIds: readonly number[];
}

/** The conversation before the utterance: from the client, or else from the store, with proactive messages in between. */
async function recentLines({ parts, settings, request, userTurn }: Chat): Promise<Recent> {
  const kept = await episodesBefore(parts.memory, userTurn.unitId, settings.recentTurns);
  if (!request.recent) {
    const proactive =
      settings.recentTurns === 0
        ? []
        : await proactiveEpisodes(parts.memory, request.conversationId, parts.now());
    const episodes = [...kept, ...proactive].sort(byTime);
    const language = languageOf(request.text, kept.map(lineOf));
    const lines = episodes.flatMap((episode) => timelineLines(episode, language));
    return { lines, unitIds: episodes.map(({ id }) => id) };
  }
  const lines = request.recent.slice(-settings.recentTurns || Infinity);
  const texts = new Set(lines.map(({ text }) => text));
  return { lines, unitIds: kept.filter(({ payload }) => texts.has(payload.text)).map(({ id }) => id) };
}

/** The lines of one episode. Models expect each assistant message to answer a user message. */
function timelineLines(episode: Episode, language: Language): Line[] {
  const line = lineOf(episode);
  const isProactive = episode.source === 'meta_request' || episode.source === 'reminder';
  return isProactive ? [{ speaker: 'meta_request', text: prompt('unasked', language) }, line] : [line];
}

/** The language of the utterance; if it cannot be detected, that of the conversation. */
function languageOf(text: string, lines: readonly Line[]): Language {
  return detectLanguage(text, detectLanguage(lines.map((line) => line.text).join('\n')));
}

/** Stores image descriptions with the utterance. */
async function describeChatImages(
  { parts, request, userTurn, signal }: Chat,
  language: Language,
): Promise<ImageDescriptions> {
  const images = request.images ?? [];
  const look = { language, purpose: DESCRIBE_IMAGES, signal, limitMs: ANSWER_WAIT_MS };
  const seen = await describeWithinLimit(images, parts.visionModel(), look);
  if (seen.summary !== null) await storeImageSummary(parts.memory, userTurn.unitId, seen.summary);
  if (seen.unseen > 0) await requestDescription(parts.memory, userTurn.unitId, images);
  return seen;
}

async function recallFor(chat: Chat, recent: Recent, imageSummary: string | null): Promise<Pack> {
  const { parts, settings, request } = chat;
  const mode = request.mode ?? (settings.deepRecall ? 'deep' : 'fast');
  const timeLimitMs = request.deepTimeLimitMs ?? settings.deepTimeLimitMs;
  return packFor(parts.memory, settings, withImages(request.text, imageSummary), {
    context: recent.lines,
    exceptUnitIds: recent.unitIds,
    options: { mode, timeLimitMs, ...(request.withMemory && { explain: true }) },
  });
}

function toRequest(
  { parts, settings, request }: Chat,
  {
    language,
    recent,
    pack,
    seen,
  }: {
    readonly language: Language;
    readonly recent: Recent;
    readonly pack: Pack;
    readonly seen: ImageDescriptions;
  },
): ModelRequest {
  const { speaker = 'user', clientContext } = request;
  const text = withMissingImagesNote(withImages(request.text, seen.summary), seen, language);
  const messages = toMessages([...recent.lines, { speaker, text }]);
  const last = messages.at(-1);
  if (last && seen.images.length > 0) messages.splice(-1, 1, { ...last, images: seen.images });
  const clock = { now: parts.now(), timeZone: parts.memory.timeZone };
  return {
    purpose: 'chat',
    system: systemPrompt(language, pack, clock, clientContext),
    messages,
    ...(settings.maxOutputTokens !== undefined && { maxOutputTokens: settings.maxOutputTokens }),
  };
}
