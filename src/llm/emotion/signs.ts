/** Signs of emotion in every language: emoji, kaomoji, laughter in letters. */
import type { EmotionKey, Feelings } from './lexicon.ts';

type Group = readonly [signs: string, ...feelings: (readonly [EmotionKey, number])[]];

const EMOJI: readonly Group[] = [
  ['😊 😀 😃 😄 😁 🙂 ☺ 😆 😸 🤩 🥳 🎉 🎊 🙌 🎂 🥂 🌟', ['joy', 0.5]],
  ['😂 🤣', ['playfulness', 0.55], ['joy', 0.3]],
  ['😜 😝 😛 🤪 😋 😏 😉 🙃 😈', ['playfulness', 0.5]],
  ['😍 🥰 😘 💕 💖 💗 💘 💓 💞 💝 😚 😻', ['flutter', 0.55], ['joy', 0.3]],
  ['❤ 🧡 💛 💚 💙 💜 🩷 ♥ ♡', ['flutter', 0.3], ['joy', 0.3]],
  ['😳 😚 ☺', ['flutter', 0.3]],
  ['😌 🧘 🍵 ☕ 🛀', ['peace', 0.4]],
  ['🤝 🙏 👍', ['trust', 0.3]],
  ['🤔 🧐 👀', ['curiosity', 0.4]],
  ['🤗 🫂', ['empathy', 0.5]],
  ['🤞 ✨ 🌈 💪', ['hope', 0.35]],
  ['🥺 😢 😭 😥 😿 💔 😞 😔 ☹ 🙁 😩 😫', ['sadness', 0.5]],
  ['😰 😨 😱 😟 😧 😬 😓 😖', ['anxiety', 0.5]],
  ['😠 😡 🤬 💢 😤 👿', ['anger', 0.6]],
  ['😒 🙄 😕 😣', ['conflict', 0.35]],
];

/** Each sign counts once, even if it is repeated. */
const SIGNS: readonly (readonly [pattern: RegExp, feelings: Feelings])[] = [
  [
    /[（(](?:笑|わら)[）)]|\p{L}[wWｗＷ]{2,}(?=$|[^\p{Script=Latin}])|[ぁ-んァ-ヶー\p{Script=Han}][wWｗＷ]|[ぁ-んァ-ヶー][笑草](?=$|[。、\s!！])/u,
    [
      ['playfulness', 0.45],
      ['joy', 0.25],
    ],
  ],
  [
    /\b(?:ha){2,}h?\b|\b(?:he){2,}\b|\blo+l+\b|233+/iu,
    [
      ['playfulness', 0.45],
      ['joy', 0.2],
    ],
  ],
  [
    /[（(][^（()）\n]{0,3}[＾^][^（()）\n]{0,3}[＾^][^（()）\n]{0,4}[）)]|\^_{0,2}\^|＾＾|[（(][*・´`｀∀▽ω≧≦≡]{3,6}[）)]/u,
    [['joy', 0.4]],
  ],
  [
    /[（(][^（()）\n]{0,2}(?:[;；Тт][^（()）\n]{0,4}[;；Тт`｀]|[´｀`][・_＿;；ω﹏Д]{1,4}[`｀´]?[;；])[^（()）\n]{0,2}[）)]|\bT[_.]T\b|QAQ|[（(]泣[）)]|orz\b/u,
    [['sadness', 0.5]],
  ],
  [/(?:^|\s)[:=]-?[)D](?=$|[\s.,!。！])/u, [['joy', 0.4]]],
  [/(?:^|\s)[:=]['-]?\((?=$|[\s.,!。！])/u, [['sadness', 0.5]]],
  [/(?:^|\s);-?[)P](?=$|[\s.,!。！])|[~～]?♪/u, [['playfulness', 0.3]]],
  [/[（(]怒[）)]|\bwtf\b|╬/iu, [['anger', 0.55]]],
  [/[（(](?:汗|焦)[）)]|\bomg\b/iu, [['anxiety', 0.3]]],
  [/\bxoxo\b|<3/iu, [['flutter', 0.4]]],
];

/** The emotions of each emoji. */
export const FEELINGS_OF_EMOJI: ReadonlyMap<string, Feelings> = indexEmoji();

function indexEmoji(): Map<string, Feelings> {
  const index = new Map<string, Feelings>();
  for (const [signs, ...feelings] of EMOJI) {
    for (const sign of signs.split(' ')) index.set(sign, [...(index.get(sign) ?? []), ...feelings]);
  }
  return index;
}
const ANY_EMOJI = /[\p{Extended_Pictographic}♡]/gu;

/** The emotions of the signs in a text, one entry for each different sign. */
export function feelingsOfSigns(text: string): Feelings[] {
  const emoji = new Set(text.match(ANY_EMOJI));
  return [
    ...[...emoji].map((sign) => FEELINGS_OF_EMOJI.get(sign) ?? []),
    ...SIGNS.filter(([pattern]) => pattern.test(text)).map(([, feelings]) => feelings),
  ].filter((feelings) => feelings.length > 0);
}
