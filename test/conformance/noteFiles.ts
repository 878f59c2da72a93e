import { describe, expect, test } from 'vitest';
import type { NoteFile } from '../../src/store/store.ts';
import type { OpenStore } from './storeUnderTest.ts';
import { add, find, note, openMemory } from './samples.ts';

function file(uri: string, more: Partial<NoteFile> = {}): NoteFile {
  return {
    uri,
    scope: 'global',
    hash: 'ab',
    sizeBytes: 12,
    modifiedAt: 1_714_521_600_000.25,
    unitIds: [],
    ...more,
  };
}

export function describeNoteFiles(open: OpenStore): void {
  describe('note files', () => {
    test('are stored with the units of their sections, including new ones', async () => {
      const { store, reopen } = await openMemory(open);
      const units = await store.noteFiles.apply({
        upserts: [{ ...file('user/茶.md'), unitIds: [{ change: 1 }, { change: 0 }] }],
        removals: [],
        changes: [add({ content: note('green tea') }), add({ content: note('緑茶') })],
        unitJobKinds: ['embed'],
      });
      expect(units.map((unit) => unit.kind)).toEqual(['note', 'note']);
      const [green, tea] = units.map((unit) => unit.id);
      expect(await store.noteFiles.list()).toEqual([file('user/茶.md', { unitIds: [tea!, green!] })]);
      expect((await store.jobs.list({ limit: 9 })).map((job) => job.key)).toEqual([
        `embed:${green}`,
        `embed:${tea}`,
      ]);

      await store.noteFiles.apply({
        upserts: [
          file('TASKS.md', { scope: 'project' }),
          file('user/茶.md', { hash: 'cd', unitIds: [green!] }),
        ],
        removals: [],
        changes: [
          { type: 'update', unitId: tea!, set: { state: 'archived' }, reason: 'section gone' },
          { type: 'update', unitId: green!, set: { content: note('black tea') as never }, reason: 'edited' },
        ],
        unitJobKinds: ['look'],
      });
      expect((await store.jobs.list({ kind: 'look', limit: 9 })).map((job) => job.key)).toEqual([
        `look:${green}`,
      ]);
      expect([await find(store, 'black'), await find(store, '緑茶')]).toEqual([[green], []]);
      expect(await (await reopen()).noteFiles.list()).toEqual([
        file('TASKS.md', { scope: 'project' }),
        file('user/茶.md', { hash: 'cd', unitIds: [green!] }),
      ]);
    });

    test('are removed by uri', async () => {
      const { store, openAnother } = await openMemory(open);
      const other = await openAnother();
      const nothing = { upserts: [], removals: [], changes: [], unitJobKinds: [] };
      await store.noteFiles.apply({ ...nothing, upserts: [file('a.md'), file('b.md')] });
      await other.noteFiles.apply({ ...nothing, upserts: [file('c.md')], removals: ['a.md', 'unknown.md'] });
      expect((await store.noteFiles.list()).map((one) => one.uri)).toEqual(['b.md', 'c.md']);
    });

    test.each([
      ['an unknown unit', [{ type: 'update' as const, unitId: 99, set: {}, reason: 'r' }], 0, 'NOT_FOUND'],
      ['an unknown change', [], 1, 'INVALID_INPUT'],
    ])('are not stored at all in a call with %s', async (_, changes, change, code) => {
      const { store } = await openMemory(open);
      const wrong = store.noteFiles.apply({
        upserts: [file('a.md'), { ...file('b.md'), unitIds: [{ change }] }],
        removals: [],
        changes: [add({ content: note('green tea') }), ...changes],
        unitJobKinds: ['embed'],
      });
      await expect(wrong).rejects.toMatchObject({ code });
      expect(await store.noteFiles.list()).toEqual([]);
      expect(await find(store, 'tea')).toEqual([]);
      expect(await store.jobs.list({ limit: 9 })).toEqual([]);
    });
  });
}
