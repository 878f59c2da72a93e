/** Templates and words of the three languages. */

export interface SpokenLanguage {
  readonly code: 'en' | 'ja' | 'zh';
  readonly names: readonly string[];
  /** Templates of turns. `N` is a content word, `P` a name, `T` a time. */
  readonly statements: readonly string[];
  readonly questions: readonly string[];
  /** Templates of questions. */
  readonly queries: readonly string[];
  readonly times: readonly string[];
  /** The separator between two sentences. */
  readonly space: string;
  /** The word with this number, from 0; each number has a different word. */
  word(index: number): string;
}

const words = (list: string) => list.split(' ');

const ONSETS = words('b br c ch d dr f fl g gr h j k l m n p pl qu r s sh sl st t th tr v w y z');
const VOWELS = words('a e i o u ai ea ee oa oo ou');
const CODAS = words('d ft l ll lt mp n nd p r rd rn sh sk st x');
const ENDINGS = words('er et ing le ow y ish on age en');

function englishWord(index: number): string {
  const onset = ONSETS[index % ONSETS.length] ?? '';
  const vowel = VOWELS[Math.floor(index / ONSETS.length) % VOWELS.length] ?? '';
  const coda = CODAS[Math.floor(index / (ONSETS.length * VOWELS.length)) % CODAS.length] ?? '';
  const ending = Math.floor(index / (ONSETS.length * VOWELS.length * CODAS.length));
  return onset + vowel + coda + (ending === 0 ? '' : (ENDINGS[(ending - 1) % ENDINGS.length] ?? ''));
}

const HAN = Array.from(
  '山川海空花草木林雨雪風雲星月日春夏秋冬朝夜町村駅店家庭門窓机本紙絵歌声音楽茶酒米魚肉果菜湯薬手足目耳心旅車船道橋寺宮城校室友親兄妹姉弟',
);
const KATAKANA = Array.from(
  'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモラリルレロワ',
);

/** Four fifths are compounds of two characters, the rest loan words of three or four. */
function japaneseWord(index: number): string {
  if (index % 5 < 4) return compound(index - Math.floor(index / 5));
  const loan = Math.floor(index / 5);
  const kana = (shift: number) =>
    KATAKANA[(loan * 7 + Math.floor(loan / 43 ** shift) * 11 + shift * 5) % 43] ?? '';
  return `${kana(0)}${kana(1)}ー${kana(2)}`;
}

function compound(index: number): string {
  const first = HAN[index % HAN.length] ?? '';
  const second = HAN[(index + 1 + Math.floor(index / HAN.length)) % HAN.length] ?? '';
  return first + second;
}

const HANZI = Array.from(
  '天地人家国城市街路桥河湖海山田园花树草鸟鱼马牛羊书报纸笔画歌舞影视机车船票店铺饭菜汤面茶酒糖果衣帽鞋包房屋门窗床灯钟表药医校班课考友亲',
);

function chineseWord(index: number): string {
  const first = HANZI[index % HANZI.length] ?? '';
  const second = HANZI[(index * 3 + 1 + Math.floor(index / HANZI.length)) % HANZI.length] ?? '';
  const third =
    index < HANZI.length ** 2 ? '' : (HANZI[Math.floor(index / HANZI.length ** 2) % HANZI.length] ?? '');
  return first + second + third;
}

export const LANGUAGES: readonly SpokenLanguage[] = [
  {
    code: 'en',
    names: words('Alice Ben Carla Dmitri Emma Farid Grace Hugo Ines Jonas Kira Leon Mara Nils Olga Pavel'),
    statements: [
      'I went to the N with P T and we looked at the N.',
      'My N broke again, so I have to buy another N before the N starts.',
      'P said that the N was much better than the N.',
      'I have been thinking about the N ever since you told me about your N.',
      'T we had N for dinner, and P brought a N.',
      "It's hard to find a good N around here, but the N near the N is fine.",
      'We are planning a N for P, with a lot of N and a little N.',
      "I don't like N that much, to be honest.",
      'My sister sent me a photo of her N T.',
      'The doctor told me to eat less N and to sleep more.',
      'P finally finished the N, after working on it for three years.',
      'I lost my N on the train and someone returned it, can you believe it?',
      'At the office everybody talks about the new N.',
      'The children made a N out of N and hung it on the wall.',
      'I am learning to play the N, although my teacher says I hold it like a N.',
      'P is moving to N because of a job with a N company.',
    ],
    questions: [
      'How was the N?',
      'Did you ever talk to P about the N?',
      'What are you going to do with the N T?',
      'Have you tried the N yet?',
    ],
    queries: [
      'What did P say about the N and the N?',
      'Do you remember the N that we talked about T?',
      'Who brought the N when we had N for dinner?',
      'I would love to see that N again, the one near the N.',
      'When did I go to the N with P?',
      'Is the N still broken, or did I buy another N?',
    ],
    times: words('yesterday last_week two_weeks_ago in_March last_summer on_Friday last_month').map((time) =>
      time.replaceAll('_', ' '),
    ),
    space: ' ',
    word: englishWord,
  },
  {
    code: 'ja',
    names: words('田中 佐藤 鈴木 高橋 さくら 健太 美咲 翔太 由美 大輔 葵 直樹'),
    statements: [
      'T、Pと一緒にNへ行って、Nを見てきたよ。',
      'Nがまた壊れたから、Nの前に新しいNを買わないといけない。',
      'PはNよりNのほうがずっといいって言ってた。',
      'この間話してくれたNのこと、ずっと考えてるんだ。',
      '夕飯はNにしたんだけど、PがNを持ってきてくれた。',
      'このあたりではいいNがなかなか見つからないけど、Nのそばのは悪くない。',
      '正直、Nはあまり好きじゃないんだよね。',
      '妹がT、Nの写真を送ってくれた。',
      'お医者さんに、Nを控えてもっと寝なさいって言われちゃった。',
      'Pは三年かけてやっとNを完成させたんだって。',
      '電車にNを忘れたけど、親切な人が届けてくれた。',
      '会社ではみんな新しいNの話ばかりしてる。',
      '子どもたちがNでNを作って壁に飾った。',
      'Nを習い始めたんだけど、先生にはまだまだだって笑われる。',
      'PはNの会社で働くことになって、引っ越すらしい。',
    ],
    questions: ['Nはどうだった？', 'PとNの話はしたの？', 'T、Nはどうするの？', 'もうNは試してみた？'],
    queries: [
      'あのNとNのこと、Pは何て言ってたっけ？',
      'T話してたNの件、覚えてる？',
      '夕飯がNだった日、Nを持ってきたのは誰だっけ。',
      'Nのそばで見たN、また見に行きたいな。',
      'PとNへ行ったのはいつだった？',
    ],
    times: words('昨日 先週 二週間前 先月 三月に 去年の夏 金曜日に この前'),
    space: '',
    word: japaneseWord,
  },
  {
    code: 'zh',
    names: words('王伟 李娜 张敏 刘洋 陈静 杨帆 赵磊 周婷 吴昊 孙悦'),
    statements: [
      'T我和P一起去了N，还看了N。',
      '我的N又坏了，得在N开始之前再买一个N。',
      'P说N比N好多了。',
      '自从你跟我说了N的事，我一直在想你的N。',
      '晚饭我们吃了N，P还带来了N。',
      '这附近很难找到好的N，不过N旁边的那家还不错。',
      '说实话，我不太喜欢N。',
      '妹妹T给我发了一张N的照片。',
      '医生让我少吃N，早点睡觉。',
      'P花了三年时间终于完成了N。',
      '我把N忘在地铁上了，有个好心人送了回来。',
      '公司里大家都在谈论新的N。',
      '孩子们用N做了一个N，挂在墙上。',
      '我开始学N了，老师总笑我太笨。',
      'P要搬家了，因为找到了一份跟N有关的工作。',
    ],
    questions: ['N怎么样？', '你跟P聊过N吗？', 'T你打算拿N怎么办？', '你试过N了吗？'],
    queries: [
      'P是怎么说那个N和N的？',
      '你还记得我们T聊过的N吗？',
      '晚饭吃N的那天，是谁带来了N？',
      '真想再去看看N旁边的那个N。',
      '我是什么时候和P去N的？',
    ],
    times: words('昨天 上周 两个星期前 上个月 三月 去年夏天 星期五 前几天'),
    space: '',
    word: chineseWord,
  },
];
