/** Phrases such as “that trip”, 「あの旅行」, “那次旅行” that refer to a known thing by its kind only. */
import type { Entity } from '../../model/model.ts';
import type { Intent } from '../intent.ts';
import type { RankInput } from '../ranking.ts';

/** The entity types that go with each kind of experience: a turn about a trip names a place. */
const KINDS: readonly (readonly [types: readonly Entity['type'][], nouns: RegExp])[] = [
  [
    ['place'],
    /旅行|旅先|(?<!\p{Script=Han})旅(?!\p{Script=Han})|観光|遠出|ドライブ|ハイキング|登山|キャンプ|里帰り|帰省|旅游|旅途|出游|自驾|郊游|远足|爬山|露营|\b(?:(?:road ?)?trips?|travels?|journey|vacation|holidays?|getaway|tour|excursion|outing|hike)\b/giu,
  ],
  [
    ['event'],
    /祭り?|花火大会|ライブ|コンサート|結婚式|披露宴|パーティー|卒業式|演唱会|音乐节|婚礼|派对|聚会|毕业典礼|庙会|\b(?:festival|concert|gig|wedding|party|ceremony|parade)\b/giu,
  ],
  [
    ['organization', 'place'],
    /店|レストラン|カフェ|居酒屋|餐厅|饭店|饭馆|咖啡馆|\b(?:restaurant|caf[eé]|shop|pub|diner)\b/giu,
  ],
];
/** Maximum number of characters between the pointing words and the noun: “last summer's trip”, 「前に行った旅行」. */
const MAX_BETWEEN = 10;
/** Number of turns nearest to the utterance that are checked for a referent. */
const MAX_LIKE = 1_000;
const MAX_REFERENTS = 3;

/** The entity types that identify the thing the utterance refers to; empty when it refers to none. */
export function referredTypes(utterance: string, references: Intent['references']): Entity['type'][] {
  const ends = references.map(({ surface }) => {
    const at = utterance.indexOf(surface);
    return { from: at, to: at + surface.length + MAX_BETWEEN };
  });
  const isReferredTo = (at: number) => ends.some(({ from, to }) => from >= 0 && at >= from && at <= to);
  const types = KINDS.flatMap(([kinds, nouns]) =>
    [...utterance.matchAll(nouns)].some(({ index }) => isReferredTo(index)) ? kinds : [],
  );
  return [...new Set(types)];
}

/** The units nearest to the utterance that mention such an entity, with their values: 1 for the first, decreasing. */
export async function findReferents(
  { store, question, intent }: RankInput,
  queryVector: Float32Array | null,
): Promise<Map<number, number>> {
  const types = queryVector ? referredTypes(question.utterance, intent.references) : [];
  if (!queryVector || types.length === 0) return new Map();
  const like = await store.indexes.vectors.query(queryVector, question.filter, MAX_LIKE);
  const mentions = await store.entities.ofUnits(like.map(({ unitId }) => unitId));
  const entities = await store.entities.get([...new Set(mentions.map(({ entityId }) => entityId))]);
  const fitting = new Set(entities.filter(({ type }) => types.includes(type)).map(({ id }) => id));
  const speaking = new Set(mentions.flatMap(({ unitId, entityId }) => (fitting.has(entityId) ? unitId : [])));
  const best = like.filter(({ unitId }) => speaking.has(unitId)).slice(0, MAX_REFERENTS);
  return new Map(best.map(({ unitId }, rank) => [unitId, 1 / (rank + 1)]));
}
