import { describe, expect, test } from 'vitest';
import { DerivationBench } from '../../../test/derivationBench.ts';
import { isMemoryError } from '../../model/model.ts';
import { createReflectDerivation } from '../reflect/reflect.ts';
import { createEntitiesDerivation } from './entities.ts';

async function read(bench: DerivationBench, ...turns: Parameters<DerivationBench['say']>): Promise<number[]> {
  const ids = await bench.say(...turns);
  await bench.run(createEntitiesDerivation(bench.parts), ids);
  return ids;
}

/** Names of the entities that each unit mentions. */
async function mentioned(bench: DerivationBench, ids: readonly number[]): Promise<string[][]> {
  const mentions = await bench.store.entities.ofUnits(ids);
  const entities = await bench.store.entities.get([...new Set(mentions.map((one) => one.entityId))]);
  const nameOf = new Map(entities.map((entity) => [entity.id, entity.name]));
  return ids.map((id) =>
    mentions.filter((one) => one.unitId === id).map((one) => nameOf.get(one.entityId) ?? '?'),
  );
}

async function entities(bench: DerivationBench): Promise<string[]> {
  const all = await bench.store.entities.list({}, { limit: 100 });
  return all.sort((a, b) => a.id - b.id).map(({ name, type }) => `${name}:${type}`);
}

async function edges(bench: DerivationBench): Promise<string[]> {
  const all = await bench.store.entities.list({}, { limit: 100 });
  const nameOf = new Map(all.map((entity) => [entity.id, entity.name]));
  const found = (await Promise.all(all.map((entity) => bench.store.entities.edgesOf(entity.id)))).flat();
  return [
    ...new Set(
      found.map((edge) => `${nameOf.get(edge.fromEntityId)} ${edge.relation} ${nameOf.get(edge.toEntityId)}`),
    ),
  ];
}

describe('by rules', () => {
  test.each([
    [
      'en',
      'Yesterday my sister Anna flew to Paris.',
      ['user:person', 'Anna:person', 'Paris:place'],
      'Anna sister user',
    ],
    [
      'ja',
      '妹の花子が札幌に引っ越した。',
      ['user:person', '花子:person', '札幌:place'],
      '花子 younger sister user',
    ],
    [
      'zh',
      '我妹妹小红搬到杭州了。',
      ['user:person', '小红:person', '杭州:place'],
      '小红 younger sister user',
    ],
  ])('%s: finds people and things, and their relations to the speaker', async (_, text, expected, edge) => {
    const bench = new DerivationBench();
    const [id] = await read(bench, text);
    expect(await entities(bench)).toEqual(expected);
    expect(await edges(bench)).toEqual([edge]);
    const mentions = await bench.store.entities.ofUnits([id!]);
    expect(mentions.every((one) => one.confidence <= 0.6)).toBe(true);
  });

  test('merges the spellings of one person’s name', async () => {
    const bench = new DerivationBench();
    const ids = await read(
      bench,
      '田中さんに会った。',
      '今日は田中が休み。',
      { in: 'c2', text: 'I met Mr Tanaka again.' },
      { in: 'c3', text: 'たなかさんから電話があった。' },
    );
    expect((await entities(bench)).filter((one) => one.endsWith(':person'))).toHaveLength(1);
    const [tanaka] = await bench.store.entities.list({ type: 'person' }, { limit: 1 });
    const mentions = await bench.store.entities.mentionsOf(tanaka!.id, { limit: 10 });
    expect(mentions.map((one) => one.unitId).sort()).toEqual(ids.slice(0, 3));
    expect([tanaka!.name, ...tanaka!.aliases]).toEqual(expect.arrayContaining(['田中', 'Tanaka']));
  });

  test('merges one place in three languages', async () => {
    const bench = new DerivationBench();
    await read(bench, 'We live in Kyoto.', '来月、京都に行きます。', '我想去京都看看。');
    expect(await entities(bench)).toEqual(['Kyoto:place']);
  });

  test('assigns a given name to the only person known by it', async () => {
    const bench = new DerivationBench();
    const ids = await read(bench, 'I met Sarah Connor at the gym.', 'Then Sarah told me a story.');
    expect(await mentioned(bench, ids)).toEqual([['Sarah Connor'], ['Sarah Connor']]);
    const [sarah] = await bench.store.entities.list({}, { limit: 1 });
    expect(sarah!.aliases).toEqual([]);
  });

  test('assigns a shared name to the person last mentioned in the conversation, otherwise to nobody', async () => {
    const bench = new DerivationBench();
    await read(bench, { in: 'a', text: 'I met Sarah Connor.' }, { in: 'b', text: 'I met Sarah Miller.' });
    const ids = await read(
      bench,
      { in: 'a', text: 'Then Sarah told me a story.' },
      { in: 'b', text: 'Then Sarah told me a story.' },
      { in: 'c', text: 'Then Sarah told me a story.' },
    );
    expect(await mentioned(bench, ids)).toEqual([['Sarah Connor'], ['Sarah Miller'], []]);
    expect(await entities(bench)).toHaveLength(2);
  });

  test('a Chinese surname with a title does not match everybody of that surname', async () => {
    const bench = new DerivationBench();
    const ids = await read(
      bench,
      { in: 'a', text: '我和王芳去吃饭' },
      { in: 'a', text: '王老师也来了' },
      { in: 'b', text: '王老师今天没来' },
      { in: 'b', text: '张女士来电话了' },
      { in: 'b', text: '张先生来电话了' },
    );
    const found = await mentioned(bench, ids);
    expect(found[0]).toEqual(['王芳']);
    expect(found[2]).toEqual(['王老师']);
    expect(found[3]).not.toEqual(found[4]);
  });

  test('different characters with the same sound are different names', async () => {
    const bench = new DerivationBench();
    await read(bench, '石磊先生来了', '史磊先生来了');
    expect(await entities(bench)).toHaveLength(2);
  });

  test('a named speaker is an entity, and a short form of the name refers to it', async () => {
    const bench = new DerivationBench();
    const ids = await read(
      bench,
      { speaker: 'Deborah', text: 'I baked bread.' },
      { speaker: 'Ruth', text: 'Well done, Deb!' },
    );
    expect(await mentioned(bench, ids)).toEqual([['Deborah'], expect.arrayContaining(['Ruth', 'Deborah'])]);
    expect(await entities(bench)).toEqual(['Deborah:person', 'Ruth:person']);
  });

  test('a user becomes an entity when they give their name', async () => {
    const bench = new DerivationBench();
    await read(bench, 'It is late.');
    expect(await entities(bench)).toEqual([]);
    await read(bench, 'My name is Greta.');
    const [user] = await bench.store.entities.list({}, { limit: 1 });
    expect(user).toMatchObject({ name: 'user', type: 'person', aliases: ['Greta'] });
  });

  test('names from the companion count only when they are known', async () => {
    const bench = new DerivationBench();
    const ids = await read(bench, 'My friend Yusuf moved to Oslo.', {
      speaker: 'ai',
      text: 'How does Yusuf like it? Has he met Ingrid?',
    });
    expect(await mentioned(bench, ids.slice(1))).toEqual([['Yusuf']]);
    expect((await entities(bench)).join()).not.toContain('Ingrid');
  });

  test('ignores names in secrets', async () => {
    const bench = new DerivationBench();
    await read(bench, { sensitivity: 'secret', text: 'My friend Yusuf moved to Oslo.' });
    expect(await entities(bench)).toEqual([]);
  });

  test('ignores names in a repeated pack', async () => {
    const bench = new DerivationBench();
    await read(bench, '[STABLE_FACTS]\n- Bartholomew lives in Paris');
    expect(await entities(bench)).toEqual([]);
  });
});

describe('summaries', () => {
  test('are requested for people and topics that are mentioned repeatedly', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say(
      'My sister Anna plays the cello.',
      'Today Anna sold her cello.',
      'Her teacher told Anna that the cello was too old.',
    );
    await bench.run(createReflectDerivation(bench.parts), ids);
    await bench.run(createEntitiesDerivation(bench.parts), ids);
    const [anna] = await bench.store.entities.list({ query: 'Anna' }, { limit: 1 });
    const jobs = (await bench.store.jobs.list({ kind: 'summarize', limit: 10 })).map((job) => job.key);
    expect(jobs.sort()).toEqual([`summarize/person/${anna!.id}`, 'summarize/topic/cello']);
  });

  test('are not requested for what was mentioned once', async () => {
    const bench = new DerivationBench();
    await read(bench, 'My sister Anna plays the cello.');
    expect(await bench.store.jobs.list({ kind: 'summarize', limit: 10 })).toEqual([]);
  });
});

describe('with a model', () => {
  const entity = { known: null, type: 'person', aliases: [], confidence: 0.9 };

  test.each([
    ['en', 'My sister Anna bought a boat, she named it Pelican.', 'Anna', 'Pelican', 'she'],
    ['ja', '妹の花子が船を買って、彼女はペリカンと名付けた。', '花子', 'ペリカン', '彼女'],
    ['zh', '我妹妹小红买了船，她给船起名鹈鹕号。', '小红', '鹈鹕号', '她'],
  ])('%s: keeps what the text supports, with relations', async (_, text, person, thing) => {
    const bench = new DerivationBench();
    bench.replies({
      entities: [
        { ...entity, name: person, surface: person },
        { ...entity, type: 'thing', name: thing, surface: thing },
        { ...entity, name: 'Nobody Said', surface: 'Nobody Said' },
      ],
      relations: [
        { from: person, to: 'user', relation: 'Younger_Sister' },
        { from: person, to: thing, relation: 'owner' },
        { from: 'Nobody Said', to: person, relation: 'friend' },
      ],
    });
    await read(bench, text);
    expect((await entities(bench)).sort()).toEqual(
      [`${person}:person`, `${thing}:thing`, 'user:person'].sort(),
    );
    expect((await edges(bench)).sort()).toEqual(
      [`${person} younger sister user`, `${person} owner ${thing}`].sort(),
    );
  });

  test.each([
    ['en', 'I met Anna.', 'Anna', 'Today she was ill.', 'she'],
    ['ja', '花子さんに会った。', '花子', '今日、彼女は病気だった。', '彼女'],
    ['zh', '我见到了小红。', '小红', '今天她病了。', '她'],
  ])('%s: resolves “she” as the model says', async (_, first, name, second, pronoun) => {
    const bench = new DerivationBench();
    bench.replies({ entities: [{ ...entity, name, surface: name }], relations: [] });
    await read(bench, first);
    const [known] = await bench.store.entities.list({}, { limit: 1 });
    bench.replies({ entities: [{ ...entity, known: known!.id, name, surface: pronoun }], relations: [] });
    const ids = await read(bench, second);
    expect(await bench.store.entities.ofUnits(ids)).toMatchObject([
      { entityId: known!.id, surface: pronoun },
    ]);
    expect(bench.asked.at(-1)?.messages[0]?.content).toContain(`#${known!.id} ${name}`);
    expect((await bench.store.entities.get([known!.id]))[0]!.aliases).toEqual([]);
  });

  test.each([
    ['a name that does not occur in the text', { name: 'Zeus', surface: 'Zeus' }],
    ['a pronoun for an unknown person', { name: 'she', surface: 'She' }],
    ['an id that was not shown, for a pronoun', { known: 4711, name: 'Anna', surface: 'She' }],
    ['a section of the pack', { name: '[STABLE_FACTS]', surface: 'met' }],
    ['nothing', { name: '', surface: '' }],
  ])('rejects %s', async (_, wrong) => {
    const bench = new DerivationBench();
    bench.replies({ entities: [{ ...entity, ...wrong }], relations: [] });
    const ids = await read(bench, 'She met somebody today.');
    expect(await entities(bench)).toEqual([]);
    expect(await mentioned(bench, ids)).toEqual([[]]);
  });

  test.each([
    ['an unknown type', { type: 'ghost' }],
    ['a confidence out of range', { confidence: 7 }],
    ['no name', { name: undefined }],
  ])('an invalid reply changes nothing: %s', async (_, wrong) => {
    const bench = new DerivationBench();
    bench.replies({ entities: [{ ...entity, name: 'Anna', surface: 'Anna', ...wrong }], relations: [] });
    const ids = await bench.say('I met Anna.');
    const before = await bench.state();
    const failure = await bench
      .run(createEntitiesDerivation(bench.parts), ids)
      .catch((error: unknown) => error);
    expect(isMemoryError(failure, 'MODEL_FAILED')).toBe(true);
    expect(await bench.state()).toEqual(before);
  });

  test('recognises a known name that the model calls new', async () => {
    const bench = new DerivationBench();
    bench.replies({ entities: [{ ...entity, name: '田中', surface: '田中さん' }], relations: [] });
    await read(bench, '田中さんに会った。');
    bench.replies({ entities: [{ ...entity, name: 'Tanaka', surface: 'Tanaka' }], relations: [] });
    await read(bench, 'I met Tanaka.');
    expect(await entities(bench)).toEqual(['田中:person']);
  });

  test('rules do not undo what the model found', async () => {
    const bench = new DerivationBench();
    bench.replies({
      entities: [{ ...entity, name: 'ferris wheel', type: 'thing', surface: 'ferris wheel' }],
      relations: [],
    });
    const ids = await read(bench, 'We rode the ferris wheel in Vienna.');
    bench.model = null;
    await bench.run(createEntitiesDerivation(bench.parts), ids);
    expect(await mentioned(bench, ids)).toEqual([['ferris wheel']]);
  });

  test('two turns that are processed at once do not create an entity twice', async () => {
    const bench = new DerivationBench();
    bench.replies({ entities: [{ ...entity, name: '田中', surface: '田中さん' }], relations: [] });
    const ids = await bench.say(
      '田中さん',
      { in: 'c2', text: '田中さんです' },
      { in: 'c3', text: 'また田中さん' },
    );
    const derivation = createEntitiesDerivation(bench.parts);
    await Promise.all(ids.map((id) => bench.run(derivation, [id])));
    expect(await entities(bench)).toEqual(['田中:person']);
  });
});

test.each(['rules', 'model'] as const)(
  'a second run by %s changes nothing, and does not ask the model again',
  async (form) => {
    const bench = new DerivationBench();
    if (form === 'model')
      bench.replies({
        entities: [
          { known: null, type: 'person', name: 'Anna', surface: 'Anna', aliases: [], confidence: 0.9 },
        ],
        relations: [{ from: 'Anna', to: 'user', relation: 'sister' }],
      });
    const ids = await read(bench, 'My sister Anna flew to Paris.');
    const before = await bench.state();
    await bench.run(createEntitiesDerivation(bench.parts), ids);
    expect(await bench.state()).toEqual(before);
    expect(bench.asked).toHaveLength(form === 'model' ? 1 : 0);
  },
);
