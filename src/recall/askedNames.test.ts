import { describe, expect, test } from 'vitest';
import { namesAskedAbout } from './askedNames.ts';

describe('names in a question', () => {
  test.each([
    ['en', "When is Lorraine's birthday?", ['Lorraine']],
    ['en', "when's Lorraine's birthday", ['Lorraine']],
    ['en', 'So, what did my brother Greg say about the house?', ['Greg']],
    ['en', 'Remind me what Priya wanted for dinner', ['Priya']],
    ['en', 'How old is our dog Biscuit?', ['Biscuit']],
    ['ja', '小林さんの誕生日はいつでしたっけ', ['小林']],
    ['ja', '犬のゴンが死んだのは何日だったかな', ['ゴン']],
    ['zh', '王老师是哪天来的？', ['王老师']],
    ['zh', '我妹妹小红喜欢吃什么', ['小红']],
  ] as const)('%s: %s', (language, utterance, names) => {
    expect(namesAskedAbout(utterance, language)).toEqual(names);
  });
});

describe('no name is asked about', () => {
  test.each([
    ['en', 'Ken invited me to dinner, what should I bring?'],
    ['en', 'When Ken came over, I was ill.'],
    ['en', 'I had lunch with Priya today.'],
    ['en', 'Where did I stay in Paris?'],
    ['en', 'What did we do on Christmas?'],
    ['en', 'What was I paying in February?'],
    ['ja', '健二さんに夕飯に誘われたんだけど、何を持っていけばいい？'],
    ['ja', '京都に行ったのはいつだっけ'],
    ['zh', '王老师请我吃饭，我要注意什么？'],
    ['zh', '我上次去北京是什么时候'],
  ] as const)('%s: %s', (language, utterance) => {
    expect(namesAskedAbout(utterance, language)).toEqual([]);
  });
});
