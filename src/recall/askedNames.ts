/** The names that an utterance asks about, by rules. */
import { nameCandidates, type Language, type NameCandidate } from '../text/text.ts';

/** Kinds of names of which a memory has heard or not. Places, days and titles of works are known to everybody. */
const KINDS: ReadonlySet<NameCandidate['type']> = new Set(['person', 'animal', 'organization', 'other']);

/** What ends a part of an utterance that can ask on its own. */
const PART_END: Readonly<Record<Language, RegExp>> = {
  en: /(?<=[.!?;,\n])\s+/u,
  ja: /(?<=[。！？!?\n]|けど、|けれど、|ので、|から、|が、|し、|て、)/u,
  zh: /(?<=[。！？!?；，,\n])/u,
};

const AUXILIARY =
  "(?:['’]?s|['’]re|['’]d| is| are| was| were| did| does| do| has| have| had| will| would| can| could| should)";
/** English “when Ken came, …” does not ask: a question word needs its verb. */
const ASKS: Readonly<Record<Language, RegExp>> = {
  en: new RegExp(
    String.raw`\?\s*$|^(?:(?:and|so|but|ok|okay|hey|btw|wait|oh|um|also|please)\W+)*(?:(?:when|where|who|whom|what|how|why)(?: \w+){0,2}?${AUXILIARY}\b|(?:which|whose|did|does|do|is|are|was|were|has|have|had)\b|(?:remind me|tell me|remember|what about|how about)\b)`,
    'iu',
  ),
  ja: /いつ|どこ|誰|だれ|何|なに|なん(?=[でのだてと])|どの|どんな|どう|どれ|どっち|いくつ|いくら|なぜ|(?:っけ|[?？]|ますか|ですか|のか|かな[あぁ]?|覚えて(?:る|ます|いる))[。?？]?$/u,
  zh: /谁|什么|啥|哪|几|多少|怎么|何时|吗|呢|来着|[?？]$/u,
};

/**
 * The names of people, animals, organizations and things in the parts of an utterance that ask: “When is Lorraine's
 * birthday?” asks about Lorraine; “Ken invited me, what should I bring?” does not ask about Ken.
 */
export function namesAskedAbout(utterance: string, language: Language): string[] {
  const asking = utterance.split(PART_END[language]).filter((part) => ASKS[language].test(part.trim()));
  const names = asking.flatMap((part) => nameCandidates(part, language)).filter(isName);
  return [...new Set(names.map(({ name }) => name))];
}

function isName({ type, mayBeNew }: NameCandidate): boolean {
  return mayBeNew && KINDS.has(type);
}
