/** English text split into words, marks and numbers. */

export interface Word {
  text: string;
  start: number;
  end: number;
}

/** am and pm with full stops, words, the possessive, digits, a line break, any other mark. */
const TOKEN = /[ap]\.m\b\.?|'s(?![a-z])|[a-z]+|\d+|\r?\n|[^\s]/g;

/** Words of lower-case text, in order. A line break is a word, so that no expression continues across it. */
export function tokenize(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const plain = token.includes('.m') ? `${token[0]}m` : token;
    words.push({ text: plain, start: match.index, end: match.index + token.length });
  }
  return words;
}
