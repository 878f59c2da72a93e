import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateText, isStepCount, type ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemory, type Memory } from '../../engine/engine.ts';
import { countTokens } from '../../text/text.ts';
import { temporaryFolder } from '../../../test/temporary.ts';
import { memoryTools, type AgentMemory } from './tools.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

async function open(notes?: { readonly global: string }): Promise<Memory> {
  const memory = await openMemory({
    dataDir: temporaryFolder(),
    ...(notes && { notes }),
    timeZone: 'Asia/Tokyo',
    embedder: null,
    learn: false,
    worker: false,
  });
  onTestFinished(() => memory.close());
  return memory;
}

async function tell(memory: Memory, words: string, occurredAt = '2026-03-29T21:00'): Promise<void> {
  await memory.add({ conversationId: 'c', speaker: 'user', text: words, occurredAt });
}

/** The fields of tool outputs that these tests use. */
interface Output {
  readonly outcome: string;
  readonly id: number;
  readonly found: readonly { readonly id: number; readonly text: string }[];
  readonly tasks: readonly { readonly id: string }[];
  readonly leftOut: number;
  readonly cursor?: string;
  readonly confirm: string;
  readonly samples: unknown;
  readonly receipt: unknown;
}

/** The result of a tool call that a model makes: its output or its error. */
async function call(tools: ToolSet, toolName: string, input: unknown) {
  const asks = { type: 'tool-call', toolCallId: '1', toolName, input: JSON.stringify(input) } as const;
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [asks],
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    },
  });
  const { content } = await generateText({ model, tools, prompt: 'Go on.', stopWhen: isStepCount(1) });
  const result = content.find((part) => part.type === 'tool-result');
  const error = content.find((part) => part.type === 'tool-error');
  return { output: result?.output as Output, error: error && String(error.error) };
}

const tools = (memory: AgentMemory, budgetTokens?: number): ToolSet =>
  memoryTools(memory, budgetTokens === undefined ? {} : { budgetTokens });

describe('recall and explore', () => {
  test.each([
    ['那須塩原の吊り橋、風ですごく揺れたよ。', '吊り橋のこと'],
    ['那须盐原的吊桥晃得好厉害。', '那座吊桥'],
    ['The suspension bridge swayed like mad.', 'that bridge'],
  ])('return what was said, with its date and speaker: %s', async (told, query) => {
    const memory = await open();
    await tell(memory, told);
    const recalled = await call(tools(memory), 'recall', { utterance: query });
    const found = [
      {
        id: expect.any(Number),
        kind: 'episode',
        date: '2026-03-29',
        speaker: 'user',
        text: told,
        relevance: expect.any(String),
        why: expect.any(String),
      },
    ];
    expect(recalled.output).toEqual({ found, leftOut: 0 });
    const explored = await call(tools(memory), 'explore', { period: '2026-03-29' });
    expect(explored.output.found).toMatchObject([{ date: '2026-03-29', text: told }]);
  });

  test('explore continues at its cursor', async () => {
    const memory = await open();
    for (let i = 1; i <= 5; i++) await tell(memory, `Bridge number ${i} swayed.`, `2026-03-0${i}T12:00`);
    const seen: string[] = [];
    let page: { cursor?: string } = {};
    do {
      const { output } = await call(tools(memory), 'explore', { keywords: ['bridge'], limit: 2, ...page });
      seen.push(...output.found.map(({ text }) => text));
      page = output.cursor === undefined ? {} : { cursor: output.cursor };
    } while (page.cursor !== undefined);
    expect(seen.toSorted()).toEqual([1, 2, 3, 4, 5].map((i) => `Bridge number ${i} swayed.`));
  });

  test.each(['recall', 'explore'])(
    '%s keeps its token budget, and returns how many results it left out',
    async (name) => {
      const memory = await open();
      const things = '山 川 海 空 雨 雪 風 花 木 石 火 水 土 金 月 星 鳥 魚 犬 猫'.split(' ');
      for (const thing of things) await tell(memory, `吊り橋と${`${thing}の話をした。`.repeat(60)}`);
      const input = name === 'recall' ? { utterance: '吊り橋', limit: 20 } : { text: '吊り橋', limit: 20 };
      const { output } = await call(tools(memory, 500), name, input);
      expect(output.found.length).toBeGreaterThan(0);
      expect(countTokens(JSON.stringify(output.found))).toBeLessThanOrEqual(500);
      expect(output.leftOut).toBeGreaterThan(0);
      expect(output.leftOut).toBeLessThanOrEqual(20 - output.found.length);
    },
  );

  test.each([
    ['recall', {}],
    ['recall', { utterance: ' ' }],
    ['recall', { utterance: 'x', limit: 0 }],
    ['explore', {}],
    ['explore', { text: 'x', emotion: 'hunger' }],
    ['explore', { from: 'whenever' }],
    ['explore', { text: 'x', cursor: 'nonsense' }],
    ['explore', { text: 'x', unknown: 1 }],
    ['remember', { text: ' ' }],
    ['remember', { text: 'x', type: 'secret' }],
    ['forget', { unitId: 'x' }],
    ['forget', { unitId: 4_711 }],
    ['forget', { everything: true }],
    ['forget', { forGood: true }],
    ['forget', { everything: true, forGood: true, confirm: 'yes' }],
  ])('%s returns an error to the model for %j', async (name, input) => {
    const { output, error } = await call(tools(await open()), name, input);
    expect(output).toBeUndefined();
    expect(error).toMatch(/\S/);
  });
});

describe('remember and forget', () => {
  test('a statement is stored once and recalled until it is forgotten', async () => {
    const memory = await open();
    const words = { text: '甘いものは苦手。', type: 'preference' };
    const added = await call(tools(memory), 'remember', words);
    expect(added.output).toEqual({ outcome: 'added', id: expect.any(Number), text: words.text });
    const { id } = added.output;
    expect((await call(tools(memory), 'remember', words)).output).toMatchObject({
      outcome: 'reinforced',
      id,
    });
    expect((await call(tools(memory), 'recall', { utterance: '甘いもの' })).output.found).toMatchObject([
      { id, text: '甘いものは苦手。' },
    ]);
    expect((await call(tools(memory), 'forget', { unitId: id })).output.outcome).toBe('archived');
    expect((await call(tools(memory), 'forget', { unitId: id })).output.outcome).toBe('unchanged');
    expect((await call(tools(memory), 'recall', { utterance: '甘いもの' })).output.found).toEqual([]);
  });
});

describe('forget for good', () => {
  test.each([
    ['吊り橋が揺れたよ。', '好きなのは海。'],
    ['吊桥晃得厉害。', '我喜欢大海。'],
    ['The bridge swayed.', 'I like the sea.'],
  ])('erases a conversation after a preview: %s', async (told, other) => {
    const memory = await open();
    await tell(memory, told);
    await memory.add({ conversationId: 'other', speaker: 'user', text: other });
    const asked = { conversation: 'c', forGood: true };
    const { output } = await call(tools(memory), 'forget', asked);
    expect(output).toMatchObject({
      outcome: 'preview',
      hasChanged: false,
      counts: { episode: 1, fact: 0 },
      samples: [{ id: expect.any(Number), kind: 'episode', text: told }],
      leftOut: 0,
    });
    expect((await memory.admin.verify()).forgotten).toBe(0);
    const { output: erased } = await call(tools(memory), 'forget', { ...asked, confirm: output.confirm });
    expect(erased).toMatchObject({ outcome: 'erased', counts: { episode: 1 } });
    expect(await memory.admin.verify({ receipt: erased.receipt })).toMatchObject({
      forgotten: 1,
      problems: [],
    });
    expect((await call(tools(memory), 'recall', { utterance: other })).output.found).toHaveLength(1);
  });

  test('gives a new preview when something else would go', async () => {
    const memory = await open();
    await tell(memory, 'The bridge swayed.');
    const fact = await memory.units.add({
      content: { kind: 'fact', payload: { subject: 'Hana', predicate: 'likes', object: 'bridges' } },
    });
    const asked = { units: [1, fact.id], forGood: true };
    const { output } = await call(tools(memory), 'forget', asked);
    await memory.units.update({ unitId: fact.id, set: { salience: 0.9 }, reason: 'edited' });
    const { output: again } = await call(tools(memory), 'forget', { ...asked, confirm: output.confirm });
    expect(again).toMatchObject({ outcome: 'preview', hasChanged: true, counts: { episode: 1, fact: 1 } });
    const { output: erased } = await call(tools(memory), 'forget', { ...asked, confirm: again.confirm });
    expect(erased.outcome).toBe('erased');
  });

  test('keeps its preview and its receipt within the budget', async () => {
    const memory = await open();
    for (let i = 0; i < 12; i++) await tell(memory, `吊り橋と${`山${i}の話をした。`.repeat(60)}`);
    const units = (await memory.units.list({}, { limit: 100 }))
      .map(({ id }) => id)
      .filter((id) => id % 2 === 0);
    const asked = { units, forGood: true };
    const { output } = await call(tools(memory, 500), 'forget', asked);
    expect(countTokens(JSON.stringify(output.samples))).toBeLessThanOrEqual(500);
    const { output: erased } = await call(tools(memory, 500), 'forget', {
      ...asked,
      confirm: output.confirm,
    });
    expect(erased.outcome).toBe('erased');
    expect(countTokens(JSON.stringify(erased.receipt))).toBeLessThanOrEqual(500);
  });
});

test('forgetting a secret does not return its text', async () => {
  const memory = await open();
  const content = { kind: 'loop', payload: { text: 'the safe opens with 4711' } } as const;
  const { id } = await memory.units.add({ sensitivity: 'secret', content });
  const { output } = await call(tools(memory), 'forget', { unitId: id });
  expect(output.outcome).toBe('archived');
  expect(JSON.stringify(output)).not.toContain('4711');
});

test('rejects a budget that is too small for a result', async () => {
  const memory = await open();
  expect(() => memoryTools(memory, { budgetTokens: 100 })).toThrow(/500/);
});

describe('with a folder of notes', () => {
  test('a statement becomes a line of a note file and is found there', async () => {
    const folder = temporaryFolder();
    const memory = await open({ global: folder });
    const words = { text: 'パクチーは苦手。', type: 'preference' };
    expect((await call(tools(memory), 'remember', words)).output).toMatchObject({
      outcome: 'added',
      uri: 'user/preferences.md',
    });
    expect((await call(tools(memory), 'remember', words)).output.outcome).toBe('reinforced');
    expect(readFileSync(join(folder, 'user/preferences.md'), 'utf8').match(/パクチー/g)).toHaveLength(1);
    const { output } = await call(tools(memory), 'recall', { utterance: '私の好みは？' });
    expect(output.found).toMatchObject([
      { kind: 'note', uri: 'user/preferences.md', id: expect.any(Number) },
    ]);
    expect(output.found[0]?.text).toContain('パクチーは苦手。');
  });

  test('forgets the named item, and rejects a request that would remove several', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'user'));
    const path = join(folder, 'user/preferences.md');
    writeFileSync(
      path,
      '# Preferences\n\n- 2026-03-01: no coriander\n- tea, never coffee\n\n## Music\n\n- jazz\n',
    );
    const memory = await open({ global: folder });
    const { output } = await call(tools(memory), 'recall', { utterance: 'what are my preferences?' });
    const [food, music] = output.found;
    expect(food?.text).toContain('no coriander');
    const refused = await call(tools(memory), 'forget', { unitId: food?.id });
    expect(refused.error).toContain('- tea, never coffee');
    const forgotten = await call(tools(memory), 'forget', {
      unitId: food?.id,
      item: '- 2026-03-01: no coriander',
    });
    expect(forgotten.output.outcome).toBe('removed');
    await call(tools(memory), 'forget', { unitId: music?.id });
    expect(readFileSync(path, 'utf8').trim()).toBe('# Preferences\n\n- tea, never coffee');
  });

  test('adds, lists and completes tasks, and writes the journal', async () => {
    const folder = temporaryFolder();
    const memory = await open({ global: folder });
    const add = await call(tools(memory), 'tasks', { action: 'add', task: '牛乳を買う', due: '2026-03-05' });
    const [task] = add.output.tasks;
    expect(task).toEqual({ id: expect.any(String), text: '牛乳を買う', done: false, due: '2026-03-05' });
    expect((await call(tools(memory), 'tasks', { action: 'list' })).output.tasks).toEqual([task]);
    await call(tools(memory), 'tasks', { action: 'done', task: task?.id });
    expect((await call(tools(memory), 'tasks', { action: 'list' })).output.tasks).toEqual([]);
    const all = await call(tools(memory), 'tasks', { action: 'list', withDone: true });
    expect(all.output.tasks).toEqual([{ ...task, done: true }]);
    await call(tools(memory), 'journal', { text: '書き終えた' });
    const [day = ''] = readdirSync(join(folder, 'journal'));
    expect(readFileSync(join(folder, 'journal', day), 'utf8')).toContain('書き終えた');
  });

  test.each([
    ['tasks', { action: 'add' }],
    ['tasks', { action: 'add', task: 'x', due: 'whenever' }],
    ['tasks', { action: 'done', task: 'never added' }],
    ['tasks', { action: 'drop' }],
    ['journal', { text: ' ' }],
    ['remember', { text: ' ' }],
  ])('%s returns an error to the model for %j', async (name, input) => {
    const { output, error } = await call(tools(await open({ global: temporaryFolder() })), name, input);
    expect(output).toBeUndefined();
    expect(error).toMatch(/\S/);
  });
});

test('tools for notes exist only when the memory has notes', async () => {
  expect(Object.keys(tools(await open()))).toEqual(['recall', 'explore', 'remember', 'forget']);
});
