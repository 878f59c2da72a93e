/** Whether an utterance asks for the state of things now, or for the one before. */

const BEFORE =
  /\b(?:previous(?:ly)?|before|used to|initial(?:ly)?|originally|at first|former(?:ly)?|earlier|back then|in the past)\b|以前|前は|前の|もともと|元々|元は|昔|当初|最初|かつて|之前|原来|原先|过去|从前|以往|那时|最早|一开始|本来/iu;
const NOW =
  /\b(?:now|current(?:ly)?|these days|nowadays|still|at the moment|latest|most recent)\b|今(?![日年月週晩夜朝度回后天晚早])|いま|現在|一番新しい|いちばん新しい|最新|このごろ|近ごろ|现在|目前|如今|眼下|现住|这阵子/iu;
/** English says it by its tense: “do I drive”, “what's my address”. */
const PRESENT =
  /\b(?:do i|am i|are we|do we|(?:what|who|where|which|when|how)(?: \w+)?(?:'?s| is| are) (?:my|our))\b/iu;
const PAST = /\b(?:did|was|were|had|ago|last|yesterday)\b/iu;

export type AskedState = 'now' | 'before' | 'any';

export function askedState(utterance: string): AskedState {
  const said = utterance.normalize('NFKC').replace(/’/gu, "'");
  if (BEFORE.test(said)) return 'before';
  return (NOW.test(said) || PRESENT.test(said)) && !PAST.test(said) ? 'now' : 'any';
}
