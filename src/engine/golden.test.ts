import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { internals, openMemory, type Memory } from './engine.ts';

/**
 * Golden rankings: small memories, and questions with an undisputed best answer. Whatever changes in
 * the weights, these hits stay first. A line is `speaker: text`; the AI's lines begin with `ai:`.
 */
interface Golden {
  /** By day, each a conversation. */
  readonly said: Readonly<Record<string, readonly string[]>>;
  /** A question, and the beginning of the turn that answers it. */
  readonly asked: readonly (readonly [question: string, answer: string])[];
}

const NOW = '2026-04-15T12:00';

const ENGLISH: Golden = {
  said: {
    '2025-11-08': [
      'user: I finally signed the lease for the flat on Harbour Street.',
      'ai: Congratulations! When do you get the keys?',
      'user: On the first of December. Grandma Ilse gives me her old piano for it.',
      'ai: A piano in the new flat, how lovely.',
      'user: The movers said the stairs are too narrow, so it goes in by crane.',
    ],
    '2025-12-20': [
      'user: Work has been brutal, the audit keeps me there until nine every night.',
      'ai: That sounds exhausting. Are you getting any rest?',
      'user: Hardly. My doctor says my blood pressure is too high.',
      'ai: Please take that seriously.',
      'user: I know. I promised her to cut out coffee.',
    ],
    '2026-01-17': [
      'user: Tomasz and I hiked up Falcon Ridge, and I sprained my ankle on the way down.',
      'ai: Ouch! How bad is it?',
      'user: Swollen like a balloon. He carried my backpack all the way to the car.',
      'ai: Tomasz is a good friend.',
      'user: He is. We met at the pottery class, you know.',
    ],
    '2026-02-28': [
      'user: My sister Wiebke is having twins in July!',
      'ai: Twins! How wonderful. How is she?',
      'user: Sick every morning, but happy. I will be their godmother.',
      'ai: You will be a great one.',
      'user: I have started to knit two tiny blankets, one green and one yellow.',
    ],
    '2026-04-02': [
      'user: I adopted a three-legged greyhound from the shelter. He is called Biscuit.',
      'ai: Biscuit! What is he like?',
      'user: Afraid of the vacuum cleaner, otherwise the calmest soul.',
      'ai: He must love his new home.',
      'user: He sleeps under the piano all day.',
    ],
  },
  asked: [
    ['What is the greyhound from the shelter called?', 'I adopted a three-legged greyhound'],
    ['How did I sprain my ankle?', 'Tomasz and I hiked up Falcon Ridge'],
    ['Who did I meet at the pottery class?', 'He is. We met at the pottery class'],
    ['When is Wiebke expecting her babies?', 'My sister Wiebke is having twins'],
    ['Why did I promise my doctor to give up coffee?', 'I know. I promised her to cut out coffee'],
    ['What colours are the blankets I am knitting?', 'I have started to knit two tiny blankets'],
  ],
};

const JAPANESE: Golden = {
  said: {
    '2025-11-08': [
      'user: 来月から鎌倉の古民家で暮らすことにしたよ。',
      'ai: 素敵ですね。引っ越しの準備は進んでいますか？',
      'user: 荷物が多くて大変。おばあちゃんの桐の箪笥も持っていくつもり。',
      'ai: 大切な箪笥なんですね。',
      'user: うん、嫁入り道具だったんだって。',
    ],
    '2025-12-20': [
      'user: 健康診断で血圧が高いって言われちゃった。',
      'ai: それは心配ですね。お医者さんは何と？',
      'user: 塩分を控えて、毎日三十分歩きなさいって。',
      'ai: 一緒に続けていきましょう。',
      'user: ラーメンの汁を飲み干すのはもうやめる。',
    ],
    '2026-01-17': [
      'user: 健太と蔵王へスキーに行って、右の手首を骨折した。',
      'ai: ええっ、大丈夫ですか？',
      'user: ギプスで三週間。ピアノの発表会は辞退したよ。',
      'ai: 残念でしたね。ゆっくり治してください。',
      'user: 健太が毎日お弁当を届けてくれるんだ。',
    ],
    '2026-02-28': [
      'user: 妹の美咲が六月に結婚するって！',
      'ai: おめでとうございます。お相手はどんな方ですか？',
      'user: 消防士さん。披露宴でスピーチを頼まれちゃった。',
      'ai: きっと素晴らしいスピーチになりますよ。',
      'user: 人前で話すのは苦手だから、今から緊張してる。',
    ],
    '2026-04-02': [
      'user: 保護施設から三毛猫を引き取ったよ。名前はきなこ。',
      'ai: きなこちゃん、可愛い名前ですね。',
      'user: 掃除機が怖いみたいで、押し入れから出てこない。',
      'ai: 少しずつ慣れていきますよ。',
      'user: 夜になると布団に入ってくるんだけどね。',
    ],
  },
  asked: [
    ['うちの猫の名前、何だっけ？', '保護施設から三毛猫を引き取ったよ'],
    ['手首を怪我したのはどこだった？', '健太と蔵王へスキーに行って'],
    ['美咲はいつ結婚するの？', '妹の美咲が六月に結婚する'],
    ['毎日どれくらい歩きなさいって言われたんだっけ？', '塩分を控えて、毎日三十分歩きなさい'],
    ['おばあちゃんの桐の箪笥は鎌倉に持っていくの？', '荷物が多くて大変'],
    ['発表会はどうして出なかったんだっけ？', 'ギプスで三週間'],
  ],
};

const CHINESE: Golden = {
  said: {
    '2025-11-08': [
      'user: 我终于在青岛租到了一套靠海的小公寓。',
      'ai: 太好了！什么时候搬家呢？',
      'user: 下个月初。外婆要把她的旧缝纫机送给我。',
      'ai: 那一定很有纪念意义。',
      'user: 是啊，她年轻时用它做过全家人的衣服。',
    ],
    '2025-12-20': [
      'user: 最近公司审计，天天加班到晚上九点。',
      'ai: 太辛苦了，要注意休息。',
      'user: 体检报告说我血压偏高，医生让我少吃盐。',
      'ai: 那我们一起改掉重口味的习惯吧。',
      'user: 我已经把家里的咸菜全扔了。',
    ],
    '2026-01-17': [
      'user: 我和志强去长白山滑雪，结果摔断了左手腕。',
      'ai: 天哪，严重吗？',
      'user: 打了石膏，要三个星期才能拆。钢琴比赛也只好退出了。',
      'ai: 真可惜，好好养伤。',
      'user: 志强每天给我送饭，真是好朋友。',
    ],
    '2026-02-28': [
      'user: 我妹妹小雯六月要结婚了！',
      'ai: 恭喜恭喜！新郎是做什么的？',
      'user: 他是一名消防员。他们让我在婚礼上致辞。',
      'ai: 你一定会讲得很好。',
      'user: 我一上台就紧张，已经开始写稿子了。',
    ],
    '2026-04-02': [
      'user: 我从救助站领养了一只三条腿的橘猫，叫豆包。',
      'ai: 豆包，好可爱的名字！',
      'user: 它特别怕吸尘器，一开机就钻到床底下。',
      'ai: 慢慢就会习惯的。',
      'user: 晚上它总睡在缝纫机旁边。',
    ],
  },
  asked: [
    ['我领养的那只猫叫什么？', '我从救助站领养了一只三条腿的橘猫'],
    ['我是在哪里摔断手腕的？', '我和志强去长白山滑雪'],
    ['小雯什么时候结婚？', '我妹妹小雯六月要结婚了'],
    ['医生为什么让我少吃盐？', '体检报告说我血压偏高'],
    ['外婆要送我什么？', '下个月初。外婆要把她的旧缝纫机送给我'],
    ['它为什么怕吸尘器？', '它特别怕吸尘器'],
  ],
};

describe.each([
  ['English', ENGLISH],
  ['Japanese', JAPANESE],
  ['Chinese', CHINESE],
] as const)('a memory in %s', (_language, { said, asked }) => {
  let folder: string;
  let memory: Memory;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'omoide-golden-'));
    memory = await openMemory({ dataDir: folder, timeZone: 'Asia/Tokyo', worker: false });
    for (const [day, lines] of Object.entries(said)) {
      await memory.add(
        lines.map((line, i) => {
          const [speaker = '', text = ''] = line.split(/: (.*)/su);
          return { conversationId: day, speaker, text, occurredAt: `${day}T20:0${i}` };
        }),
      );
    }
    await internals(memory).settle();
  });
  afterAll(async () => {
    await memory.close();
    rmSync(folder, { recursive: true });
  });

  it.each(asked)('%s → %s', async (question, answer) => {
    const { hits, metadata } = await memory.recall(question, { now: NOW, count: false });
    expect(metadata.vectors).toBe('used');
    expect(hits[0]?.text.slice(0, answer.length)).toBe(answer);
  });
});
