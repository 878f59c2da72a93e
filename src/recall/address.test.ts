import { describe, expect, it } from 'vitest';
import { readAddress, type Address } from './address.ts';

const UTTERANCES = {
  en: {
    small_talk: [
      'morninggg',
      'heyyy',
      'thx!!',
      'thanks for listening, good night',
      'how r u',
      'I’m back',
      'happy birthday!',
      'talk to you later',
      'that makes sense',
      'thanks, Marnie!',
      'lol ok',
      'hmm',
    ],
    task: [
      'can u write a short poem about autumn',
      'fix this sentence: she dont know',
      'translate this into German: "I will be late."',
      'set a timer for 10 minutes',
      'sing me a song',
    ],
    knowledge: [
      'how tall is mount everest',
      'who is the president of france?',
      'whats the capital of peru',
      'what’s the tallest building in the world?',
      'what time is it?',
      'what’s the weather like today?',
    ],
    open: [
      'I’m so tired today',
      'who is Dev?',
      'how old is Jo?',
      'how tall is Jo?',
      'passport?',
      'how long was that bridge?',
      'what time is the dentist?',
      'what’s the name of the cafe',
      'debug the flaky refund test',
      'write to Ines about the release',
      'draft the release notes for Thursday',
      'list the open tickets',
    ],
  },
  ja: {
    small_talk: [
      '話聞いてくれてありがと、おやすみ😴',
      '教えてくれてありがとう！',
      'ありがとう、美咲さん',
      'はい！',
      'うわー',
      'お誕生日おめでとう！',
      'おつかれ〜',
      'どういたしまして',
    ],
    task: ['しりとりしよう', 'タイマー10分お願い', '俳句を一つ作って'],
    knowledge: [
      '富士山の高さは何メートル？',
      'アメリカの大統領は誰？',
      '世界一高いビルは？',
      '今日の天気は？',
      '5マイルは何キロ？',
    ],
    open: [
      '大会はいつ？',
      '猫は？',
      '田辺さんって誰？',
      'あの山の高さ、何メートルって聞いた？',
      '美咲の身長は？',
      'イタリアはワインの生産量が世界一なんですよね。',
      'おすすめしてくれた本、読み終わった！',
      '草津はどこに泊まった？',
      'おはよう。また眠れなかった',
    ],
  },
  zh: {
    small_talk: [
      '谢谢你听我说这些',
      '谢谢你一直听我唠叨，晚安',
      '生日快乐！',
      '好久不见',
      '恭喜恭喜',
      '谢谢你陪我聊天',
      '嗯嗯',
      '哇',
    ],
    task: ['翻译成英文：我明天到', '写个自我介绍', '给我起5个店名', '定个十分钟的闹钟'],
    knowledge: [
      '珠穆朗玛峰有多高？',
      '青城山海拔多少米',
      '美国总统是谁',
      '现在几点了',
      '今天天气怎么样',
      '5英里等于多少公里',
    ],
    open: [
      '林可是谁',
      '林可多高',
      '护照？',
      '那座山有多高来着',
      '恭喜林可升职了',
      '我女儿有多高？',
      '妈妈的生日是几号',
      '她是世界上最好的老师',
    ],
  },
} satisfies Record<string, Record<Address, readonly string[]>>;

const cases = (['en', 'ja', 'zh'] as const).flatMap((language) =>
  Object.entries(UTTERANCES[language]).flatMap(([address, texts]) =>
    texts.map((text): [string, Address, typeof language] => [text, address as Address, language]),
  ),
);

describe('what an utterance asks of the companion', () => {
  it.each(cases)('“%s” is %s', (text, address, language) => {
    expect(readAddress(text, language)).toBe(address);
  });
});
