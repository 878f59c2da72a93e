import { dirname } from 'node:path/posix';
import { decodeUtf8 } from './bytes.ts';
import { idPart, idText, personName, scalarMeta, type ReadRecord } from './intake.ts';
import { mediaKindOf, mediaMeta, textOrMedia } from './media.ts';
import { recordAt, records, stringAt, type Fields } from '../../model/model.ts';
import type { Source, SourceFile } from './source/source.ts';

/** Kinds of message that contain an utterance; the others report joins, topics and settings. */
const SPOKEN = new Set<unknown>([
  undefined,
  'thread_broadcast',
  'me_message',
  'bot_message',
  'file_share',
  'file_comment',
]);
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

export type SlackNames = ReadonlyMap<string, string>;

/** The names of people by their ids, from the `users.json` of an export; empty when there is none. */
export async function readSlackNames(file: SourceFile, source: Source): Promise<SlackNames> {
  const root = dirname(dirname(file.path));
  const path = root === '.' ? 'users.json' : `${root}/users.json`;
  const users = source.files.find((other) => other.path === path);
  if (!users) return new Map();
  const chunks = await Array.fromAsync(users.bytes());
  let list: unknown = null;
  try {
    list = JSON.parse(decodeUtf8(Buffer.concat(chunks)));
  } catch {
    // Without it people keep their ids.
  }
  return new Map(records(list).flatMap((user) => nameOf(user)));
}

function nameOf(user: Fields): [string, string][] {
  const id = idText(user['id']);
  const profile = recordAt(user, 'profile');
  const name =
    personName(profile['display_name']) ?? personName(profile['real_name']) ?? personName(user['name']);
  return id === null || name === null ? [] : [[id, name]];
}

/** Reads the messages of a day of a Slack channel: the conversation is `channel:day`. */
export function slackReader(file: SourceFile, names: SlackNames): ReadRecord {
  const day =
    file.path
      .split('/')
      .at(-1)
      ?.replace(/\.json$/i, '') ?? '';
  const channel = idPart(file.folder);
  const conversationId = channel === '' ? idPart(day) : idPart(`${channel}:${day}`);
  return function* (message, at, intake) {
    if (message['type'] !== 'message' || !SPOKEN.has(message['subtype'])) return;
    const media = records(message['files']).map(({ name, mimetype }) => ({
      kind: mediaKindOf(mimetype ?? name),
      name,
    }));
    const { images, attachments } = mediaMeta(media);
    const meta = scalarMeta({
      sourceId: message['ts'],
      conversationTitle: channel,
      thread: threadOf(message),
      images,
    });
    if (attachments.length > 0) meta['attachments'] = attachments;
    yield intake.take(
      {
        conversationId,
        speaker: speakerOf(message, names),
        text: textOrMedia(plainWords(message['text'], names), media),
        time: Number(message['ts']),
        meta,
      },
      at,
    );
  };
}

function threadOf(message: Fields): unknown {
  return message['thread_ts'] === message['ts'] ? null : message['thread_ts'];
}

function speakerOf(message: Fields, names: SlackNames): string | null {
  const id = idText(message['user']) ?? idText(message['bot_id']);
  const profile = recordAt(message, 'user_profile');
  return (
    names.get(id ?? '') ??
    personName(profile['display_name']) ??
    personName(profile['real_name']) ??
    personName(stringAt(message, 'username')) ??
    id
  );
}

/** `<@U1>` is `@name`, `<#C1|general>` `#general`, `<https://…|label>` `label (https://…)`. */
function plainWords(text: unknown, names: SlackNames): unknown {
  if (typeof text !== 'string') return text;
  return text
    .replaceAll(
      /<@([A-Z0-9]+)(?:\|([^>]*))?>/g,
      (_, id: string, name?: string) => `@${names.get(id) ?? name ?? id}`,
    )
    .replaceAll(/<#[A-Z0-9]+\|([^>]*)>/g, '#$1')
    .replaceAll(/<!(?:subteam\^[A-Z0-9]+\|)?@?([a-z]+)[^>]*>/g, '@$1')
    .replaceAll(/<((?:https?|mailto):[^|>]*)\|([^>]*)>/g, (_, url: string, label: string) =>
      url.endsWith(label) ? url : `${label} (${url})`,
    )
    .replaceAll(/<((?:https?|mailto):[^>]*)>/g, '$1')
    .replaceAll(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);
}
