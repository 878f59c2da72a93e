import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMemory, type Memory } from '../../src/engine/engine.ts';
import { temporaryFolder } from '../temporary.ts';

async function open(notes: Readonly<Record<string, string>>): Promise<Memory> {
  const global = temporaryFolder();
  for (const [name, text] of Object.entries(notes)) {
    const path = join(global, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  }
  const dataDir = temporaryFolder();
  const memory = await openMemory({
    dataDir,
    embedder: null,
    worker: false,
    learn: false,
    notes: { global },
  });
  onTestFinished(() => memory.close());
  return memory;
}

test('paged exploration returns every unit with the word exactly once, including the note', async () => {
  const memory = await open({ 'user/preferences.md': '# Preferences\n\n- Green tea, never black tea.\n' });
  const turns = Array.from({ length: 684 }, (_, i) => `Tea number ${i}.`);
  await memory.add(turns.map((text) => ({ conversationId: 'c', speaker: 'user', text })));
  await memory.add({ conversationId: 'c', speaker: 'user', text: 'The teapot broke.' });
  const texts: string[] = [];
  const kinds = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await memory.explore(
      { text: 'tea' },
      { view: 'quote', limit: 90, ...(cursor && { cursor }) },
    );
    if (page.view !== 'quote') throw new Error('It shows something else.');
    for (const { kind, quote } of page.quotes) {
      kinds.add(kind);
      texts.push(quote.text);
    }
    cursor = page.nextCursor;
  }
  expect(texts).toHaveLength(685);
  expect(new Set(texts).size).toBe(685);
  expect([...kinds].toSorted()).toEqual(['episode', 'note']);
  expect(texts.some((text) => text.includes('Green tea'))).toBe(true);
});
