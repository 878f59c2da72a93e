/** Special pieces: the first four rows of the table. */
const UNKNOWN_ID = 1;
const START_ID = 2;
const END_ID = 3;

const MAX_WORD_LENGTH = 64;
const MAX_CJK_PIECE_LENGTH = 8;
/** The average piece is not longer: text beyond the limit would not be read anyway. */
const UNITS_PER_PIECE = 16;

/** Han characters, kana with the long-vowel sign, and iteration marks: written without spaces. */
const CJK =
  '\\u3005-\\u3007\\u3041-\\u3096\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}';
const RUNS = new RegExp(`(?<cjk>[${CJK}]+)|(?<word>[[\\p{L}\\p{N}]--[${CJK}]]+)|(?<sign>\\S)`, 'gv');

/** The text in the form of the pieces: NFKC, lower case, no accents on Latin letters (voicing marks of kana are kept). */
export function foldText(text: string): string {
  const visible = text.replace(/[\ufe00-\ufe0f]/g, '').replace(/\p{C}/gu, ' ');
  return visible
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

/**
 * The ids of a text's pieces between a start and an end mark, at most `limit` of them; only the two marks when there is
 * no content. Runs of Chinese and Japanese are divided into the longest known pieces, other words by WordPiece (`##`
 * continues a word).
 */
export function encodePieces(text: string, ids: ReadonlyMap<string, number>, limit: number): number[] {
  const found = [START_ID];
  for (const { groups } of foldText(text.slice(0, limit * UNITS_PER_PIECE)).matchAll(RUNS)) {
    if (found.length >= limit) break;
    if (groups?.['cjk'] !== undefined) pushCjk(groups['cjk'], ids, found);
    else if (groups?.['word'] !== undefined) found.push(...wordPieces(groups['word'], ids));
    else found.push(ids.get(groups?.['sign'] ?? '') ?? UNKNOWN_ID);
  }
  found.length = Math.min(found.length, limit - 1);
  found.push(END_ID);
  return found;
}

function pushCjk(run: string, ids: ReadonlyMap<string, number>, found: number[]): void {
  const characters = Array.from(run);
  for (let at = 0; at < characters.length;) {
    let size = Math.min(MAX_CJK_PIECE_LENGTH, characters.length - at);
    let id = ids.get(characters.slice(at, at + size).join(''));
    while (id === undefined && size > 1) id = ids.get(characters.slice(at, at + --size).join(''));
    found.push(id ?? UNKNOWN_ID);
    at += size;
  }
}

function wordPieces(word: string, ids: ReadonlyMap<string, number>): number[] {
  const characters = Array.from(word);
  const found: number[] = [];
  for (let at = 0; at < characters.length;) {
    let end = Math.min(characters.length, at + MAX_WORD_LENGTH);
    const pieceTo = (to: number) => (at === 0 ? '' : '##') + characters.slice(at, to).join('');
    let id = ids.get(pieceTo(end));
    while (id === undefined && end > at + 1) id = ids.get(pieceTo(--end));
    if (id === undefined) return [UNKNOWN_ID];
    found.push(id);
    at = end;
  }
  return found;
}
