/** Compares a memory with what was signed: its own checkpoints, the witness logs, and a chain hash noted earlier. */
import { witnessedCheckpointText, type Checkpoint, type WitnessEntry } from '../../model/model.ts';
import type { Store, Verification } from '../../store/store.ts';
import { isSignedBy } from './signingKey.ts';
import { LINK_LENGTH, type WitnessContent } from './witnessLog.ts';

const PAGE = 1_000;
/** More links in one entry would make a very long line; the first entry of an old memory would contain all its turns. */
const MAX_LINKS = 1_000;

export interface Attested {
  readonly verification: Verification;
  readonly checkpoints: readonly Checkpoint[];
  /** Checkpoints from before the logs were read: all but the last must be in the logs. */
  readonly before: readonly Checkpoint[];
  readonly ownKey: { readonly path: string; readonly publicKey: string } | null;
  readonly logs: readonly Log[];
  /** A chain hash that must be that of some turn. */
  readonly expect: string | undefined;
}

type Log = WitnessContent & {
  readonly path: string;
  /**
   * The folder's log contains every checkpoint, a shared one those of servers with this folder; another file those
   * since it was created; a URL those that reached it.
   */
  readonly kind: 'own' | 'shared' | 'file' | 'url';
  readonly exists: boolean;
};
type BadTurn = NonNullable<Verification['firstBadTurn']>;

/** The verification, extended by what the key, the logs and the expected chain hash show. */
export async function compareWithLog(store: Store, attested: Attested): Promise<Verification> {
  const { verification, checkpoints, before, ownKey, logs, expect } = attested;
  const messages: string[] = ownKey === null ? [] : foreignCheckpoints(checkpoints, ownKey);
  const bad: BadTurn[] = verification.firstBadTurn === null ? [] : [verification.firstBadTurn];
  // A file that was copied alone has neither key nor log: there is nothing to compare with.
  const isCopiedAlone = ownKey === null && logs.every(({ entries }) => entries.length === 0);
  for (const log of isCopiedAlone ? [] : logs) {
    messages.push(
      ...log.problems,
      ...signerProblems(log, ownKey),
      ...missing(log, checkpoints),
      ...unlogged(store.memoryId, log, before),
    );
    const broken = await firstBroken(store, log.entries);
    if (broken === null) continue;
    messages.push(describeBroken(broken, log.path));
    bad.push(broken.turn);
  }
  if (expect !== undefined && !(await isKnownHead(store, expect)))
    messages.push(`No turn has the chain hash ${expect} that was given: turns were changed or removed.`);
  const problems = messages.map((message) => ({ code: 'CHAIN_BROKEN' as const, message }));
  return {
    ...verification,
    firstBadTurn: bad.toSorted((a, b) => a.turnId - b.turnId)[0] ?? null,
    problems: [...verification.problems, ...problems],
  };
}

/** The first digits of the chain hash of each turn after one, up to another: at most the last {@link MAX_LINKS}. */
export async function chainLinks(store: Store, afterId: number, lastId: number): Promise<string> {
  const links: string[] = [];
  for (let readId = Math.max(afterId, lastId - MAX_LINKS); readId < lastId;) {
    const turns = await store.evidence.page({ afterId: readId, limit: Math.min(PAGE, lastId - readId) });
    const last = turns.at(-1);
    if (!last) break;
    links.push(
      ...turns.filter(({ id }) => id <= lastId).map(({ chainHash }) => chainHash.slice(0, LINK_LENGTH)),
    );
    readId = last.id;
  }
  return links.join('');
}

/** For a memory that was moved here without its key, these are all of its checkpoints. */
function foreignCheckpoints(
  checkpoints: readonly Checkpoint[],
  ownKey: { path: string; publicKey: string },
): string[] {
  return checkpoints
    .filter(({ publicKey }) => publicKey !== ownKey.publicKey)
    .map(({ turnId }) => `The checkpoint at turn ${turnId} was not signed with ${ownKey.path}.`);
}

/** All entries must have one key: that of the folder or, if it is missing, that of the first entry. */
function signerProblems({ path, entries }: Log, ownKey: Attested['ownKey']): string[] {
  const expected = ownKey?.publicKey ?? entries[0]?.publicKey;
  return entries.some(({ publicKey }) => publicKey !== expected)
    ? [`${path} contains entries that were signed with another key.`]
    : [];
}

/** Checkpoints that are in a log but not in the memory. */
function missing({ path, entries }: Log, checkpoints: readonly Checkpoint[]): string[] {
  const kept = new Set(checkpoints.map(({ signature }) => signature));
  const gone = entries.filter(({ signature }) => !kept.has(signature));
  return gone.map(({ turnId }) => `The checkpoint at turn ${turnId} is missing, but ${path} contains it.`);
}

/** Checkpoints that are missing in a log. The last one may not be written yet, or its writer was killed. */
function unlogged(
  memoryId: string,
  { path, entries, kind, exists }: Log,
  checkpoints: readonly Checkpoint[],
): string[] {
  if (kind === 'url' || kind === 'shared') return [];
  const logged = new Set(entries.map(({ signature }) => signature));
  const beganAt = kind === 'own' ? 0 : (entries[0]?.turnId ?? Infinity);
  return checkpoints
    .slice(0, exists ? -1 : undefined)
    .filter((checkpoint) => isWitnessed(memoryId, checkpoint) && !logged.has(checkpoint.signature))
    .filter(({ turnId }) => turnId > beganAt)
    .map(({ turnId }) => `${path} lacks the checkpoint at turn ${turnId}.`);
}

/** Whether the checkpoint was signed as one that is also in the log of its folder. */
export function isWitnessed(memoryId: string, checkpoint: Checkpoint): boolean {
  const text = witnessedCheckpointText(memoryId, checkpoint);
  return isSignedBy(checkpoint.publicKey, text, checkpoint.signature);
}

interface Broken {
  readonly turn: BadTurn;
  readonly isGone: boolean;
}

/** The first turn that differs from the log; in a rewritten history the rewritten turn, if the links show it. */
async function firstBroken(store: Store, entries: readonly WitnessEntry[]): Promise<Broken | null> {
  for (const entry of entries) {
    const first = entry.turnId - entry.links.length / LINK_LENGTH + 1;
    const links = await chainLinks(store, first - 1, entry.turnId);
    const [last] = await store.evidence.get([entry.turnId]);
    if (links === entry.links && last?.chainHash === entry.chainHash) continue;
    const turnId = first + firstDifference(links, entry.links);
    const [turn] = await store.evidence.get([Math.min(turnId, entry.turnId)]);
    return turn
      ? {
          turn: { turnId: turn.id, conversationId: turn.conversationId, turnIndex: turn.turnIndex },
          isGone: false,
        }
      : { turn: { turnId, conversationId: null, turnIndex: null }, isGone: true };
  }
  return null;
}

/** How many links are equal. */
function firstDifference(links: string, expected: string): number {
  let at = 0;
  while (at < expected.length && links.slice(at, at + LINK_LENGTH) === expected.slice(at, at + LINK_LENGTH))
    at += LINK_LENGTH;
  return at / LINK_LENGTH;
}

function describeBroken({ turn, isGone }: Broken, path: string): string {
  if (isGone) return `Turn ${turn.turnId} is missing: ${path} contains its hash.`;
  return `Turn ${turn.turnId} was changed: it does not match ${path}.`;
}

async function isKnownHead(store: Store, expected: string): Promise<boolean> {
  for (let afterId = 0; ;) {
    const turns = await store.evidence.page({ afterId, limit: PAGE });
    if (turns.some(({ chainHash }) => chainHash === expected.toLowerCase())) return true;
    const last = turns.at(-1);
    if (!last) return false;
    afterId = last.id;
  }
}
