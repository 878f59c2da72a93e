import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkpointText, type Checkpoint } from '../../src/model/model.ts';
import type { Store } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { openMemory, say, START } from './samples.ts';

const KEYS = generateKeyPairSync('ed25519');

function signed(
  of: Omit<Checkpoint, 'publicKey' | 'signature'>,
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } = KEYS,
  memoryId = 'm1',
): Checkpoint {
  const checkpoint = {
    ...of,
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
  const text = Buffer.from(checkpointText(memoryId, checkpoint));
  return { ...checkpoint, signature: sign(null, text, privateKey).toString('base64') };
}

/** Signs the last turn. */
async function checkpoint(store: Store, at = START): Promise<Checkpoint> {
  const head = await store.evidence.head();
  if (!head) throw new Error('There is no turn.');
  const made = signed({ ...head, at });
  await store.evidence.addCheckpoint(made);
  return made;
}

export function describeCheckpoints(open: OpenStore): void {
  describe('checkpoints', () => {
    test('sign the last turn', async () => {
      const { store } = await openMemory(open);
      expect(await store.evidence.head()).toBeNull();
      await say(store, 'a', 'b');
      const [turn] = await store.evidence.get([2]);
      expect(await store.evidence.head()).toEqual({ turnId: 2, chainHash: turn?.chainHash });
    });

    test('prevent adding where turns that they sign are missing', async () => {
      const { store, damage, reopen } = await openMemory(open);
      await say(store, 'a', 'b');
      await checkpoint(store);
      await damage({ type: 'turn gone', turnId: 2 });
      const refused = { code: 'CHAIN_BROKEN', message: expect.stringContaining('a turn 2') as string };
      await expect(say(store, 'c')).rejects.toMatchObject(refused);
      const again = await reopen();
      await again.admin.rebuild('units', { now: START, jobKinds: [], dropVectors: false });
      await expect(say(again, 'c')).rejects.toMatchObject(refused);
      expect(await again.evidence.head()).toMatchObject({ turnId: 1 });
    });

    test('are kept once each and listed oldest first', async () => {
      const { store, openAnother } = await openMemory(open);
      await say(store, 'a');
      const second = await checkpoint(store, START + 2);
      await say(store, 'b');
      const third = await checkpoint(store, START + 3);
      const first = await checkpoint(store, START + 1);
      await store.evidence.addCheckpoint(third);
      const other = await openAnother();
      expect(await other.evidence.checkpoints()).toEqual([first, second, third]);
      expect(await other.admin.verify()).toMatchObject({ checkpoints: 3, firstBadTurn: null, problems: [] });
    });

    test('are added only after the one that the caller knows', async () => {
      const { store } = await openMemory(open);
      await say(store, 'a');
      const head = await store.evidence.head();
      if (!head) throw new Error('There is no turn.');
      const first = signed({ ...head, at: START });
      await store.evidence.addCheckpoint(first, null);
      const second = signed({ ...head, at: START + 1 });
      const conflict = { code: 'VERSION_CONFLICT' };
      await expect(store.evidence.addCheckpoint(second, null)).rejects.toMatchObject(conflict);
      expect(await store.evidence.checkpoints()).toEqual([first]);
      await store.evidence.addCheckpoint(second, first);
      expect(await store.evidence.checkpoints()).toEqual([first, second]);
    });

    test.each<[string, (head: { turnId: number; chainHash: string }) => Checkpoint, string]>([
      ['another hash', (head) => signed({ ...head, chainHash: 'ab'.repeat(32), at: START }), 'CHAIN_BROKEN'],
      ['an unknown turn', (head) => signed({ ...head, turnId: 9, at: START }), 'CHAIN_BROKEN'],
      ['an earlier turn', (head) => signed({ ...head, turnId: 1, at: START }), 'CHAIN_BROKEN'],
      [
        'a time other than the signed one',
        (head) => ({ ...signed({ ...head, at: START }), at: 1 }),
        'INVALID_INPUT',
      ],
      ['another memory', (head) => signed({ ...head, at: START }, KEYS, 'm2'), 'INVALID_INPUT'],
      ['no key', (head) => ({ ...signed({ ...head, at: START }), publicKey: 'AAAA' }), 'INVALID_INPUT'],
      [
        'another key',
        (head) => ({
          ...signed({ ...head, at: START }),
          publicKey: signed({ ...head, at: START }, generateKeyPairSync('ed25519')).publicKey,
        }),
        'INVALID_INPUT',
      ],
    ])('are rejected with %s', async (_, make, code) => {
      const { store } = await openMemory(open);
      await say(store, 'a', 'b');
      const head = await store.evidence.head();
      await expect(store.evidence.addCheckpoint(make(head!))).rejects.toMatchObject({ code });
      expect(await store.evidence.checkpoints()).toEqual([]);
    });
  });

  describe('verify names the first turn', () => {
    /** Turns 1 to 4 with checkpoints of 2 and 4. */
    async function filled() {
      const opened = await openMemory(open);
      await say(opened.store, 'a', 'b');
      await checkpoint(opened.store);
      await say(opened.store, 'c', 'd');
      await checkpoint(opened.store, START + 1);
      return opened;
    }

    test.each([
      ['that was changed', { type: 'turn said something else', turnId: 3 }, { turnId: 3, turnIndex: 2 }],
      ['that has other meta', { type: 'turn had other meta', turnId: 1 }, { turnId: 1, turnIndex: 0 }],
      ['that is gone', { type: 'turn gone', turnId: 2 }, { turnId: 2, turnIndex: null }],
      ['that is gone from the end', { type: 'turn gone', turnId: 4 }, { turnId: 4, turnIndex: null }],
      ['whose checkpoint is forged', { type: 'checkpoint forged', turnId: 2 }, { turnId: 2, turnIndex: 1 }],
      // It is unknown which of turns 1 and 2 was changed, only that turn 2 does not match the checkpoint.
      [
        'at which history was rewritten',
        { type: 'history rewritten', turnId: 1 },
        { turnId: 2, turnIndex: 1 },
      ],
      [
        'at which it was rewritten later',
        { type: 'history rewritten', turnId: 3 },
        { turnId: 4, turnIndex: 3 },
      ],
    ] as const)('%s', async (_, damage, bad) => {
      const opened = await filled();
      await opened.damage(damage);
      const verification = await (await opened.reopen()).admin.verify();
      expect(verification).toMatchObject({
        checkpoints: 2,
        firstBadTurn: { ...bad, conversationId: bad.turnIndex === null ? null : 'c1' },
      });
      expect(verification.problems.map((problem) => problem.code)).toContain('CHAIN_BROKEN');
    });

    test('when turns after it were removed and a later checkpoint exists', async () => {
      const opened = await filled();
      for (const turnId of [4, 3]) await opened.damage({ type: 'turn gone', turnId });
      const verification = await (await opened.reopen()).admin.verify();
      expect(verification.firstBadTurn).toEqual({ turnId: 3, conversationId: null, turnIndex: null });
    });
  });
}
