/** Ids of responses and their items. They contain the conversation id, so that stored turns are found after a restart. */
import { randomBytes } from 'node:crypto';

/** Identifies a response of a conversation. */
export interface ResponseKey {
  readonly conversationId: string;
  /** Stored with the turns of the exchange, as `responseId` of their `meta`. */
  readonly key: string;
}

const ID = /^(?:resp|msg|fc)_(?<conversation>[\w-]+)\.(?<key>[\w-]+)(?:\.(?<nth>\d+))?$/;

export function newKey(conversationId: string): ResponseKey {
  return { conversationId, key: randomBytes(12).toString('base64url') };
}

/** @param nth index among the items of a kind in a response, from 0 */
export function formatId(kind: 'resp' | 'msg' | 'fc', { conversationId, key }: ResponseKey, nth = 0): string {
  const id = `${kind}_${Buffer.from(conversationId).toString('base64url')}.${key}`;
  return nth === 0 ? id : `${id}.${nth}`;
}

/** Null for an id of another format. */
export function parseId(id: string): (ResponseKey & { readonly nth: number }) | null {
  const { conversation, key, nth = '0' } = ID.exec(id)?.groups ?? {};
  if (conversation === undefined || key === undefined) return null;
  return { conversationId: Buffer.from(conversation, 'base64url').toString(), key, nth: Number(nth) };
}
