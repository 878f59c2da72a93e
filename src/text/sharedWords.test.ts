import { describe, expect, it } from 'vitest';
import { wordsSharedWith } from './text.ts';

describe('wordsSharedWith', () => {
  it.each([
    ['Which broth did Grandma cook?', 'Grandma cooked her broth for hours.', ['broth', 'Grandma', 'cook']],
    ['出汁の匂いで泣きそう', 'ばあちゃんの出汁を思い出して泣いた', ['出汁', '泣き']],
    ['あの吊り橋、また渡りたいな。', '吊り橋、風ですごく揺れた！', ['吊り橋']],
    ['外婆的汤真好喝', '我想喝外婆做的汤', ['外婆', '汤', '喝']],
    ['那須塩原の吊り橋はいつ行ったっけ？', '那須塩原の吊り橋、すごく揺れたね。', ['那須塩原の吊り橋']],
    [
      '干し貝柱の匂いで泣いちゃったこと、前に話したよね。',
      '干し貝柱が出てきて、あの台所の匂いがして、一時間くらい泣いてた',
      ['干し貝柱', '匂い', '泣く'],
    ],
    ['阿泽的头灯是不是下山的时候丢了？', '他的头灯上山的时候掉沟里了', ['头灯', '时候']],
    ['田村さんの読み聞かせ会', '田村さんは読み聞かせ以外も上手', ['田村さん', '読み聞かせ']],
    ['苏晴的吉他还在我这儿', '她走的时候吉他都没拿', ['吉他']],
    ['那座吊桥在哪里？', '那座吊桥晃得厉害。', ['座吊桥']],
    ["where's Jo's wedding?", 'my sister Jo is getting married', ['Jo']],
    ['whats my cats name lol', 'my cat, 14, orange lol', ['cats']],
    ['I am so tired today', 'I gave up coffee today', ['today']],
    ['田辺さんと廊下ですれ違った', '田辺さんと離れられる', ['田辺さん']],
    ['父が亡くなったのはいつ？', '去年の夏に亡くなって', ['亡くなる']],
    ['何を描いてたっけ', '描いてる間だけ静か', ['描く']],
    ['親から帰ってこいって言われた', '長野に帰ってこいって電話', ['帰ってこい']],
    ['富士山の高さは何メートル？', 'プレゼント何にする？', []],
    ['馆子叫什么名字', '在一家叫老槐树的小馆子吃了三顿', ['馆子']],
    // The common part begins or ends within a word of the first text.
    ['東京都民です', '京都に行った', []],
    ['我在北京大学读书', '他在南京大学', ['大学']],
    ['Switchのゲームがしたい', '昨日switchを買った', ['Switch']],
  ])('of “%s” and “%s”', (one, other, words) => {
    expect(wordsSharedWith(one)(other)).toEqual(words);
  });

  it.each([
    ['What is it?', 'It is what it is.'],
    ['それはどうかな', 'それはいいかな'],
    ['', 'anything'],
  ])('leaves out words without content: “%s”', (one, other) => {
    expect(wordsSharedWith(one)(other)).toEqual([]);
  });
});
