/** Work with notes in one session and its effect on the next, for every kind of agent. */
import { expect, vi } from 'vitest';
import type { Agent, NotesFolder } from './rig.ts';

/** Remembers, forgets, plans and writes notes. Returns the uri of the journal that was written to. */
export async function workWithNotes(agent: Agent): Promise<string> {
  const remember = (text: string, type: string) => agent.call('remember', { text, type });
  await remember('紅茶より緑茶が好き。', 'preference');
  await remember('他的生日是七月九日。', 'entity');
  const dull = await remember('The old printer is on floor two.', 'note');
  const unitId = Number(/#(\d+)/.exec(dull.text)?.[1]);
  expect((await agent.call('forget', { unitId })).text).toMatch(/^Taken out of .*printer/);
  await agent.call('tasks', { action: 'add', task: 'Call Ann', due: '2030-01-02' });
  await agent.call('tasks', { action: 'add', task: '牛乳を買う' });
  expect((await agent.call('tasks', { action: 'done', task: 'Call Ann' })).isError).toBe(false);
  const { text } = await agent.call('journal', { text: 'Wrote the parser; tests are next.' });
  return /journal\/\S+\.md/.exec(text)?.[0] ?? '';
}

export const JOURNAL_LINE = /^- \d\d:\d\d Wrote the parser; tests are next\.$/m;

/** Checks the files as a user would read them. */
export function expectNotesIn(notes: NotesFolder): void {
  expect(notes.read('user/preferences.md')).toMatch(/^- \d{4}-\d\d-\d\d: 紅茶より緑茶が好き。$/m);
  expect(notes.read('user/entities.md')).toContain('七月九日');
  expect(notes.read('TASKS.md')).toMatch(/^- \[x\] Call Ann.*\n- \[ \] 牛乳を買う$/m);
  expect(notes.read('agent/notes.md')).not.toContain('printer');
}

/** Another session finds it by every operation. */
export async function expectNotesRemembered(agent: Agent, notes: NotesFolder): Promise<void> {
  const recall = async (utterance: string) => (await agent.call('recall', { utterance })).text;
  expect(await recall('緑茶と紅茶、どちらが好き？')).toContain('緑茶が好き');
  expect(await recall('他的生日是什么时候？')).toContain('七月九日');
  expect(await recall('What did I do today?')).toContain('Wrote the parser');
  expect(await recall('Where is the old printer?')).not.toContain('floor two');
  expect((await agent.call('tasks', { action: 'list' })).text).toMatch(/^\[ \] \w+: 牛乳を買う$/);
  const { resources } = await agent.client.listResources();
  expect(resources.map(({ name }) => name)).toContain('user/preferences.md');
  for (const { uri, name } of resources) {
    const { contents } = await agent.client.readResource({ uri });
    expect(contents[0]).toMatchObject({ text: notes.read(name) });
  }
}

/** A user edits a file while the agent works. Returns the file's final content: the lines of both. */
export async function editConcurrently(agent: Agent, notes: NotesFolder): Promise<string> {
  await agent.call('edit_note', { uri: 'agent/team.md', append: '# Team\n\n- Ann leads\n' });
  const { text } = await agent.call('read_note', { uri: 'agent/team.md' });
  notes.write('agent/team.md', '# Team\n\n- Ann leads\n- 花さんは設計を担当\n');
  notes.write('agent/新しい.md', '# 合言葉\n\n- 山と川\n');
  const recalled = async (utterance: string) => (await agent.call('recall', { utterance })).text;
  await vi.waitFor(async () => expect(await recalled('設計は誰の担当？')).toContain('花さん'), WAIT);
  await vi.waitFor(async () => expect(await recalled('合言葉は？')).toContain('山と川'), WAIT);
  const expectedHash = /hash (\w+)/.exec(text)?.[1];
  const late = await agent.call('edit_note', { uri: 'agent/team.md', text: '# Team\n', expectedHash });
  expect(late).toMatchObject({ isError: true, text: expect.stringMatching(/^NOTE_CONFLICT: /) as string });
  await agent.call('edit_note', { uri: 'agent/team.md', append: '- Mori tests\n' });
  return notes.read('agent/team.md');
}

/** The lines of both, in order. */
export const EDITED_BESIDE = '# Team\n\n- Ann leads\n- 花さんは設計を担当\n- Mori tests\n';

const WAIT = { timeout: 10_000, interval: 100 };
