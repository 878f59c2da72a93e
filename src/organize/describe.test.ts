import { expect, test } from 'vitest';
import { keep, NOON, openRig, topicOf } from '../../test/organize/rig.ts';
import { DAY_MS, type ReorganizationPlan } from '../model/model.ts';
import { describePlan } from './organize.ts';

const WORDS = {
  en: { bridge: 'The suspension bridge', bath: 'The hot spring', tea: 'tea', reason: 'so it is' },
  ja: { bridge: '吊り橋を渡った日', bath: '温泉に入った夜', tea: 'ほうじ茶', reason: 'そうだから' },
  zh: { bridge: '过吊桥的那天', bath: '泡温泉的晚上', tea: '乌龙茶', reason: '就是这样' },
} as const;

async function describedIn(language: keyof typeof WORDS): Promise<string[]> {
  const { store } = openRig();
  const words = WORDS[language];
  const bridge = await topicOf(
    store,
    words.bridge,
    { theme: 0, conversationId: 'a', turns: 3 },
    { theme: 0, conversationId: 'b', turns: 2, at: NOON + DAY_MS },
  );
  const bath = await topicOf(store, words.bath, { theme: 1, conversationId: 'c', turns: 1 });
  const fact = (object: string, more: object = {}) =>
    keep(store, { content: { kind: 'fact', payload: { subject: 'user', predicate: '=', object } }, ...more });
  const [one, other, secret] = [
    await fact(words.tea),
    await fact(words.tea),
    await fact('4711', { sensitivity: 'secret' }),
  ];
  const { reason } = words;
  const part = (unitIds: number[]) => ({ title: words.bath, summary: null, unitIds });
  const plan: ReorganizationPlan = {
    at: NOON,
    by: 'rules',
    operations: [
      {
        type: 'split',
        topicId: bridge.id,
        into: [part(bridge.unitIds.slice(0, 1)), part(bridge.unitIds.slice(2, 4))],
        reason,
      },
      {
        type: 'merge',
        topicIds: [bath.id],
        intoId: 99,
        rename: { title: words.bridge, summary: null },
        reason,
      },
      { type: 'parent', childIds: [bath.id], parent: { title: words.bridge, summary: null }, reason },
      { type: 'mergeUnits', unitIds: [other.id], intoId: one.id, reason },
      {
        type: 'archiveUnits',
        unitIds: [secret.id, ...Array.from({ length: 12 }, (_, i) => 500 + i)],
        reason,
      },
    ],
    refresh: [bridge.id, bath.id],
  };
  return describePlan(store, plan);
}

test('a plan is described in English', async () => {
  expect(await describedIn('en')).toEqual([
    'Reorganisation of 2026-03-02, proposed by rules',
    'Split “The suspension bridge” (#1, 5) into:',
    '  “The hot spring”: 1 turn, 2026-03-02',
    '  “The hot spring”: 2 turns, 2026-03-02–2026-03-03',
    '  2 turns stay where they are',
    '  because: so it is',
    'Merge “The hot spring” (#2, 1) into #99',
    '  renamed “The suspension bridge”',
    '  because: so it is',
    'New topic “The suspension bridge” above 1:',
    '  “The hot spring” (#2, 1)',
    '  because: so it is',
    'Merge 1 that says the same into “user = tea”:',
    '  “user = tea”',
    '  because: so it is',
    'Archive 13:',
    // Secrets are left out, and of many quotes only some are shown.
    '  #9',
    ...Array.from({ length: 9 }, (_, i) => `  #${500 + i}`),
    '  and 3 more',
    '  because: so it is',
    'Recompute strength, centre and feeling of 2 topics',
  ]);
});

test('a plan is described in Japanese', async () => {
  expect((await describedIn('ja')).slice(0, 9)).toEqual([
    '2026-03-02 の整理案（作成：規則）',
    '「吊り橋を渡った日」（#1、5件）を分ける：',
    '  「温泉に入った夜」：1件、2026-03-02',
    '  「温泉に入った夜」：2件、2026-03-02–2026-03-03',
    '  2件はそのまま',
    '  理由：そうだから',
    '「温泉に入った夜」（#2、1件）を#99にまとめる',
    '  新しい名前は「吊り橋を渡った日」',
    '  理由：そうだから',
  ]);
});

test('a plan is described in Chinese', async () => {
  expect((await describedIn('zh')).slice(0, 9)).toEqual([
    '2026-03-02 的整理方案（提出者：规则）',
    '把“过吊桥的那天”（#1，5条）分为：',
    '  “泡温泉的晚上”：1条，2026-03-02',
    '  “泡温泉的晚上”：2条，2026-03-02–2026-03-03',
    '  2条保持不动',
    '  原因：就是这样',
    '把“泡温泉的晚上”（#2，1条）并入#99',
    '  改名为“过吊桥的那天”',
    '  原因：就是这样',
  ]);
});

test('an empty plan is described in the requested language', async () => {
  const { store } = openRig();
  const plan: ReorganizationPlan = { at: NOON, by: 'http://localhost/v1#m', operations: [], refresh: [] };
  expect(await describePlan(store, plan, 'ja')).toEqual([
    '2026-03-02 の整理案（作成：http://localhost/v1#m）',
    '整理することはありません。',
  ]);
});
