/** Whether an utterance asks for the current or an earlier state, and whether a turn reports a change. */

const BEFORE =
  /\b(?:previous(?:ly)?|before|used to|initial(?:ly)?|originally|at first|former(?:ly)?|earlier|back then|in the past)\b|以前|前は|前の|もともと|元々|元は|昔|当初|最初|かつて|之前|原来|原先|过去|从前|以往|那时|最早|一开始|本来/iu;
const NOW =
  /\b(?:now|current(?:ly)?|these days|nowadays|still|at the moment|latest|most recent)\b|今(?![日年月週晩夜朝度回后天晚早])|いま|現在|一番新しい|いちばん新しい|最新|このごろ|近ごろ|现在|目前|如今|眼下|现住|这阵子/iu;
/** English shows it by tense: “do I drive”, “what's my address”. */
const PRESENT =
  /\b(?:do i|am i|are we|do we|(?:what|who|where|which|when|how)(?: \w+)?(?:'?s| is| are) (?:my|our))\b/iu;
const PAST = /\b(?:did|was|were|had|ago|last|yesterday)\b/iu;
/** Questions about oneself without a time; recognised in Japanese by the ending, in Chinese by the absence of a past marker. */
const PRESENT_JA =
  /(?:私|わたし|僕|ぼく|俺|おれ|うち|自分)(?:は|の|って|が).{0,24}(?:てる|ている|てます|ています|のは|は|です(?:か)?|何|なに|どこ|だれ|誰|いくつ)(?:の|んだ)?(?:っけ)?[?？。]?$/u;
const PRESENT_ZH =
  /^(?:我|咱)(?!.*(?:了|过|上次|那次|那天|昨|去年|上个?[月周]|时候|当时)).{0,20}(?:哪|什么|啥|谁|几|多少|吗)/u;

/** Japanese and Chinese words that ask for a state. A statement with 今は also describes a state, but perhaps another one. */
const STATE_WORDS =
  /今[のは]|現在|いま[のは]|以前|(?<![0-9０-９年月週日])前[のは]|もともと|元々|现在|目前|如今|之前|从前|原来|原先/gu;

/** A turn that tells how things are from now on. */
const CHANGE =
  /\b(?:now|moved|moving|switched|changed|new (?:job|address|home|flat|apartment|house|phone|number|car|place)|no longer|not any ?more|instead|turns out|update)\b|今は|今では|今後は|引っ越し(?:た|まし)|変わ(?:った|りました)|変え(?:た|ました)|転職|辞め(?:た|て|まし)|になりました|になった|やめ(?:た|て|まし)|现在|如今|搬(?:家|到|去|进|来)了?|换(?:了|成|到|工作)|改(?:成|到|为)了?|不再|辞(?:职|了)|转(?:到|去|岗)/iu;

export type AskedState = 'now' | 'before' | 'any';

export function askedState(utterance: string): AskedState {
  const normalized = utterance.normalize('NFKC').replace(/’/gu, "'");
  if (BEFORE.test(normalized)) return 'before';
  const isPresent =
    NOW.test(normalized) ||
    PRESENT.test(normalized) ||
    PRESENT_JA.test(normalized) ||
    PRESENT_ZH.test(normalized);
  return isPresent && !PAST.test(normalized) ? 'now' : 'any';
}

/** “I live in Bristol now”, 「今は神戸です」, “换工作了”. */
export function reportsChange(text: string): boolean {
  return CHANGE.test(text.normalize('NFKC'));
}

/** The utterance without the words that ask for a state: the subject of the state remains. */
export function withoutStateWords(utterance: string): string {
  return utterance.normalize('NFKC').replace(STATE_WORDS, ' ');
}
