import { describe, expect, test } from 'vitest';
import { DerivationBench } from '../../../test/derivationBench.ts';
import { openEmbedder } from '../../llm/llm.ts';
import type { Topic } from '../../model/model.ts';
import { splitSentences, type Language } from '../../text/text.ts';
import { createTopicsDerivation } from './topics.ts';
import { rememberingEmbedder } from '../../../test/rememberingEmbedder.ts';

const embedder = rememberingEmbedder(await openEmbedder({ provider: 'bundled' }));
const HOUR_MS = 3_600_000;

function derivation(bench: DerivationBench, withVectors = true) {
  return createTopicsDerivation({ ...bench.parts, embedder: () => (withVectors ? embedder : null) });
}

async function topicOf(bench: DerivationBench, unitId: number): Promise<Topic> {
  const [topicId] = (await bench.store.topics.ofUnits([unitId])).get(unitId) ?? [];
  const [topic] = await bench.store.topics.get([topicId ?? 0]);
  if (!topic) throw new Error(`Unit ${unitId} has no topic.`);
  return topic;
}

/** Conversations about everyday life, six turns each, on different subjects. */
const EVERYDAY: Readonly<Record<Language, readonly (readonly string[])[]>> = {
  en: [
    [
      'The dentist wants to pull my wisdom tooth.',
      'Does the tooth hurt a lot?',
      'Only when I chew on that side.',
      'Ask the dentist for an X-ray first.',
      'The X-ray is next Tuesday.',
      'Good luck with the tooth!',
    ],
    [
      'I started baking sourdough bread.',
      'How is the starter doing?',
      'The starter doubled overnight in the fridge.',
      'What flour do you bake with?',
      'Rye flour, the bread gets darker.',
      'I would love a slice of that bread.',
    ],
    [
      'Our laptop at the office will not boot.',
      'Did you try the recovery disk?',
      'The disk is broken too, says the technician.',
      'Then the hard drive has to be replaced.',
      'The new drive comes on Friday.',
      'Make a backup of the laptop afterwards.',
    ],
    [
      'My piano teacher gave me a Chopin waltz.',
      'Is the waltz difficult?',
      'The left hand jumps a lot on the keyboard.',
      'Practise it slowly with a metronome.',
      'The recital is in December.',
      'I want to hear you play Chopin.',
    ],
    [
      'The tomatoes on the balcony have aphids.',
      'Spray the leaves with soapy water.',
      'The basil next to them is fine.',
      'Ladybirds eat aphids too.',
      'I will buy new soil for the pots.',
      'Then the tomatoes will recover.',
    ],
    [
      'The landlord raised the rent again.',
      'Is that allowed by the contract?',
      'The tenants’ union says the contract is old.',
      'Write the landlord a letter.',
      'The union will help with the letter.',
      'I hope the rent stays as it was.',
    ],
  ],
  ja: [
    [
      '歯医者で親知らずを抜くことになった。',
      '親知らずは痛むの？',
      '右側で噛むと奥歯が痛い。',
      '先にレントゲンを撮ってもらったら？',
      'レントゲンは来週の火曜日。',
      '抜歯、お大事にね。',
    ],
    [
      '最近、天然酵母のパンを焼いてる。',
      '酵母の調子はどう？',
      '冷蔵庫で一晩おいたら生地が二倍に膨らんだ。',
      '小麦粉は何を使うの？',
      'ライ麦粉だとパンが黒っぽくなる。',
      '焼きたてのパン、食べたいな。',
    ],
    [
      '会社のノートパソコンが起動しない。',
      '回復ディスクは試した？',
      'ディスクも壊れてるって技術者が言ってた。',
      'ハードディスクの交換だね。',
      '新しい部品は金曜日に届く。',
      '交換したらパソコンのバックアップを取ってね。',
    ],
    [
      'ピアノの先生からショパンのワルツをもらった。',
      'ワルツは難しい？',
      '左手の跳躍が多くて鍵盤を外す。',
      'メトロノームでゆっくり練習しよう。',
      '発表会は十二月。',
      'ショパンの演奏、聴きたいな。',
    ],
    [
      'ベランダのトマトにアブラムシがついた。',
      '石けん水を葉っぱに吹きかけるといいよ。',
      '隣のバジルは無事だった。',
      'てんとう虫もアブラムシを食べるよ。',
      '鉢に新しい土を入れるつもり。',
      'それならトマトも元気になるね。',
    ],
    [
      '大家さんがまた家賃を上げた。',
      '契約書では認められてるの？',
      '借家人組合によると契約が古いらしい。',
      '大家さんに手紙を書いたら？',
      '手紙は組合が手伝ってくれる。',
      '家賃がそのままだといいね。',
    ],
  ],
  zh: [
    [
      '牙医说要拔掉我的智齿。',
      '智齿疼得厉害吗？',
      '右边咬东西的时候牙疼。',
      '先让牙医拍个片子吧。',
      '下周二去医院拍牙片。',
      '拔牙顺利！',
    ],
    [
      '我最近在家烤天然酵母面包。',
      '酵母养得怎么样？',
      '面团在冰箱里放一夜发了两倍。',
      '你用的什么面粉？',
      '黑麦面粉烤出来的面包颜色深。',
      '真想尝一片你烤的面包。',
    ],
    [
      '公司的笔记本电脑开不了机。',
      '试过恢复光盘吗？',
      '技术员说光盘也坏了。',
      '那就得换硬盘了。',
      '新硬盘星期五到货。',
      '换好硬盘记得给电脑做备份。',
    ],
    [
      '钢琴老师给了我一首肖邦的圆舞曲。',
      '圆舞曲难弹吗？',
      '左手在琴键上跳得太多。',
      '跟着节拍器慢慢练钢琴吧。',
      '演奏会在十二月。',
      '好想听你弹肖邦。',
    ],
    [
      '阳台上的番茄长了蚜虫。',
      '往叶子上喷点肥皂水。',
      '旁边的罗勒没有蚜虫。',
      '瓢虫也会吃蚜虫。',
      '我打算给花盆换新土。',
      '那番茄就能缓过来了。',
    ],
    [
      '房东又涨房租了。',
      '租房合同允许涨租吗？',
      '租客协会说合同太旧了。',
      '给房东写封信吧。',
      '协会会帮忙写这封信。',
      '希望房租别涨。',
    ],
  ],
};

const TRIP = {
  en: {
    turns: [
      'I sent you the photos of the suspension bridge in Nasu-Shiobara. It swayed so much…',
      'The suspension bridge looks really high above the valley!',
      'Nasu-Shiobara was so pretty with all the autumn leaves.',
      'And the hot spring after the bridge warmed us up.',
    ],
    again: 'I dreamt of the suspension bridge in Nasu-Shiobara again, swaying above the valley.',
    tells: /Nasu-Shiobara|suspension bridge/i,
  },
  ja: {
    turns: [
      '那須塩原の吊り橋の写真、送ったよ。めっちゃ揺れたね…',
      '吊り橋、谷からすごく高いところにあるんだね！',
      '那須塩原は紅葉がきれいだったよ。',
      '吊り橋のあとの温泉で体が温まったね。',
    ],
    again: 'また那須塩原の吊り橋の夢を見た。谷の上で揺れてたよ。',
    tells: /那須塩原|吊り橋/,
  },
  zh: {
    turns: [
      '那须盐原的吊桥照片发给你了，晃得太厉害了……',
      '吊桥离山谷好高啊！',
      '那须盐原的红叶真美。',
      '走完吊桥去泡温泉，暖和极了。',
    ],
    again: '我又梦见那须盐原的吊桥，在山谷上面晃。',
    tells: /那须盐原|吊桥/,
  },
} as const;

/** Two hundred turns of everyday life, with the trip in the midst of them. Returns the ids of the trip's turns, and of the others. */
async function liveThrough(bench: DerivationBench, language: Language) {
  const others: number[] = [];
  const trip: number[] = [];
  const talks = EVERYDAY[language];
  for (let day = 0; day < 34; day++) {
    bench.now += 24 * HOUR_MS;
    const lines = talks[day % talks.length] ?? [];
    const turns = lines.map((text, i) => ({ text, in: `d${day}`, speaker: i % 2 === 0 ? 'user' : 'ai' }));
    others.push(...(await bench.say(...turns)));
    if (day !== 20) continue;
    bench.now += 5 * HOUR_MS;
    const said = TRIP[language].turns.map((text, i) => ({
      text,
      in: 'trip',
      speaker: i % 2 === 0 ? 'user' : 'ai',
    }));
    trip.push(...(await bench.say(...said)));
  }
  return { trip, others };
}

describe('by rules', () => {
  test.each(['en', 'ja', 'zh'] as const)(
    '%s: a trip among two hundred turns of everyday life becomes its own topic',
    async (language) => {
      const bench = new DerivationBench();
      const { trip, others } = await liveThrough(bench, language);
      await bench.run(
        derivation(bench),
        [...others, ...trip].sort((a, b) => a - b),
      );
      const topic = await topicOf(bench, trip[0]!);
      expect(topic.title).toMatch(TRIP[language].tells);
      expect(topic.summary).toMatch(TRIP[language].tells);
      expect(await bench.store.topics.membersOf(topic.id, { limit: 100 })).toEqual(trip);
    },
  );

  test.each(['en', 'ja', 'zh'] as const)('%s: a subject is recognised weeks later', async (language) => {
    const bench = new DerivationBench();
    const { trip, others } = await liveThrough(bench, language);
    bench.now += 24 * HOUR_MS;
    const [again] = await bench.say({ text: TRIP[language].again, in: 'later' });
    await bench.run(
      derivation(bench),
      [...others, ...trip, again!].sort((a, b) => a - b),
    );
    expect((await topicOf(bench, again!)).id).toBe((await topicOf(bench, trip[0]!)).id);
  });

  test.each([
    [
      'en',
      [
        'I signed up for a pottery class.',
        'Pottery sounds fun!',
        'We made pottery bowls on the wheel.',
        'Nice bowls.',
      ],
      [
        'My brother came by with his kids.',
        'How old are they now?',
        'We took them to the pottery studio.',
        'Pottery with kids, brave!',
        'Their pottery went into the kiln.',
      ],
      /Pottery/,
    ],
    [
      'ja',
      ['陶芸を習い始めた。', '陶芸って楽しそう！', '陶芸のろくろでお碗を作った。', 'いいお碗だね。'],
      [
        '弟が子どもたちを連れて来た。',
        '何歳になったの？',
        'みんなで陶芸の工房に行った。',
        '子どもと陶芸、大変そう！',
        '陶芸の作品は窯に入れたよ。',
      ],
      /陶芸/,
    ],
    [
      'zh',
      ['我开始学陶艺了。', '陶艺听起来很有意思！', '陶艺课上用转盘做了碗。', '碗真好看。'],
      [
        '弟弟带着孩子们来了。',
        '他们几岁了？',
        '我们一起去了陶艺工作室。',
        '带孩子做陶艺，真勇敢！',
        '陶艺作品放进窑里烧了。',
      ],
      /陶艺/,
    ],
  ] as const)(
    '%s: a subject that returns among others joins its topic',
    async (language, first, later, theme) => {
      const bench = new DerivationBench();
      const ids = await bench.say(...first.map((text) => ({ text, in: 'first' })));
      for (const [day, lines] of EVERYDAY[language].entries()) {
        bench.now += 24 * HOUR_MS;
        ids.push(...(await bench.say(...lines.map((text) => ({ text, in: `d${day}` })))));
      }
      bench.now += 24 * HOUR_MS;
      const again = await bench.say(...later.map((text) => ({ text, in: 'later' })));
      await bench.run(derivation(bench), [...ids, ...again]);
      const topic = await topicOf(bench, ids[0]!);
      expect(topic.title).toMatch(theme);
      expect((await topicOf(bench, again.at(-1)!)).id).toBe(topic.id);
      // No other turns are in the topic.
      const drawn = await bench.store.topics.membersOf(topic.id, { limit: 100 });
      expect(drawn.filter((id) => ids.slice(first.length).includes(id))).toEqual([]);
    },
  );

  test.each(['en', 'ja', 'zh'] as const)(
    '%s: every episode has a topic, and summaries consist of words that were said',
    async (language) => {
      const bench = new DerivationBench();
      const { trip, others } = await liveThrough(bench, language);
      await bench.run(
        derivation(bench),
        [...others, ...trip].sort((a, b) => a - b),
      );
      expect((await bench.store.topics.ofUnits([...others, ...trip])).size).toBe(others.length + trip.length);
      const said = [...EVERYDAY[language].flat(), ...TRIP[language].turns].join('\n');
      for (const { summary } of await bench.store.topics.list({}, { limit: 100 }))
        for (const sentence of splitSentences(summary ?? '')) expect(said).toContain(sentence.trim());
    },
  );

  test('turns without content join the surrounding talk, in any language', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say(TRIP.ja.turns[0], 'うん', '哈哈', 'Thanks!', {
      text: '[redacted]',
      source: 'meta_request',
    });
    await bench.run(derivation(bench), ids);
    const topics = await bench.store.topics.ofUnits(ids);
    expect(new Set(ids.map((id) => topics.get(id)?.[0])).size).toBe(1);
    expect((await topicOf(bench, ids[0]!)).title).toMatch(TRIP.ja.tells);
  });

  test('after a greeting, the topic is named after the subject that follows', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say('おはよう！', ...TRIP.ja.turns);
    await bench.run(derivation(bench), ids);
    expect((await topicOf(bench, ids[0]!)).id).toBe((await topicOf(bench, ids[1]!)).id);
    expect((await topicOf(bench, ids[0]!)).title).toMatch(TRIP.ja.tells);
  });

  test('secrets do not name a topic', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say({ text: 'The code of my safe in Geneva is 4711.', sensitivity: 'secret' });
    await bench.run(derivation(bench), ids);
    const { title, summary } = await topicOf(bench, ids[0]!);
    expect(`${title} ${summary}`).not.toMatch(/safe|Geneva|4711|code/i);
  });

  test('works by words without an embedder', async () => {
    const bench = new DerivationBench();
    const { trip, others } = await liveThrough(bench, 'en');
    bench.now += 24 * HOUR_MS;
    const [again] = await bench.say({ text: TRIP.en.again, in: 'later' });
    await bench.run(
      derivation(bench, false),
      [...others, ...trip, again!].sort((a, b) => a - b),
    );
    const topic = await topicOf(bench, trip[0]!);
    expect((await topicOf(bench, again!)).id).toBe(topic.id);
    expect(await bench.store.topics.membersOf(topic.id, { limit: 100 })).toEqual([...trip, again]);
    expect(await bench.store.topics.centroids([topic.id])).toEqual(new Map());
  });

  test('keeps a title given by a person', async () => {
    const bench = new DerivationBench();
    const [first, ...rest] = await bench.say(...TRIP.en.turns);
    await bench.run(derivation(bench), [first!]);
    await bench.store.topics.update((await topicOf(bench, first!)).id, { title: 'Us two', source: 'user' });
    await bench.run(derivation(bench), rest);
    expect(await topicOf(bench, first!)).toMatchObject({ title: 'Us two', members: 4 });
  });
});

/** All data of topics except their ids. */
async function outcome(bench: DerivationBench, ids: readonly number[]) {
  const topics = await bench.store.topics.ofUnits(ids);
  const all = await bench.store.topics.list({}, { limit: 1_000 });
  const titles = new Map(all.map(({ id, title, summary }) => [id, `${title} ${summary}`]));
  return ids.map((id) => [topics.get(id), titles.get(topics.get(id)?.[0] ?? 0)]);
}

describe('a second run', () => {
  test('changes nothing', async () => {
    const bench = new DerivationBench();
    const { trip, others } = await liveThrough(bench, 'zh');
    const ids = [...others, ...trip].sort((a, b) => a - b);
    await bench.run(derivation(bench), ids);
    const before = await outcome(bench, ids);
    await bench.run(derivation(bench), ids);
    expect(await outcome(bench, ids)).toEqual(before);
  });

  test('gives the same result for any number of jobs at once, with or without existing vectors', async () => {
    const benches = [new DerivationBench(), new DerivationBench()] as const;
    const outcomes = [];
    for (const [i, bench] of benches.entries()) {
      const { trip, others } = await liveThrough(bench, 'ja');
      const ids = [...others, ...trip].sort((a, b) => a - b);
      if (i === 0) await bench.run(derivation(bench), ids);
      else {
        const texts = await Promise.all(ids.map((id) => bench.episode(id)));
        const vectors = await embedder.embed(
          texts.map(({ payload }) => `${payload.speaker}: ${payload.text}`),
          'document',
        );
        await bench.store.indexes.vectors.upsert(
          embedder.id,
          ids.map((unitId, at) => ({ unitId, vector: vectors[at]! })),
        );
        for (const id of ids) await bench.run(derivation(bench), [id]);
      }
      outcomes.push(await outcome(bench, ids));
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
  });
});

const REPLIES = {
  en: { title: 'Suspension bridge trip to Nasu-Shiobara', summary: 'They crossed a swaying bridge.' },
  ja: { title: '那須塩原の吊り橋へ行った旅行', summary: '揺れる吊り橋を渡った。' },
  zh: { title: '去那须盐原走吊桥的旅行', summary: '走过了摇晃的吊桥。' },
} as const;

describe('with a model', () => {
  test.each(['en', 'ja', 'zh'] as const)(
    '%s: a new topic has the model’s title and summary',
    async (language) => {
      const bench = new DerivationBench();
      const ids = await bench.say(TRIP[language].turns[0]);
      bench.replies({ topic: { decision: 'NEW', topicId: null, ...REPLIES[language] } });
      await bench.run(derivation(bench), ids);
      expect(await topicOf(bench, ids[0]!)).toMatchObject({ ...REPLIES[language], source: 'assign_topic' });
      expect(bench.asked[0]?.messages[0]?.content).toContain(TRIP[language].turns[0]);
      expect(bench.asked[0]?.system).toMatch({ en: /You keep/, ja: /あなた/, zh: /你负责/ }[language]);
    },
  );

  test('a match joins the known topic and updates its summary', async () => {
    const bench = new DerivationBench();
    const [first] = await bench.say(TRIP.en.turns[0]);
    bench.replies({ topic: { decision: 'NEW', topicId: null, ...REPLIES.en } });
    await bench.run(derivation(bench), [first!]);
    const topic = await topicOf(bench, first!);
    bench.now += 24 * HOUR_MS;
    const [again] = await bench.say({ text: TRIP.en.again, in: 'c2' });
    bench.replies({
      topic: {
        decision: 'BEST_MATCH',
        topicId: topic.id,
        title: '',
        summary: 'They dream of the bridge.',
      },
    });
    await bench.run(derivation(bench), [again!]);
    expect(bench.asked.at(-1)?.messages[0]?.content).toContain(`${topic.id}: ${topic.title}`);
    expect(await topicOf(bench, again!)).toMatchObject({
      id: topic.id,
      title: topic.title,
      summary: 'They dream of the bridge.',
      members: 2,
    });
  });

  test.each([
    ['a topic that was not shown', { decision: 'BEST_MATCH', topicId: 4_711, title: '', summary: '' }],
    ['no title', { decision: 'NEW', topicId: null, title: ' ', summary: '' }],
    ['a title in another language', { decision: 'NEW', topicId: null, title: '吊り橋の旅行', summary: '' }],
    [
      'a title copied from the instructions',
      { decision: 'NEW', topicId: null, title: 'You keep the long-term memory', summary: '' },
    ],
  ])('an answer with %s is replaced by rules', async (_, reply) => {
    const bench = new DerivationBench();
    const ids = await bench.say(TRIP.en.turns[0]);
    bench.replies({ topic: reply });
    await bench.run(derivation(bench), ids);
    expect(await topicOf(bench, ids[0]!)).toMatchObject({ source: 'assign_topic:rules' });
    expect((await topicOf(bench, ids[0]!)).title).toMatch(TRIP.en.tells);
  });

  test('is not asked about small talk or secrets, nor twice', async () => {
    const bench = new DerivationBench();
    const ids = await bench.say(TRIP.en.turns[0], 'Wow, thanks!', {
      text: 'My password for the hotel in Nikko is hunter2.',
      sensitivity: 'secret',
    });
    bench.replies({ topic: { decision: 'NEW', topicId: null, ...REPLIES.en } });
    await bench.run(derivation(bench), ids);
    await bench.run(derivation(bench), ids);
    expect(bench.asked).toHaveLength(1);
  });
});
