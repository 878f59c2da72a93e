import { describe, expect, test } from 'vitest';
import { DeriveRig } from '../../../test/derive/rig.ts';
import { createFactsDerivation } from './facts.ts';

const day = (date: string) => Date.parse(`${date}T00:00Z`);

class FactsRig extends DeriveRig {
  readonly derivation = createFactsDerivation(this.parts);

  async tell(text: string, at = '2024-01-10T12:00Z', speaker = 'user'): Promise<number> {
    const unitId = await this.say(text, at, speaker);
    await this.run(this.derivation, unitId);
    return unitId;
  }

  /** `subject | predicate | object` of current facts. */
  async open(): Promise<string[]> {
    return (await this.list('fact')).filter((fact) => fact.payload.validTo === null).map(lineOf);
  }
}

function lineOf({ payload }: { payload: { subject: string; predicate: string; object: string } }): string {
  return [payload.subject, payload.predicate, payload.object].join(' | ');
}

describe('facts by rules', () => {
  test.each([
    ['My name is Ken.', 'user | is called | Ken'],
    ["Hi, I'm Anna.", 'user | is called | Anna'],
    ['I live in Sapporo, as you know.', 'user | lives in | Sapporo'],
    ['My birthday is May 3rd, by the way.', 'user | has a birthday on | May 3rd, by the way'],
    ["I'm 34 years old.", 'user | is aged | 34'],
    ['My uncle lives in Leeds.', "user's uncle | lives in | Leeds"],
    ["My cat's name is Miso.", 'user | has as a pet | cat Miso'],
    ['We adopted a puppy named Pixie last week.', 'user | has as a pet | a puppy named Pixie'],
    ['I work as a nurse.', 'user | works as | nurse'],
    ["I'm allergic to shellfish, so no.", 'user | is allergic to | shellfish'],
    ['I really love hiking!', 'user | likes | hiking'],
    ["I can't stand cilantro.", 'user | dislikes | cilantro'],
    ['My favourite foods are sushi and ramen.', 'user | has as favourite food | sushi and ramen'],
    ['I have two older brothers.', 'user | has family: | two older brothers'],
    ['私の名前は健です。', 'user | 名前 | 健'],
    ['札幌に住んでいます。', 'user | 住まい | 札幌'],
    ['誕生日は5月3日です。', 'user | 誕生日 | 5月3日'],
    ['好きな食べ物は寿司です。', 'user | 一番好きな食べ物 | 寿司'],
    ['猫が大好きなんです。', 'user | 好きなもの | 猫'],
    ['虫は苦手です。', 'user | 苦手なもの | 虫'],
    ['犬を飼っています。', 'user | ペット | 犬'],
    ['叔父は大阪に住んでいます。', 'userの叔父 | 住まい | 大阪'],
    ['看護師として働いています。', 'user | 仕事 | 看護師'],
    ['えびアレルギーがあります。', 'user | アレルギー | えび'],
    ['趣味は写真です。', 'user | 趣味 | 写真'],
    ['我叫小明。', 'user | 名字 | 小明'],
    ['我住在上海。', 'user | 住在 | 上海'],
    ['我的生日是5月3日。', 'user | 生日 | 5月3日'],
    ['我很喜欢爬山！', 'user | 喜欢 | 爬山'],
    ['我讨厌香菜。', 'user | 不喜欢 | 香菜'],
    ['我养了一只猫。', 'user | 养了 | 一只猫'],
    ['我舅舅住在成都。', 'user的舅舅 | 住在 | 成都'],
    ['我是一名护士。', 'user | 职业 | 护士'],
    ['我对花生过敏。', 'user | 过敏原 | 花生'],
    ['我最喜欢的食物是火锅。', 'user | 最喜欢的食物 | 火锅'],
  ])('%s → %s', async (text, line) => {
    const rig = new FactsRig();
    const unitId = await rig.tell(text);
    expect(await rig.open()).toEqual([line]);
    const [fact] = await rig.list('fact');
    expect(fact).toMatchObject({ source: 'extract_facts:rules', payload: { evidence: [unitId] } });
    expect(fact!.confidence).toBeLessThanOrEqual(0.6);
  });

  test.each([
    'Do you live in Sapporo?',
    'If I lived in Sapporo I would ski.',
    'Maybe I live in a dream.',
    'I love it!',
    'I love how you said that.',
    'He said I live in Sapporo.',
    "I'd love to see you.",
    '札幌に住んでいますか？',
    'もし札幌に住んでいたらな。',
    '彼は札幌に住んでいます。',
    'あなたのことが好きです。',
    '札幌に住んでいるらしい。',
    '你住在上海吗？',
    '如果我住在上海就好了。',
    '我喜欢你。',
    '他说我住在上海。',
    '[STABLE_FACTS]\nWhat is known from earlier conversations.\n- I live in Sapporo',
  ])('finds nothing in %s', async (text) => {
    const rig = new FactsRig();
    await rig.tell(text);
    expect(await rig.list('fact')).toEqual([]);
  });

  test.each(['I live in Sapporo.', '札幌に住んでいます。', '我住在上海。'])(
    'finds nothing in what the companion says: %s',
    async (text) => {
      const rig = new FactsRig();
      await rig.tell(text, '2024-01-10T12:00Z', 'ai');
      expect(await rig.list('fact')).toEqual([]);
    },
  );

  test('links a fact to a known entity', async () => {
    const rig = new FactsRig();
    const other = await rig.say('Miso!', '2024-01-09T12:00Z');
    await rig.store.units.applyDerivation({
      mark: { unitId: other, kind: 'test', fingerprint: '1' },
      changes: [],
      mentions: [
        { entityId: null, type: 'animal', name: 'Miso', aliases: [], surface: 'Miso', confidence: 1 },
      ],
    });
    await rig.tell("My cat's name is Miso.");
    await rig.tell('I live in Sapporo.');
    const [miso] = await rig.store.entities.list({}, { limit: 1 });
    expect((await rig.list('fact')).map(({ payload }) => payload.objectEntityId)).toEqual([miso!.id, null]);
  });

  test('keeps the name of a named speaker, and uses the user’s name once it is known', async () => {
    const rig = new FactsRig();
    await rig.tell('I live in Leeds.', '2024-01-10T12:00Z', 'Caroline');
    await rig.tell('My name is Ken.');
    await rig.tell('I live in Sapporo.');
    await rig.tell('My uncle lives in Otaru.');
    expect(await rig.open()).toEqual([
      'Caroline | lives in | Leeds',
      'user | is called | Ken',
      'Ken | lives in | Sapporo',
      "Ken's uncle | lives in | Otaru",
    ]);
  });
});

describe('existing facts', () => {
  test.each([
    ['en', 'I live in Tokyo.', 'I moved to Osaka.', 'I live in Kyoto now.', ['Tokyo', 'Osaka', 'Kyoto']],
    [
      'ja',
      '東京に住んでいます。',
      '大阪に引っ越しました。',
      '今は京都に住んでいます。',
      ['東京', '大阪', '京都'],
    ],
    ['zh', '我住在北京。', '我搬到上海了。', '我现在住在广州。', ['北京', '上海', '广州']],
  ])(
    'a fact that changes three times in a year is closed each time (%s)',
    async (_, first, second, third, places) => {
      const rig = new FactsRig();
      const ids = [
        await rig.tell(first, '2024-01-10T12:00Z'),
        await rig.tell(second, '2024-05-02T12:00Z'),
        await rig.tell(third, '2024-11-20T12:00Z'),
      ];
      const said =
        ids.length > 0
          ? ['2024-01-10T12:00Z', '2024-05-02T12:00Z', '2024-11-20T12:00Z'].map((at) => Date.parse(at))
          : [];
      const facts = await rig.list('fact');
      expect(facts.map(({ payload }) => payload.object)).toEqual(places);
      expect(facts.map(({ payload }) => [payload.validFrom, payload.validTo])).toEqual([
        [null, said[1]],
        [said[1], said[2]],
        [said[2], null],
      ]);
      expect(facts.map(({ payload }) => payload.evidence)).toEqual([
        [ids[0], ids[1]],
        [ids[1], ids[2]],
        [ids[2]],
      ]);
      // Each change is a version: earlier values can be read.
      expect((await rig.store.units.versions(facts[0]!.id)).length).toBe(2);
    },
  );

  test('a stated date is the beginning of the validity', async () => {
    const rig = new FactsRig();
    await rig.tell('I live in Tokyo.', '2024-01-10T12:00Z');
    await rig.tell('I moved to Osaka on March 1st.', '2024-05-02T12:00Z');
    expect((await rig.list('fact')).map(({ payload }) => [payload.validFrom, payload.validTo])).toEqual([
      [null, day('2024-03-01')],
      [day('2024-03-01'), null],
    ]);
  });

  test('a statement that was said earlier but arrives later is placed before the newer one', async () => {
    const rig = new FactsRig();
    await rig.tell('I live in Osaka.', '2024-05-02T12:00Z');
    await rig.tell('I live in Tokyo.', '2024-01-10T12:00Z');
    const facts = await rig.list('fact');
    expect(facts.map(({ payload }) => [payload.object, payload.validTo])).toEqual([
      ['Osaka', null],
      ['Tokyo', Date.parse('2024-05-02T12:00Z')],
    ]);
  });

  test.each([
    ['I love hiking.', 'I really enjoy hiking!'],
    ['I live in Osaka.', "I'm living in Osaka, Japan."],
    ['猫が好きです。', '猫が大好きなんだ。'],
    ['大阪に住んでいます。', '大阪市に住んでるよ。'],
    ['我喜欢爬山。', '我特别喜欢爬山。'],
  ])('a repeated fact is reinforced: %s %s', async (first, again) => {
    const rig = new FactsRig();
    const one = await rig.tell(first, '2024-01-10T12:00Z');
    const [before] = await rig.list('fact');
    const other = await rig.tell(again, '2024-02-10T12:00Z');
    const facts = await rig.list('fact');
    expect(facts).toHaveLength(1);
    expect(facts[0]).toMatchObject({ reinforcement: 1, payload: { evidence: [one, other], validTo: null } });
    expect(facts[0]!.confidence).toBeGreaterThan(before!.confidence);
    expect(facts[0]!.confidence).toBeLessThanOrEqual(0.6);
  });

  test.each([
    ['I like coffee.', "I don't like coffee any more."],
    ['I like coffee.', 'I hate coffee.'],
    ['コーヒーが好きです。', 'もうコーヒーは好きじゃない。'],
    ['コーヒーが好きです。', 'コーヒーは苦手です。'],
    ['我喜欢咖啡。', '我不再喜欢咖啡了。'],
    ['我喜欢咖啡。', '我讨厌咖啡。'],
  ])('a denied fact is closed: %s %s', async (first, denied) => {
    const rig = new FactsRig();
    await rig.tell(first, '2024-01-10T12:00Z');
    await rig.tell(denied, '2024-02-10T12:00Z');
    const [fact] = await rig.list('fact');
    expect(fact!.payload.validTo).toBe(Date.parse('2024-02-10T12:00Z'));
  });

  test('Kyoto is not part of Tokyo, although 東京都 contains 京都', async () => {
    const rig = new FactsRig();
    await rig.tell('京都に住んでいます。', '2024-01-10T12:00Z');
    await rig.tell('東京都に住んでいます。', '2024-02-10T12:00Z');
    expect(await rig.open()).toEqual(['user | 住まい | 東京都']);
  });

  test('a public statement does not reinforce a secret fact', async () => {
    const rig = new FactsRig();
    const secret = await rig.say('I live in Osaka.', '2024-01-10T12:00Z', 'user', { sensitivity: 'secret' });
    await rig.run(rig.derivation, secret);
    await rig.tell('I like tea.', '2024-01-11T12:00Z');
    const facts = await rig.list('fact');
    expect(facts.map((fact) => fact.sensitivity)).toEqual(['secret', 'normal']);
  });

  test('a second run, alone or in a batch, changes nothing', async () => {
    const rig = new FactsRig();
    const ids = [
      await rig.say('I live in Tokyo and I like coffee.', '2024-01-10T12:00Z'),
      await rig.say('I live in Osaka now.', '2024-02-10T12:00Z'),
      await rig.say("I don't like coffee any more.", '2024-03-10T12:00Z'),
    ];
    await rig.run(rig.derivation, ...ids);
    const facts = await rig.list('fact');
    expect(facts.map(lineOf)).toEqual([
      'user | lives in | Tokyo',
      'user | likes | coffee',
      'user | lives in | Osaka',
    ]);
    await rig.run(rig.derivation, ...ids);
    for (const id of ids) await rig.run(rig.derivation, id);
    expect(await rig.list('fact')).toEqual(facts);
  });
});

describe('facts by a model', () => {
  const none = { validFrom: null, validTo: null, contradicts: null };
  const home = {
    subject: 'user',
    predicate: 'lives in',
    object: 'Osaka',
    confidence: 0.9,
    quote: 'moved to Osaka',
    ...none,
  };

  test('are stored with the model’s data, and requested once only', async () => {
    const rig = new FactsRig();
    rig.reply = () => ({ facts: [{ ...home, validFrom: '2024-03-01' }] });
    const unitId = await rig.tell('I moved to Osaka in March', '2024-05-02T12:00Z');
    await rig.run(rig.derivation, unitId);
    expect(rig.asked).toHaveLength(1);
    expect(await rig.list('fact')).toMatchObject([
      {
        source: 'extract_facts',
        confidence: 0.9,
        occurredAt: Date.parse('2024-05-02T12:00Z'),
        payload: { object: 'Osaka', validFrom: day('2024-03-01'), validTo: null, evidence: [unitId] },
      },
    ]);
    expect(await rig.store.jobs.list({ kind: 'embed', limit: 9 })).toHaveLength(1);
  });

  test('an empty answer is remembered too', async () => {
    const rig = new FactsRig();
    rig.reply = () => ({ facts: [] });
    const unitId = await rig.tell('Good morning!');
    await rig.run(rig.derivation, unitId);
    expect(rig.asked).toHaveLength(1);
  });

  test.each([
    ['text that was not said', { quote: 'moved to Kobe' }],
    ['no words', { quote: '' }],
    ['a question', { quote: 'Is it far' }],
    ['nothing', { object: ' ' }],
    ['too many words', { object: 'x'.repeat(300) }],
    ['the pack', { object: '[EPISODE_EVIDENCE]' }],
  ])('based on %s are dropped', async (_, wrong) => {
    const rig = new FactsRig();
    rig.reply = () => ({ facts: [{ ...home, ...wrong }] });
    await rig.tell('I moved to Osaka. Is it far?');
    expect(await rig.list('fact')).toEqual([]);
  });

  test('are not requested for what the companion said', async () => {
    const rig = new FactsRig();
    rig.reply = () => ({ facts: [home] });
    await rig.tell('You moved to Osaka', '2024-01-10T12:00Z', 'ai');
    expect(rig.asked).toEqual([]);
  });

  test('are requested with the previous turns, known facts and the date', async () => {
    const rig = new FactsRig('Asia/Tokyo');
    rig.reply = () => ({ facts: [] });
    await rig.say('ペットはいますか？', '2024-01-10T12:00Z', 'ai');
    await rig.store.units.save([
      {
        type: 'add',
        reason: 'test',
        unit: {
          source: 'user',
          state: 'validated',
          confidence: 1,
          salience: 0.5,
          sensitivity: 'normal',
          pinned: false,
          topicTags: [],
          scope: 'global',
          expiresAt: null,
          emotion: null,
          content: {
            kind: 'fact',
            payload: {
              subject: 'user',
              predicate: '住まい',
              object: '札幌',
              objectEntityId: null,
              validFrom: null,
              validTo: null,
              evidence: [],
            },
          },
        },
      },
    ]);
    await rig.tell('猫がいるよ。', '2024-01-10T16:00Z');
    const { system = '', messages } = rig.asked[0]!;
    const { content } = messages[0]!;
    expect(system).toContain('会話の長期記憶');
    expect(content).toContain('2024-01-10 (Wed) 21:00 ai: ペットはいますか？');
    expect(content).toContain('2024-01-11 (Thu) 01:00 user: 猫がいるよ。');
    expect(content).toContain('user | 住まい | 札幌');
  });

  test('a contradiction reported by the model closes the older fact', async () => {
    const rig = new FactsRig();
    rig.reply = () => ({
      facts: [{ ...home, predicate: 'is a fan of the team', object: 'Tigers', quote: 'Tigers' }],
    });
    await rig.tell('Go Tigers', '2024-01-10T12:00Z');
    const [older] = await rig.list('fact');
    rig.reply = () => ({
      facts: [
        {
          ...home,
          predicate: 'is a fan of the team',
          object: 'Giants',
          quote: 'Giants',
          contradicts: older!.id,
        },
      ],
    });
    await rig.tell('I changed sides: Giants', '2024-02-10T12:00Z');
    expect((await rig.list('fact')).map(({ payload }) => [payload.object, payload.validTo])).toEqual([
      ['Tigers', Date.parse('2024-02-10T12:00Z')],
      ['Giants', null],
    ]);
  });

  test('a known fact that ended is closed', async () => {
    const rig = new FactsRig();
    rig.reply = () => ({ facts: [{ ...home, predicate: 'likes', object: 'coffee', quote: 'coffee' }] });
    await rig.tell('coffee!', '2024-01-10T12:00Z');
    const [older] = await rig.list('fact');
    rig.reply = () => ({
      facts: [
        {
          ...home,
          predicate: 'likes',
          object: 'coffee',
          quote: 'no coffee',
          validTo: '2024-02-01',
          contradicts: older!.id,
        },
      ],
    });
    await rig.tell('no coffee for me any more', '2024-02-10T12:00Z');
    expect((await rig.list('fact')).map(({ payload }) => payload.validTo)).toEqual([day('2024-02-01')]);
  });

  test('reinforce a fact that rules found in other words', async () => {
    const rig = new FactsRig();
    await rig.tell('我住在大阪。', '2024-01-10T12:00Z');
    rig.reply = () => ({ facts: [{ ...home, object: '大阪', predicate: 'resides in', quote: '大阪' }] });
    await rig.tell('我还在大阪。', '2024-02-10T12:00Z');
    expect(await rig.list('fact')).toMatchObject([{ reinforcement: 1, payload: { predicate: '住在' } }]);
  });
});
