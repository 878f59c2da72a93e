/** Two hundred turns of everyday conversation in each language, none of them about a trip. */

interface Everyday {
  /** Sentences about each item: `{}` is replaced by it. */
  readonly said: readonly string[];
  readonly answered: readonly string[];
  readonly things: readonly string[];
}

const EVERYDAY: Readonly<Record<'ja' | 'zh' | 'en', Everyday>> = {
  ja: {
    said: [
      '今日は{}を買ってきたんだ。',
      '{}がまた値上がりしてた。',
      '昨日の夜、{}の夢を見たよ。',
      '弟が{}を壊しちゃって困ってる。',
      '{}の使い方がまだよくわからない。',
    ],
    answered: [
      'そうなんだ、{}って意外と高いよね。',
      '{}は長く使えるといいね。',
      'それは大変だったね、{}は無事？',
      '{}なら、少し調べてみようか。',
      '私は{}のことはあまり詳しくないけど、気になるな。',
    ],
    things: [
      '電子レンジ',
      '玉ねぎ',
      '自転車のライト',
      '英語の教科書',
      '加湿器',
      '猫のトイレ',
      'プリンター',
      '目覚まし時計',
      'トースター',
      '体温計',
      'ヨーグルト',
      '充電器',
      '植木鉢',
      'ギターの弦',
      '会社の名札',
      'イヤホン',
      'まな板',
      '掃除機',
      '色鉛筆',
      '腕時計',
    ],
  },
  zh: {
    said: [
      '今天我买了{}回来。',
      '{}又涨价了，真受不了。',
      '昨晚我梦见了{}。',
      '弟弟把{}弄坏了，头疼。',
      '{}到底怎么用，我还是不太明白。',
    ],
    answered: [
      '是吗，{}其实挺贵的。',
      '希望{}能用久一点。',
      '那可真麻烦，{}还好吗？',
      '{}的话，要不要查一查？',
      '我对{}不太了解，不过挺好奇的。',
    ],
    things: [
      '微波炉',
      '洋葱',
      '自行车灯',
      '英语课本',
      '加湿器',
      '猫砂盆',
      '打印机',
      '闹钟',
      '烤面包机',
      '体温计',
      '酸奶',
      '充电器',
      '花盆',
      '吉他弦',
      '工牌',
      '耳机',
      '砧板',
      '吸尘器',
      '彩色铅笔',
      '手表',
    ],
  },
  en: {
    said: [
      'I bought the {} today.',
      'The {} went up in price again.',
      'I dreamt of the {} last night.',
      'My brother broke the {}, what a nuisance.',
      'I still do not understand how the {} works.',
    ],
    answered: [
      'Oh, the {} is more expensive than one would think.',
      'I hope the {} lasts.',
      'That sounds annoying. Is the {} all right?',
      'Shall we look up the {}?',
      'I know little about the {}, but I am curious.',
    ],
    things: [
      'microwave',
      'sack of onions',
      'bicycle lamp',
      'grammar book',
      'humidifier',
      'litter box',
      'printer',
      'alarm clock',
      'toaster',
      'thermometer',
      'yoghurt maker',
      'charger',
      'flower pot',
      'guitar string',
      'name badge',
      'headset',
      'chopping board',
      'vacuum cleaner',
      'colouring set',
      'wristwatch',
    ],
  },
};

/** A hundred exchanges of the user and the companion, turn by turn. */
export function everydayTalk(language: 'ja' | 'zh' | 'en'): string[] {
  const { said, answered, things } = EVERYDAY[language];
  return things.flatMap((thing) =>
    said.flatMap((line, i) => [line, answered[i] ?? ''].map((words) => words.replace('{}', thing))),
  );
}
