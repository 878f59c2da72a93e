/** Proactive messages: about a notification, or at an application's request. */
import type { AddedTurn, Job, Memory } from '../engine/engine.ts';
import { isMemoryError, MemoryError, type Episode, type Instant, unitOfKind } from '../model/model.ts';
import { detectLanguage } from '../text/text.ts';
import { DESCRIBE_IMAGES } from './describe.ts';
import {
  describeWithinLimit,
  storeImageSummary,
  withMissingImagesNote,
  type ImageDescriptions,
  imagesOf,
} from './images.ts';
import { storableText } from './storeTurn.ts';
import { packFor, systemPrompt } from './prompted.ts';
import { prompt } from './prompts.ts';
import { proactiveConversationId } from './timeline.ts';
import type { CompanionEvent, CompanionParts } from './types.ts';
import { COMPANION, withImages } from './window.ts';

/** The job that creates the message about a notification. */
export const RESPOND = 'respond';
/** Stored in place of the text of a meta request. */
const REDACTED = '[redacted]';
// Each cause has its own conversation: the cause, then the message about it. The fixed turn index prevents duplicates.
const CAUSE_PLACE = 0;
const MESSAGE_PLACE = 1;

/** Why the companion sends a message. */
interface Cause {
  readonly type: CompanionEvent['type'];
  readonly unitId: number;
  readonly conversationId: string;
  readonly words: string;
}

/** Stores a notification and schedules the message about it. */
export async function storeNotification(
  memory: Memory,
  request: {
    readonly from: string;
    readonly message: string;
    readonly images?: readonly string[] | undefined;
    readonly conversationId?: string | undefined;
  },
): Promise<Episode> {
  const { from, message, images = [], conversationId = null } = request;
  const colon = detectLanguage(message) === 'en' ? ': ' : '：';
  const text = from + colon + message;
  const { unitId } = await storeCause(memory, {
    type: 'notification',
    text,
    images: images.length,
    talk: conversationId,
  });
  const input = { unitId, images: [...images] };
  await memory.jobs.request({ kind: RESPOND, key: `${RESPOND}:${unitId}`, conversationId: null, input });
  const [unit] = await memory.units.get([unitId]);
  return unitOfKind('episode', unit);
}

/** Stores that a meta request was made, without its text. */
export async function storeMetaRequest(
  memory: Memory,
): Promise<AddedTurn & { readonly conversationId: string }> {
  return storeCause(memory, { type: 'meta_request', text: REDACTED, images: 0, talk: null });
}

async function storeCause(
  memory: Memory,
  cause: {
    readonly type: 'notification' | 'meta_request';
    readonly text: string;
    readonly images: number;
    /** The conversation it belongs to; null: any. */
    readonly talk: string | null;
  },
): Promise<AddedTurn & { readonly conversationId: string }> {
  const { type, text, images, talk } = cause;
  const conversationId = proactiveConversationId(type, talk);
  const meta = images > 0 ? { images } : {};
  // The placeholder has no content and must not be recalled.
  const sensitivity = type === 'meta_request' && ({ sensitivity: 'secret' } as const);
  const place = { conversationId, turnIndex: CAUSE_PLACE };
  const kept = await memory.add({ ...place, speaker: type, text, source: type, meta, ...sensitivity });
  return { ...kept, conversationId };
}

/**
 * Creates the message about a job's notification, unless it exists.
 * @throws MemoryError NO_MODEL, MODEL_FAILED
 */
export async function respond(parts: CompanionParts, job: Job, signal: AbortSignal): Promise<void> {
  const { memory } = parts;
  const [unit] = await memory.units.get([Number(job.input['unitId'])]);
  if (unit?.kind !== 'episode' || unit.state === 'archived') return;
  if (await isAnswered(memory, unit.id)) return;
  const { conversationId, text, imageSummary } = unit.payload;
  const images = imagesOf(job);
  let seen: ImageDescriptions = { summary: imageSummary, images: [], unseen: 0 };
  if (imageSummary === null) {
    const look = { language: detectLanguage(text), purpose: DESCRIBE_IMAGES, signal };
    seen = await describeWithinLimit(images, parts.visionModel(), look);
    if (seen.summary !== null) await storeImageSummary(memory, unit.id, seen.summary);
  }
  const cause: Cause = { type: 'notification', unitId: unit.id, conversationId, words: text };
  await speak(parts, cause, seen, signal);
}

/** Whether the message is stored. If so, links it to its cause: a kill may have prevented that. */
async function isAnswered(memory: Memory, causeUnitId: number): Promise<boolean> {
  const [found] = await memory.units.neighbours([causeUnitId], { before: 0, after: 1 });
  const message = found?.after[0];
  if (message === undefined) return false;
  await memory.units.link(message, causeUnitId, RESPONSE);
  return true;
}

const RESPONSE = 'response';

/**
 * Runs a meta request. Its text and images are never written: image descriptions go to the model only, and no model is
 * called with a purpose that may be traced.
 * @throws MemoryError NO_MODEL, MODEL_FAILED
 */
export async function runMetaRequest(
  parts: CompanionParts,
  place: { readonly unitId: number; readonly conversationId: string },
  request: { readonly prompt: string; readonly images?: readonly string[] | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { prompt: words, images = [] } = request;
  const look = { language: detectLanguage(words), purpose: 'meta_request', signal };
  const seen = await describeWithinLimit(images, parts.visionModel(), look);
  await speak(parts, { type: 'meta_request', ...place, words }, seen, signal);
}

async function speak(
  parts: CompanionParts,
  cause: Cause,
  seen: ImageDescriptions,
  signal: AbortSignal,
): Promise<void> {
  const message = await compose(parts, cause, seen, signal);
  const at = parts.now();
  parts.onExchange?.();
  const kept = await storeMessage(parts.memory, cause, message, at);
  if (!kept) return;
  await parts.memory.units.link(kept.unitId, cause.unitId, RESPONSE);
  parts.publish({
    id: kept.unitId,
    type: cause.type,
    unitId: kept.unitId,
    data: {
      message,
      causeUnitId: cause.unitId,
      ...(cause.type === 'notification' && { systemText: cause.words }),
    },
    at,
  });
}

async function compose(
  parts: CompanionParts,
  { type, unitId, words }: Cause,
  seen: ImageDescriptions,
  signal: AbortSignal,
): Promise<string> {
  const { memory } = parts;
  const model = parts.chatModel();
  if (!model) throw new MemoryError('NO_MODEL');
  const settings = parts.settings();
  const language = settings.language ?? detectLanguage(words);
  const content = withMissingImagesNote(withImages(words, seen.summary), seen, language);
  // Deep recall calls a model with its own purpose, which may be traced.
  const mode = settings.deepRecall && type !== 'meta_request' ? 'deep' : 'fast';
  const about = {
    context: [],
    exceptUnitIds: [unitId],
    options: { mode, timeLimitMs: settings.deepTimeLimitMs },
  } as const;
  const pack = await packFor(memory, settings, content, about);
  const system = systemPrompt(language, pack, { now: parts.now(), timeZone: memory.timeZone });
  const request = {
    purpose: type,
    system: `${system}\n\n${prompt(type, language)}`,
    messages: [{ role: 'user', content, images: seen.images }],
    ...(settings.maxOutputTokens !== undefined && { maxOutputTokens: settings.maxOutputTokens }),
  } as const;
  const message = storableText((await model.generateText(request, signal)).text).trim();
  if (message === '')
    throw new MemoryError('MODEL_FAILED', 'The model gave an empty reply.', { retryable: false });
  return message;
}

/** Null if another process has already stored it. */
async function storeMessage(
  memory: Memory,
  cause: Cause,
  text: string,
  occurredAt: Instant,
): Promise<AddedTurn | null> {
  const { type, conversationId, unitId: causeUnitId } = cause;
  const place = { conversationId, turnIndex: MESSAGE_PLACE };
  try {
    const kept = await memory.add({
      ...place,
      speaker: COMPANION,
      text,
      occurredAt,
      source: type,
      meta: { causeUnitId },
    });
    return kept.isNew ? kept : null;
  } catch (error) {
    if (isMemoryError(error, 'TURN_CONFLICT')) return null;
    throw error;
  }
}
