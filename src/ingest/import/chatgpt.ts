import { attachmentNames, plainText } from './content.ts';
import { idText, scalarMeta, type ImportItem, type Intake, type Place, type ReadRecord } from './intake.ts';
import { media, mediaKindOf, textOrMedia, type Medium } from './media.ts';
import { isRecord, recordAt, records, stringAt } from '../../model/model.ts';

/** Kinds of content that are messages; others are reasoning, code that is run, its output, settings. */
const SPOKEN = new Set<unknown>(['text', 'multimodal_text', undefined]);

/**
 * One conversation of ChatGPT's `conversations.json`. It is a tree, since messages can be edited and answers
 * regenerated; the branch shown last is read. Instructions, tools, reasoning, hidden messages and answers without
 * text are skipped.
 */
export const readChatGptConversation: ReadRecord = function* (conversation, at, intake) {
  const id = idText(conversation['conversation_id']) ?? idText(conversation['id']);
  const { mapping, title } = conversation;
  if (id === null || !isRecord(mapping)) {
    yield intake.takeUnreadable('It has no id or no mapping of messages.', at);
    return;
  }
  intake.begin(id, conversation['create_time']);
  const messages = shownBranch(mapping, conversation['current_node']).filter(isSpoken);
  for (const [index, message] of messages.entries()) {
    const place = { ...at, place: `${at.place}, message ${index + 1}` };
    yield takeMessage(message, { id, title }, place, intake);
  }
};

function takeMessage(
  message: Record<string, unknown>,
  { id: conversationId, title }: { readonly id: string; readonly title: unknown },
  at: Place,
  intake: Intake,
): ImportItem {
  const metadata = recordAt(message, 'metadata');
  const attachments = attachmentNames(metadata['attachments'], 'name');
  const canvas = canvasOf(message);
  const { text: words, images, voices } = plainText(recordAt(message, 'content')['parts']);
  const meta = scalarMeta({
    sourceId: message['id'],
    conversationTitle: title,
    model: metadata['model_slug'],
    images: images || null,
    canvas: canvas?.name,
    voice: voices > 0 || null,
  });
  if (attachments.length > 0) meta['attachments'] = attachments;
  const speaker = recordAt(message, 'author')['role'];
  const text = canvas?.text ?? textOrMedia(words, mediaOf({ attachments, images, voices }));
  return intake.take({ conversationId, speaker, text, time: message['create_time'], meta }, at);
}

/** From the first message to the one shown last. */
function shownBranch(mapping: Record<string, unknown>, currentNode: unknown): Record<string, unknown>[] {
  const branch: Record<string, unknown>[] = [];
  const seen = new Set<unknown>();
  const named = typeof currentNode === 'string' && isRecord(mapping[currentNode]) ? currentNode : null;
  let id: unknown = named ?? newestLeaf(mapping);
  while (typeof id === 'string' && !seen.has(id)) {
    seen.add(id);
    const node = recordAt(mapping, id);
    if (isRecord(node['message'])) branch.push(node['message']);
    id = node['parent'];
  }
  return branch.reverse();
}

function newestLeaf(mapping: Record<string, unknown>): string | null {
  let newest: { id: string; time: number } | null = null;
  for (const [id, node] of Object.entries(mapping)) {
    if (!isRecord(node) || !isRecord(node['message'])) continue;
    if (Array.isArray(node['children']) && node['children'].length > 0) continue;
    const time = Number(node['message']['create_time'] ?? 0);
    if (newest === null || time >= newest.time) newest = { id, time };
  }
  return newest?.id ?? null;
}

function isSpoken(message: Record<string, unknown>): boolean {
  const role = recordAt(message, 'author')['role'];
  if (role !== 'user' && role !== 'assistant') return false;
  const metadata = recordAt(message, 'metadata');
  if (
    metadata['is_visually_hidden_from_conversation'] === true ||
    metadata['is_user_system_message'] === true
  )
    return false;
  if (message['channel'] === 'analysis') return false;
  if ((message['recipient'] ?? 'all') !== 'all') return canvasOf(message) !== null;
  const content = recordAt(message, 'content');
  if (!SPOKEN.has(content['content_type'])) return false;
  return role === 'user' || plainText(content['parts']).text !== '';
}

/** The document that an answer writes into a canvas, or its replacement text; null when it does not use a canvas. */
function canvasOf(message: Record<string, unknown>): { name: string | null; text: string } | null {
  const recipient = message['recipient'];
  if (recipient !== 'canmore.create_textdoc' && recipient !== 'canmore.update_textdoc') return null;
  const content = recordAt(message, 'content');
  const written = content['text'] ?? plainText(content['parts']).text;
  let call: unknown = null;
  try {
    call = JSON.parse(String(written));
  } catch {
    return null;
  }
  if (!isRecord(call)) return null;
  const replacements = records(call['updates']).map((update) => update['replacement']);
  const text = [call['content'], ...replacements].filter((part) => typeof part === 'string').join('\n\n');
  return text.trim() === '' ? null : { name: stringAt(call, 'name'), text };
}

function mediaOf(held: { attachments: readonly string[]; images: number; voices: number }): Medium[] {
  const named = held.attachments.map((name) => ({ kind: mediaKindOf(name), name }));
  return [
    ...(named.length > 0 ? named : media('image', held.images)),
    ...media('voice message', held.voices > 0 ? 1 : 0),
  ];
}
