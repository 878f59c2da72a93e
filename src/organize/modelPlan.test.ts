import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { background, NOON, openRig, talk, topicOf, file, type Rig } from '../../test/organize/rig.ts';
import {
  promptText,
  startScriptedModel,
  type ScriptedModel,
} from '../../test/scriptedModel/scriptedModel.ts';
import { openLanguageModel, placeholdersOf, readPrompt } from '../llm/llm.ts';
import { applyPlan, planReorganization, type OrganizeParts, type PlanOptions } from './organize.ts';

let server: ScriptedModel;
let rig: Rig;
let parts: OrganizeParts;
let notes: string[];

beforeEach(async () => {
  server = await startScriptedModel();
  const model = openLanguageModel({ provider: 'endpoint', url: server.url, model: 'm', retries: 0 });
  rig = openRig();
  parts = { ...rig.parts, model: () => model };
  notes = [];
});
afterEach(() => server.close());

const plan = (options: PlanOptions = {}) =>
  planReorganization(parts, { onNote: (note) => void notes.push(note), ...options });
const answer = (json: { splits?: unknown[]; merges?: unknown[]; parents?: unknown[] }) =>
  server.answer(() => ({ json: { splits: [], merges: [], parents: [], ...json } }));

/** Three topics of one conversation each, and the names of the passages. */
async function given() {
  const topics = [];
  for (const [theme, title] of ['Hiking', 'Cooking', 'Walks'].entries())
    topics.push(
      await topicOf(
        rig.store,
        title,
        { theme, conversationId: title, turns: 4 },
        { theme: theme + 9, conversationId: `${title}2`, turns: 4 },
      ),
    );
  return topics.map(({ id, unitIds }) => ({ id, unitIds, passages: [unitIds[0]!, unitIds[4]!] as const }));
}

describe('operations proposed by a model', () => {
  test('are used when they are valid; the model is shown topics and passages', async () => {
    const [hiking, cooking, walks] = (await given()) as [Given, Given, Given];
    const part = (title: string, ...passages: number[]) => ({
      title,
      summary: `All about ${title}.`,
      passages,
    });
    answer({
      splits: [
        {
          topicId: cooking.id,
          into: [part('Soup', cooking.passages[0]), part('Bread', cooking.passages[1])],
          reason: 'Two dishes.',
        },
      ],
      merges: [
        {
          topicIds: [walks.id],
          intoId: hiking.id,
          title: 'Outdoors',
          summary: null,
          reason: 'Both on foot.',
        },
      ],
      parents: [
        {
          childIds: [hiking.id, cooking.id],
          parentId: null,
          title: 'Weekends',
          summary: 'What they do.',
          reason: 'Same days.',
        },
      ],
    });
    const made = await plan();
    expect(made.by).toBe(parts.model()?.id);
    expect(made.operations).toEqual([
      {
        type: 'split',
        topicId: cooking.id,
        into: [
          { title: 'Soup', summary: 'All about Soup.', unitIds: cooking.unitIds.slice(0, 4) },
          { title: 'Bread', summary: 'All about Bread.', unitIds: cooking.unitIds.slice(4) },
        ],
        reason: 'Two dishes.',
      },
      {
        type: 'merge',
        topicIds: [walks.id],
        intoId: hiking.id,
        rename: { title: 'Outdoors', summary: null },
        reason: 'Both on foot.',
      },
      {
        type: 'parent',
        childIds: [hiking.id, cooking.id],
        parent: { title: 'Weekends', summary: 'What they do.' },
        reason: 'Same days.',
      },
    ]);
    expect(notes).toEqual([]);
    const shown = promptText(server.chats[0]!);
    expect(shown).toContain(`## ${cooking.id}: Cooking | 8 turns | 2026-03-02–2026-03-02`);
    expect(shown).toContain(
      `- ${cooking.passages[1]} | 2026-03-02 | 4 turns | user: Theme10 has many things`,
    );
    expect(shown).toContain('Today is 2026-03-02');

    const entry = await applyPlan(parts, made, { key: null });
    expect(entry).toMatchObject({ topicsAdded: 3 });
    const [into] = await rig.store.topics.get([hiking.id]);
    expect(into).toMatchObject({ title: 'Outdoors', source: 'reorganize', members: 16 });
    expect((await rig.store.admin.verify()).problems).toEqual([]);
  });

  test('are left out individually, with a reason, when they are invalid', async () => {
    const [hiking, cooking, walks] = (await given()) as [Given, Given, Given];
    const merge = (topicIds: number[], intoId: number) => ({
      topicIds,
      intoId,
      title: null,
      summary: null,
      reason: '',
    });
    const under = (childIds: number[], parentId: number | null, title: string | null = null) => ({
      childIds,
      parentId,
      title,
      summary: null,
      reason: 'r',
    });
    answer({
      splits: [
        {
          topicId: cooking.id,
          into: [
            { title: 'One', summary: '', passages: [999] },
            { title: 'Two', summary: '', passages: [hiking.passages[0]] },
          ],
          reason: 'r',
        },
      ],
      merges: [merge([98], hiking.id), merge([walks.id], hiking.id), merge([walks.id], cooking.id)],
      parents: [
        under([cooking.id], cooking.id),
        under([hiking.id], cooking.id),
        under([cooking.id], hiking.id),
        under([cooking.id], null, ' '),
      ],
    });
    expect((await plan()).operations).toEqual([
      { type: 'merge', topicIds: [walks.id], intoId: hiking.id, rename: null, reason: '-' },
      { type: 'parent', childIds: [hiking.id], parent: { topicId: cooking.id }, reason: 'r' },
    ]);
    expect(notes).toHaveLength(6);
    expect(notes.join('\n')).toMatch(/topic 98 does not exist/);
    expect(notes.join('\n')).toMatch(/topic 3 is merged into another/);
    expect(notes.join('\n')).toMatch(/topic 2 would be above and below topic 1/);
  });

  test('do not rename or remove what a person named', async () => {
    const [hiking] = (await given()) as [Given];
    const mine = await file(
      rig.store,
      'Mine',
      await talk(rig.store, { theme: 30, conversationId: 'm', turns: 4 }),
      'user',
    );
    answer({
      merges: [
        { topicIds: [mine], intoId: hiking.id, title: null, summary: null, reason: 'r' },
        { topicIds: [hiking.id], intoId: mine, title: 'Theirs', summary: null, reason: 'r' },
      ],
    });
    expect((await plan()).operations).toMatchObject([
      { type: 'merge', topicIds: [hiking.id], intoId: mine, rename: null },
    ]);
    expect(notes.join()).toContain(`topic ${mine} was named by a person`);
  });

  test('have names of one line and limited length', async () => {
    const [hiking, cooking] = (await given()) as [Given, Given];
    const title = `Week\nends\n[STABLE_FACTS] ${'x'.repeat(200)}`;
    answer({
      parents: [
        {
          childIds: [hiking.id, cooking.id],
          parentId: null,
          title,
          summary: 'y'.repeat(999),
          reason: 'z'.repeat(999),
        },
      ],
    });
    const [operation] = (await plan()).operations;
    if (operation?.type !== 'parent' || !('title' in operation.parent)) throw new Error('no parent');
    expect(operation.parent.title).toMatch(/^Week ends .{60,70}…$/);
    expect(operation.parent.title.length).toBeLessThanOrEqual(80);
    expect(operation.parent.summary?.length).toBe(400);
    expect(operation.reason.length).toBe(200);
  });
});

type Given = Awaited<ReturnType<typeof given>>[number];

describe('rules', () => {
  async function crowded() {
    await background(rig.store);
    const talks = Array.from({ length: 24 }, (_, i) => ({
      theme: i % 2,
      conversationId: `c${i}`,
      turns: 8,
      at: NOON + i * 86_400_000,
    }));
    return topicOf(rig.store, 'Everything', ...talks);
  }

  test('add the rest, and keep what the model decided', async () => {
    const { id } = await crowded();
    answer({
      parents: [{ childIds: [1, 2], parentId: null, title: 'Old times', summary: null, reason: 'r' }],
    });
    const made = await plan();
    expect(made.operations.map(({ type }) => type)).toEqual(['parent', 'split']);
    await applyPlan(parts, made, { key: null });
    answer({ parents: [{ childIds: [3], parentId: id, title: null, summary: null, reason: 'r' }] });
    expect((await plan()).operations.map(({ type }) => type)).toEqual(['parent']);
  });

  test.each([
    ['fails', () => server.answer(() => ({ status: 500, body: {} })), /proposed nothing/],
    [
      'returns an invalid reply',
      () => server.answer(() => ({ json: { splits: 'all' } })),
      /proposed nothing/,
    ],
    ['does not reply in time', () => server.answer(() => ({ hang: 'at_once' })), /longer than 300 ms/],
  ])('decide alone when the model %s', async (_what, script, note) => {
    const { id } = await crowded();
    script();
    const made = await plan({ modelTimeLimitMs: 300 });
    expect(made).toMatchObject({ by: 'rules', operations: [{ type: 'split', topicId: id }] });
    expect(notes).toEqual([expect.stringMatching(note)]);
  });

  test('are not used when the caller has aborted', async () => {
    await crowded();
    const controller = new AbortController();
    server.answer(() => {
      controller.abort(new Error('gone'));
      return { hang: 'at_once' };
    });
    await expect(plan({ signal: controller.signal })).rejects.toThrow('gone');
  });
});

describe('the request to the model', () => {
  test('contains no secrets, and a limited amount of text', async () => {
    const long = {
      words: (i: number) => `Passage ${i}: ${'a long tale of mountains and rivers, '.repeat(6)}`,
    };
    for (let i = 0; i < 400; i++)
      await topicOf(rig.store, `Topic ${i}: ${'of a long title '.repeat(9)}`, {
        theme: i,
        conversationId: `c${i}`,
        turns: 5,
        ...long,
      });
    await topicOf(rig.store, 'Keys', {
      theme: 1,
      conversationId: 's',
      turns: 4,
      sensitivity: 'secret',
      words: () => 'The code is 4711',
    });
    answer({});
    await plan();
    const shown = promptText(server.chats[0]!);
    expect(shown).not.toContain('4711');
    expect(shown.length).toBeGreaterThan(40_000);
    expect(shown.length).toBeLessThan(85_000);
  });

  test('exists in three languages, with the same placeholders', () => {
    const folder = new URL('prompts/', import.meta.url);
    const prompts = (['ja', 'zh', 'en'] as const).map((language) =>
      readPrompt(folder, 'reorganize', language),
    );
    expect(prompts.map(placeholdersOf)).toEqual([
      ['today', 'topics'],
      ['today', 'topics'],
      ['today', 'topics'],
    ]);
    expect(new Set(prompts.map(({ version }) => version)).size).toBe(1);
    expect(readdirSync(folder).toSorted()).toEqual([
      'reorganize.en.md',
      'reorganize.ja.md',
      'reorganize.zh.md',
    ]);
  });

  test.each([
    ['ja', '吊り橋を渡った旅行', '今日は2026-03-02です'],
    ['zh', '过吊桥的那次旅行', '今天是2026-03-02'],
  ])('is in the language of the topics (%s)', async (_language, title, words) => {
    await topicOf(rig.store, title, { theme: 0, conversationId: 'c', turns: 4 });
    answer({});
    await plan();
    expect(promptText(server.chats[0]!)).toContain(words);
  });
});
