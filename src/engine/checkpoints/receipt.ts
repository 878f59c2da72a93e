import { createHash } from 'node:crypto';
import { receiptSchema, receiptText, type Receipt } from '../../model/model.ts';
import type { Store, Verification } from '../../store/store.ts';
import { isSignedBy, type SigningKey } from './signingKey.ts';

type Problem = Verification['problems'][number];

export interface Forgetting {
  readonly what: Receipt['what'];
  readonly turnIds: readonly number[];
  readonly unitIds: readonly number[];
  readonly counts: Readonly<Record<string, number>>;
  readonly at: number;
}

export async function signReceipt(store: Store, key: SigningKey, forgetting: Forgetting): Promise<Receipt> {
  const { what, unitIds, counts, at } = forgetting;
  const turnIds = forgetting.turnIds.toSorted((a, b) => a - b);
  const head = (await store.evidence.head())?.chainHash ?? '';
  const receipt = {
    format: 'omoide receipt' as const,
    version: 1 as const,
    memoryId: store.memoryId,
    at,
    what,
    turns: rangesOf(turnIds),
    turnsHash: await hashTurns(store, turnIds),
    units: rangesOf(unitIds),
    counts: { ...counts },
    headBefore: head,
    headAfter: head,
    publicKey: key.publicKey(),
  };
  return { ...receipt, signature: key.sign(receiptText(receipt)) };
}

/**
 * Problems of forgotten turns: each receipt, stored or given, must be signed and match the memory; and each
 * forgotten turn must be in a receipt.
 * @param ownKey the public key of the folder; null when there is none to compare with
 */
export async function receiptProblems(
  store: Store,
  ownKey: string | null,
  given: unknown,
): Promise<Problem[]> {
  // In this order, since a turn is forgotten together with its receipt.
  const forgotten = await forgottenTurns(store);
  const kept = await store.forgetting.receipts();
  const messages: string[] = [];
  if (given !== undefined) {
    const parsed = receiptSchema.safeParse(given);
    if (!parsed.success) messages.push('The receipt has an invalid format.');
    else
      messages.push(...(await checkReceipt(store, parsed.data, ownKey)).map((says) => `The receipt ${says}`));
  }
  for (const receipt of kept) {
    const problems = await checkReceipt(store, receipt, ownKey);
    messages.push(
      ...problems.map((says) => `The stored receipt of ${new Date(receipt.at).toISOString()} ${says}`),
    );
  }
  const missing = forgotten.filter((id) => !kept.some(({ turns }) => isIn(turns, id)));
  if (missing.length > 0)
    messages.push(`There is no receipt for the forgotten turns ${missing.slice(0, 9).join(', ')}.`);
  return messages.map((message) => ({ code: 'RECEIPT_WRONG' as const, message }));
}

async function checkReceipt(store: Store, receipt: Receipt, ownKey: string | null): Promise<string[]> {
  const { publicKey, signature, memoryId, turns, units, headBefore } = receipt;
  const problems: string[] = [];
  if (!isSignedBy(publicKey, receiptText(receipt), signature)) return ['is not signed by its key.'];
  if (ownKey !== null && ownKey !== publicKey) problems.push('was signed with another key.');
  if (memoryId !== store.memoryId) return [...problems, `is of the memory ${memoryId}.`];
  const turnIds = idsOf(turns);
  const there = await store.evidence.get(turnIds);
  const readable = there.filter(({ isForgotten, text }) => !isForgotten || text !== '');
  if (readable.length > 0) problems.push(`says that turn ${readable[0]?.id} was erased, but it can be read.`);
  if (there.length < turnIds.length || (await hashTurns(store, turnIds)) !== receipt.turnsHash)
    problems.push('is for other turns.');
  const left = await store.units.get(idsOf(units));
  if (left.length > 0) problems.push(`says that unit ${left[0]?.id} was erased, but it exists.`);
  if (headBefore !== '' && !(await hasHead(store, headBefore, turnIds)))
    problems.push('names a chain head that no turn has.');
  return problems;
}

async function hashTurns(store: Store, turnIds: readonly number[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { contentHash } of await store.evidence.get(turnIds)) hash.update(contentHash);
  return hash.digest('hex');
}

async function forgottenTurns(store: Store): Promise<number[]> {
  const ids: number[] = [];
  for await (const turn of allTurns(store)) if (turn.isForgotten) ids.push(turn.id);
  return ids;
}

async function hasHead(store: Store, head: string, turnIds: readonly number[]): Promise<boolean> {
  const last = await store.evidence.head();
  if (last?.chainHash === head) return true;
  for await (const turn of allTurns(store, (turnIds.at(-1) ?? 1) - 1))
    if (turn.chainHash === head) return true;
  return false;
}

const PAGE = 1_000;

async function* allTurns(store: Store, from = 0) {
  for (let afterId = from; ;) {
    const turns = await store.evidence.page({ afterId, limit: PAGE });
    const last = turns.at(-1);
    if (!last) return;
    yield* turns;
    afterId = last.id;
  }
}

function rangesOf(ids: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === id - 1) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}

function idsOf(ranges: Receipt['turns']): number[] {
  return ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

function isIn(ranges: Receipt['turns'], id: number): boolean {
  return ranges.some(([first, last]) => first <= id && id <= last);
}
