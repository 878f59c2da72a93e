import { describe, expect, it } from 'vitest';
import { sharedWords } from './text.ts';

describe('sharedWords', () => {
  it.each([
    ['Which broth did Grandma cook?', 'Grandma cooked her broth for hours.', ['broth', 'Grandma', 'cook']],
    ['出汁の匂いで泣きそう', 'ばあちゃんの出汁を思い出して泣いた', ['出汁', '泣']],
    ['あの吊り橋、また渡りたいな。', '吊り橋、風ですごく揺れた！', ['吊り橋']],
    ['外婆的汤真好喝', '我想喝外婆做的汤', ['外婆', '汤', '喝']],
    ['那須塩原の吊り橋はいつ行ったっけ？', '那須塩原の吊り橋、すごく揺れたね。', ['那須塩原の吊り橋']],
    ['那座吊桥在哪里？', '那座吊桥晃得厉害。', ['座吊桥']],
    // What both hold begins or ends within a word of the first.
    ['東京都民です', '京都に行った', []],
    ['我在北京大学读书', '他在南京大学', ['大学']],
    ['Switchのゲームがしたい', '昨日switchを買った', ['Switch']],
  ])('of “%s” and “%s”', (one, other, words) => {
    expect(sharedWords(one, other)).toEqual(words);
  });

  it.each([
    ['What is it?', 'It is what it is.'],
    ['それはどうかな', 'それはいいかな'],
    ['', 'anything'],
  ])('none that carry nothing: “%s”', (one, other) => {
    expect(sharedWords(one, other)).toEqual([]);
  });
});
