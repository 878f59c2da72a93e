import { describe, expect, test } from 'vitest';
import { ExploreRig, idsOf, itemsOf } from '../../../test/explore/rig.ts';
import type { Embedder } from '../../llm/llm.ts';
import { add, note } from '../../../test/conformance/samples.ts';
import type { Exploration, ExploreOptions, ExploreQuery } from './explore.ts';

/** Small talk. */
const SMALL_TALK = [
  '今日は会議が長かった。',
  '洗濯物が乾かないね。',
  '昼は蕎麦にした。',
  '今天开会开了很久。',
  '衣服一直晾不干。',
  '中午吃了面条。',
  'The meeting took all morning.',
  'My laundry never dries.',
  'I had soup for lunch.',
];

interface Trip {
  readonly language: string;
  readonly title: string;
  readonly asked: string;
  readonly turns: readonly string[];
}

const TRIPS: readonly Trip[] = [
  {
    language: 'Japanese',
    title: '那須塩原へ一緒に旅行した',
    asked: '那須塩原の旅行',
    turns: [
      '那須塩原の吊り橋の写真、送ったよ。めっちゃ揺れたね…',
      '温泉の宿も静かでよかった。',
      '帰りに食べた苺、甘かったなあ。',
    ],
  },
  {
    language: 'Chinese',
    title: '一起去张家界旅行',
    asked: '张家界旅行',
    turns: ['张家界玻璃桥的照片发给你了，晃得好厉害……', '山上的旅馆也很安静。', '回来路上吃的草莓真甜。'],
  },
  {
    language: 'English',
    title: 'Trip to Capilano together',
    asked: 'the Capilano trip',
    turns: [
      'I sent you the photo of the Capilano bridge. It was swaying so much…',
      'The inn by the river was quiet too.',
      'Those strawberries on the way back were so sweet.',
    ],
  },
];

describe.each(TRIPS)('a trip among small talk, in $language', ({ title, asked, turns }) => {
  const live = async () => {
    const rig = new ExploreRig();
    await rig.topic('small talk', await rig.say(...repeat(SMALL_TALK, 100)));
    const [first, second] = await rig.say(...turns.slice(0, 2));
    await rig.topic('more small talk', await rig.say(...repeat(SMALL_TALK, 97)));
    // The oldest turn is stored last.
    const [third] = await rig.say({ text: turns[2]!, at: '2026-01-01T08:00Z', conversationId: 'd' });
    const unitIds = [third!, first!, second!];
    return { rig, unitIds, topicId: await rig.topic(title, [first!, second!, third!]) };
  };

  test('is found by topic id and title, in order of time', async () => {
    const { rig, unitIds, topicId } = await live();
    for (const topic of [topicId, title, asked]) {
      const answer = await rig.explore({ topic });
      expect(answer.view).toBe('timeline');
      expect(idsOf(answer)).toEqual(unitIds);
      expect(answer).toMatchObject({
        understood: { topic: { id: topicId, title } },
        nothing: null,
        nextCursor: null,
      });
    }
  });

  test('is quoted word for word, with a pointer that opens the turn', async () => {
    const { rig, unitIds } = await live();
    const answer = await rig.explore({ text: turns[0]! });
    if (answer.view !== 'quote') throw new Error(`a ${answer.view}`);
    const [best] = answer.quotes;
    expect(best!.unitId).toBe(unitIds[1]);
    const { conversationId, turnIndex, quote } = best!;
    const page = { afterId: 0, limit: 1_000, conversationId: conversationId! };
    const turn = (await rig.store.evidence.page(page)).find((each) => each.turnIndex === turnIndex);
    expect(turn!.text.slice(quote.from, quote.to)).toBe(quote.text);
    expect(quote.text).toContain(turns[0]!.slice(0, 12));
  });

  test('is a topic with its episodes', async () => {
    const { rig, unitIds, topicId } = await live();
    const answer = await rig.explore({ text: asked }, { view: 'topic' });
    if (answer.view !== 'topic') throw new Error(`a ${answer.view}`);
    expect(answer.topics[0]).toMatchObject({ id: topicId, title, members: 3 });
    expect(new Set(answer.topics[0]!.episodes.map(({ unitId }) => unitId)).isSubsetOf(new Set(unitIds))).toBe(
      true,
    );
    expect(answer.topics[0]!.episodes.length).toBeGreaterThan(0);
  });
});

describe('a time expression', () => {
  const diary = async () => {
    const rig = new ExploreRig();
    const unitIds = await rig.say(
      {
        text: '海で泳いだ。 went swimming in the sea. 去海里游泳了。',
        at: '2025-07-20T10:00Z',
        conversationId: 'a',
      },
      { text: '月見をした。 watched the moon. 赏月了。', at: '2025-10-06T10:00Z', conversationId: 'b' },
      {
        text: '去年の夏は海で泳いだね。 last summer we went swimming. 去年夏天去游泳了。',
        at: '2026-01-15T10:00Z',
        conversationId: 'c',
      },
      { text: '雪かきをした。 shovelled snow. 扫雪了。', at: '2026-02-10T10:00Z', conversationId: 'd' },
    );
    return { rig, unitIds };
  };

  test.each([
    ['去年の夏', 0, '2025-06-01', '2025-09-01'],
    ['上个月', 3, '2026-02-01', '2026-03-01'],
    ['last summer', 0, '2025-06-01', '2025-09-01'],
    ['2025年10月', 1, '2025-10-01', '2025-11-01'],
  ])('%s, is parsed, reported and applied', async (period, found, from, to) => {
    const { rig, unitIds } = await diary();
    const answer = await rig.explore({ period });
    expect(answer.view).toBe('timeline');
    expect(idsOf(answer)).toEqual([unitIds[found]]);
    expect(answer.understood.period).toEqual({
      from: `${from}T00:00:00.000Z`,
      to: `${to}T00:00:00.000Z`,
      words: period,
    });
    expect(answer.why).toContain(from);
  });

  test('is relative to the time of the query', async () => {
    const { rig, unitIds } = await diary();
    expect(idsOf(await rig.explore({ period: 'last month' }, { now: '2025-11-20' }))).toEqual([unitIds[1]]);
  });

  test.each(['去年の夏に泳いだ海のこと', '去年夏天去游泳的事', 'swimming last summer'])(
    'within a sentence restricts events and the notes about them: %s',
    async (text) => {
      const { rig, unitIds } = await diary();
      const answer = await rig.explore({ text });
      expect(answer.view).toBe('quote');
      expect(idsOf(answer).toSorted((a, b) => a - b)).toEqual([unitIds[0], unitIds[2]]);
      expect(answer.understood.period?.from).toBe('2025-06-01T00:00:00.000Z');
      expect(answer.understood.text).not.toMatch(/去年|last summer/);
    },
  );

  test.each(['去年の夏のこと', '去年夏天我们聊了什么', 'what did we talk about last summer?'])(
    'that is a whole sentence is a period: %s',
    async (text) => {
      const { rig, unitIds } = await diary();
      const answer = await rig.explore({ text });
      expect(answer).toMatchObject({ view: 'timeline', understood: { text: null } });
      expect(idsOf(answer)).toEqual([unitIds[0]]);
    },
  );

  test('and a start date both apply', async () => {
    const { rig, unitIds } = await diary();
    expect(idsOf(await rig.explore({ period: '去年', from: '2025-08-01' }))).toEqual([unitIds[1]]);
    expect(idsOf(await rig.explore({ from: '2025-08-01', to: '2026-02-01' }))).toEqual([
      unitIds[1],
      unitIds[2],
    ]);
  });

  test('that has no time, or ends before it begins, is an error', async () => {
    const { rig } = await diary();
    await expect(rig.explore({ period: '海' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(rig.explore({ from: '2026-01-02', to: '2026-01-01' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(rig.explore({ from: 'soon' })).rejects.toMatchObject({ code: 'INVALID_TIME' });
  });
});

test('a timeline groups the turns of one conversation and day', async () => {
  const rig = new ExploreRig();
  const at = (hour: string, conversationId: string) => ({ text: `tea at ${hour}`, at: hour, conversationId });
  await rig.say(
    at('2026-01-01T10:00Z', 'a'),
    at('2026-01-01T10:01Z', 'a'),
    at('2026-01-01T10:02Z', 'b'),
    at('2026-01-01T10:03Z', 'a'),
    at('2026-01-02T00:00Z', 'a'),
  );
  const answer = await rig.explore({ keywords: 'tea' }, { view: 'timeline' });
  if (answer.view !== 'timeline') throw new Error(`a ${answer.view}`);
  expect(
    answer.groups.map(({ conversationId, date, items }) => [conversationId, date, items.length]),
  ).toEqual([
    ['a', '2026-01-01', 2],
    ['b', '2026-01-01', 1],
    ['a', '2026-01-01', 1],
    ['a', '2026-01-02', 1],
  ]);
});

describe('keywords', () => {
  const rigOf = async () => {
    const rig = new ExploreRig();
    await rig.say(
      'うどんを食べた。',
      '蕎麦を食べた。',
      '昨天吃了火锅和面条。',
      'I was walking my dog.',
      'うどんと蕎麦',
    );
    return rig;
  };
  test.each([
    ['うどん', ['うどんを食べた。', 'うどんと蕎麦']],
    ['うどん 蕎麦', ['うどんと蕎麦']],
    ['蕎麦', ['うどんと蕎麦', '蕎麦を食べた。']],
    ['火锅、面条', ['昨天吃了火锅和面条。']],
    [['walk', 'DOGS'], ['I was walking my dog.']],
    ['walk cat', []],
  ])('must all occur: %s', async (keywords, texts) => {
    const rig = await rigOf();
    const answer = await rig.explore({ keywords });
    expect(answer.view).toBe('quote');
    expect(
      itemsOf(answer)
        .map(({ quote }) => quote.text)
        .toSorted(),
    ).toEqual(texts.toSorted());
    for (const { why } of itemsOf(answer)) expect(why.sentence).toMatch(/を含む|含有|contains/);
  });

  test('restrict the results of a text', async () => {
    const rig = await rigOf();
    expect(itemsOf(await rig.explore({ text: '食べたもの', keywords: 'うどん' }))[0]?.quote.text).toBe(
      'うどんを食べた。',
    );
    expect(itemsOf(await rig.explore({ text: '食べたもの', keywords: '寿司' }))).toEqual([]);
  });
});

describe('an emotion', () => {
  const rigOf = async () => {
    const rig = new ExploreRig();
    const unitIds = await rig.say('the sea', 'the moon', 'the snow', 'the rain', 'a tea');
    await rig.feel(unitIds[0]!, { joy: 0.4, peace: 0.1 });
    await rig.feel(unitIds[1]!, { joy: 0.9 });
    await rig.feel(unitIds[2]!, { sadness: 0.9 });
    await rig.feel(unitIds[3]!, { sadness: 0.8, joy: 0.3 });
    return { rig, unitIds };
  };

  test('finds similar emotions, stronger ones first', async () => {
    const { rig, unitIds } = await rigOf();
    const answer = await rig.explore({ emotion: 'joy' });
    expect(answer.view).toBe('quote');
    expect(idsOf(answer)).toEqual([unitIds[1], unitIds[0]]);
    expect(itemsOf(answer)[0]!.why.contributions).toMatchObject([{ feature: 'emotion' }]);
    expect(idsOf(await rig.explore({ emotion: { values: { sadness: 1 }, confidence: 0.5 } }))).toEqual([
      unitIds[2],
      unitIds[3],
    ]);
  });

  test('restricts the results of words', async () => {
    const { rig, unitIds } = await rigOf();
    expect(idsOf(await rig.explore({ keywords: 'snow', emotion: 'joy' }))).toEqual([]);
    expect(idsOf(await rig.explore({ text: 'the snow', emotion: 'sadness' }))).toEqual([unitIds[2]]);
  });
});

test('an entity is found by its name, in another script too, and by its id', async () => {
  const rig = new ExploreRig();
  const unitIds = await rig.say('田中さんと会った。', '雨だった。', '田中さんから電話。');
  await rig.mention('田中', [unitIds[0]!, unitIds[2]!]);
  for (const entity of ['田中', '田中さん', 1]) {
    const answer = await rig.explore({ entity });
    expect(answer).toMatchObject({
      view: 'timeline',
      understood: { entity: { id: 1, name: '田中', type: 'person' } },
    });
    expect(idsOf(answer)).toEqual([unitIds[0], unitIds[2]]);
  }
  expect(idsOf(await rig.explore({ entity: '田中', keywords: '電話' }))).toEqual([unitIds[2]]);
});

describe('an unknown', () => {
  test.each([
    [{ topic: '月への旅' }, 'unknown_topic', '話題'],
    [{ topic: '去火星' }, 'unknown_topic', '话题'],
    [{ topic: 'a flight to Mars' }, 'unknown_topic', 'topic'],
    [{ entity: 'Zaphod' }, 'unknown_entity', 'person or thing'],
    [{ keywords: '象', text: 'ゾウの話' }, 'nothing_found', '見つからなかった'],
  ] as const)('name finds nothing and gives the reason: %o', async (query, reason, words) => {
    const rig = new ExploreRig();
    await rig.topic('tea', await rig.say('tea'));
    const answer = await rig.explore(query);
    expect(idsOf(answer)).toEqual([]);
    expect(answer.nothing?.reason).toBe(reason);
    expect(answer.nothing?.sentence).toContain(words);
    // The reason repeats the query as it was written.
    for (const asked of Object.values(query)) expect(answer.why).toContain(asked);
  });

  test.each([{ topic: 99 }, { entity: 99 }])('id is an error: %o', async (query) => {
    const rig = new ExploreRig();
    await rig.say('tea');
    await expect(rig.explore(query)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test.each([{}, { text: '  ' }, { emotion: 'boredom' }, { topic: 0 }, { keywords: [] }, { about: 'tea' }])(
    'option is an error: %o',
    async (query) => {
      const rig = new ExploreRig();
      await expect(rig.explore(query as ExploreQuery)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    },
  );
});

test('a merged topic is resolved to its successor', async () => {
  const rig = new ExploreRig();
  const unitIds = await rig.say('tea in the garden', 'tea in the park');
  const [from, into] = [await rig.topic('garden', [unitIds[0]!]), await rig.topic('parks', [unitIds[1]!])];
  await rig.store.journal.apply({
    key: null,
    plan: { at: rig.now, by: 'rules', operations: [], refresh: [] },
    topics: [
      { type: 'move', unitIds: [unitIds[0]!], from, to: into },
      { type: 'archive', topicId: from, successorId: into },
    ],
    units: [],
  });
  const answer = await rig.explore({ topic: from });
  expect(answer.understood.topic).toEqual({ id: into, title: 'parks' });
  expect(idsOf(answer)).toEqual(unitIds);
});

describe('secrets', () => {
  const rigOf = async () => {
    const rig = new ExploreRig();
    const [open, secret] = await rig.say('tea in the garden', {
      text: 'tea with the spy',
      sensitivity: 'secret',
    });
    return { rig, open: open!, secret: secret!, topicId: await rig.topic('tea with the spy', [secret!]) };
  };

  test('are found only on request, and so are topics made from them', async () => {
    const { rig, open, secret, topicId } = await rigOf();
    await rig.topic('tea', [open]);
    const views = ['quote', 'timeline', 'topic'] as const;
    for (const view of views) {
      expect(idsOf(await rig.explore({ text: 'tea with the spy' }, { view }))).toEqual([open]);
      const all = await rig.explore({ text: 'tea with the spy' }, { view, maxSensitivity: 'secret' });
      expect(idsOf(all)).toContain(secret);
    }
    expect((await rig.explore({ topic: 'tea with the spy' })).understood.topic).toMatchObject({
      title: 'tea',
    });
    await expect(rig.explore({ topic: topicId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(idsOf(await rig.explore({ topic: topicId }, { maxSensitivity: 'secret' }))).toEqual([secret]);
  });

  test('are not revealed by a forged cursor', async () => {
    const { rig, open, secret } = await rigOf();
    await rig.say('tea again');
    const { nextCursor } = await rig.explore({ text: 'tea' }, { limit: 1 });
    const cursor = JSON.parse(Buffer.from(nextCursor!, 'base64url').toString());
    const forged = Buffer.from(
      JSON.stringify({ ...cursor, rest: { ids: `${secret}.${open}`, skip: 0 } }),
    ).toString('base64url');
    expect(idsOf(await rig.explore({ text: 'tea' }, { cursor: forged }))).toEqual([open]);
  });
});

test('a keyword finds every turn with it, page by page', async () => {
  const rig = new ExploreRig();
  const said = Array.from({ length: 1_300 }, (_, i) => `妈说第${i}件事`);
  const ids = await rig.say(...said);
  const found: number[] = [];
  let cursor: string | null = null;
  do {
    const page: Exploration = await rig.explore({ text: '妈' }, { limit: 100, ...(cursor && { cursor }) });
    found.push(...idsOf(page));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(found.toSorted((a, b) => a - b)).toEqual(ids);
});

test('words find notes as well as turns', async () => {
  const rig = new ExploreRig();
  const [talk] = await rig.say('We had tea in the garden.');
  const [kept] = await rig.store.units.save([add({ content: note('- Tea: green, without sugar') })]);
  const [other] = await rig.store.units.save([add({ content: note('- Coffee: black') })]);
  const found = idsOf(await rig.explore({ text: 'tea' }));
  expect(found.toSorted((a, b) => a - b)).toEqual([talk, kept?.id]);
  expect(found).not.toContain(other?.id);
});

test('scope and kinds apply, and expired facts are included on request', async () => {
  const rig = new ExploreRig();
  const [own, project] = await rig.say('home is where the tea is', { text: 'home page', scope: 'project' });
  const fact = (object: string, validFrom: number | null, validTo: number | null) => ({
    type: 'add' as const,
    reason: 'found',
    unit: {
      occurredAt: Date.parse('2025-01-01'),
      source: 'extract_facts',
      state: 'validated' as const,
      confidence: 1,
      salience: 0.5,
      sensitivity: 'normal' as const,
      pinned: false,
      topicTags: [],
      scope: 'global' as const,
      expiresAt: null,
      emotion: null,
      content: {
        kind: 'fact' as const,
        payload: {
          subject: 'user',
          predicate: 'home',
          object,
          objectEntityId: null,
          validFrom,
          validTo,
          evidence: [],
        },
      },
    },
  });
  const moved = Date.parse('2025-06-01');
  const [old, current] = await rig.store.units.save([
    fact('Leeds', null, moved),
    fact('Bristol', moved, null),
  ]);
  const ask = async (options: ExploreOptions) =>
    idsOf(await rig.explore({ keywords: 'home' }, options)).toSorted((a, b) => a - b);
  expect(await ask({})).toEqual([own, project]);
  expect(await ask({ scope: 'project' })).toEqual([project]);
  expect(await ask({ kinds: ['fact'] })).toEqual([current!.id]);
  expect(await ask({ kinds: ['fact'], asOf: '2025-03-01' })).toEqual([old!.id]);
  expect(await ask({ kinds: ['fact'], withPastFacts: true })).toEqual([old!.id, current!.id]);
  const [item] = itemsOf(await rig.explore({ keywords: 'Leeds' }, { kinds: ['fact'], withPastFacts: true }));
  expect(item).toMatchObject({
    conversationId: null,
    quote: { text: 'user home Leeds' },
    validity: { from: null, to: '2025-06-01T00:00:00.000Z' },
  });
});

test('results count as accesses, unless switched off', async () => {
  const rig = new ExploreRig();
  const [unitId] = await rig.say('tea');
  const accesses = async () => {
    await rig.recall.settled();
    return (await rig.store.units.get([unitId!]))[0]!.accessCount;
  };
  await rig.explore({ keywords: 'tea' }, { count: false });
  expect(await accesses()).toBe(0);
  await rig.explore({ keywords: 'tea' });
  await rig.explore({ from: '2026-01-01' });
  expect(await accesses()).toBe(2);
});

/** A separate direction for each meaning. */
function vectorOf(meaning: number): Float32Array {
  return Float32Array.from({ length: 8 }, (_, i) => (i === meaning ? 1 : 0));
}

test('turns without common words are found by meaning', async () => {
  const knowsPets: Embedder = {
    id: 'pets',
    dimensions: 8,
    batchSize: 9,
    embed: async (texts) => texts.map((text) => vectorOf(/cat|kitten/.test(text) ? 0 : 1)),
  };
  const rig = new ExploreRig(knowsPets);
  const unitIds = await rig.say('A kitten sat on my chair.', 'The rain went on.', 'Nothing new.');
  const answer = await rig.explore({ text: 'cat' });
  expect(idsOf(answer)).toEqual([unitIds[0]]);
  expect(answer.metadata.vectors).toBe('used');
  expect(idsOf(await new ExploreRig().explore({ text: 'cat' }))).toEqual([]);
});

test.each([
  ['ja', '「去年の夏」', '指定した時期のこと', '話題「海」の一部'],
  ['zh', '“去年の夏”', '是所查时间的事', '属于话题“海”'],
  ['en', '“去年の夏”', 'it happened at the time asked about', 'it belongs to “海”'],
] as const)('reasons are in the requested language: %s', async (language, words, ...reasons) => {
  const rig = new ExploreRig();
  await rig.topic('海', await rig.say({ text: '海で泳いだ。', at: '2025-07-20T10:00Z' }));
  const answer = await rig.explore({ period: '去年の夏', topic: '海' }, { language });
  expect(answer.why).toContain(words);
  for (const reason of reasons) expect(itemsOf(answer)[0]!.why.sentence).toContain(reason);
});

function repeat(texts: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, i) => texts[i % texts.length]!);
}
