/** What was found in a unit, as the server shows it. */
import type { Answer, Item } from '../../api/api.ts';

export type Finding = Item<'listSensitive'>;
export type Policy = Answer<'readSensitivePolicy'>['policy'];
export type Place = Finding['places'][number];
export type FoundKind = Place['kind'];

const MASK = '███';

/** Every kind with its label, in the order of the labels. */
export function kindOptions(labels: Readonly<Record<FoundKind, string>>): [FoundKind, string][] {
  return Object.entries(labels) as [FoundKind, string][];
}

export interface Piece {
  readonly text: string;
  /** Null for words between what was found. */
  readonly place: Place | null;
}

/** The text cut at what was found. Places are those of the text word for word, also where the text shown is masked. */
export function piecesOf({ text, places }: Pick<Finding, 'text' | 'places'>): Piece[] {
  const pieces: Piece[] = [];
  let original = 0;
  let shown = 0;
  for (const place of places) {
    const begin = shown + place.from - original;
    pieces.push({ text: text.slice(shown, begin), place: null }, { text: place.text, place });
    original = place.to;
    shown = begin + place.text.length;
  }
  pieces.push({ text: text.slice(shown), place: null });
  return pieces.filter(({ text: part, place }) => part !== '' || place !== null);
}

/** As the server shows it to those who may not read the words. */
export function concealed(finding: Finding): Finding {
  const text = piecesOf(finding)
    .map((piece) => (piece.place === null ? piece.text : MASK))
    .join('');
  const places = finding.places.map((place) => ({ ...place, text: MASK }));
  return { ...finding, text, places, isShown: false };
}

/** Places of words in a text that do not overlap what is masked already. */
export function placesOfWords(words: string, { text, places }: Finding): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let from = text.indexOf(words); from >= 0; from = text.indexOf(words, from + words.length)) {
    const to = from + words.length;
    if (!places.some((place) => from < place.to && place.from < to)) found.push({ from, to });
  }
  return found;
}
