/** Recognises assistants, and questions about what an assistant said or about what both said. */

/** Names that clients and importers give an assistant. Every other name is a person's. */
const ASSISTANT =
  /^(?:ai|assistant|bot|chatbot|gpt(?:-\w+)?|chatgpt|claude|gemini|model|アシスタント|ボット|助手|助理|机器人|機器人)$/iu;

export function isAssistant(speaker: string | null): boolean {
  return speaker !== null && ASSISTANT.test(speaker.normalize('NFKC').trim());
}

const ASSISTANT_WORDS =
  /\bdid you (?:ever |just |already )?(?:say|tell|recommend|suggest|mention|advise|give|list|explain|provide|propose|describe|write|share|call|answer)\b|\byou(?:'d| had| have|'ve)? (?:(?:just|previously|earlier|also|already|once|originally|initially|last) )*(?:said|told|recommended|suggested|mentioned|advised|gave|listed|explained|provided|proposed|described|wrote|shared|answered|called|came up with)\b|\byour (?:\w+ )?(?:suggestion|recommendation|advice|answer|explanation) (?:was|were|about|on|for|last|from)\b|(?:君|きみ|あなた|そっち|そちら|AI)(?:が|は|の).{0,12}(?:言って|言った|勧め|薦め|すすめ|教えて|提案|答え)|(?:おすすめして|勧めて|薦めて|教えて|提案して|アドバイスして)(?:くれ(?!る|ない|ま(?:す|せん))|くださった|もらった|いただいた)|(?<![跟和对向给])你(?:(?:之前|上次|那次|刚才|当时|曾经|是|还)*(?:给我)?(?:推荐|建议|说过|提到|提过|告诉|教我|讲过)|(?:之前|上次|上回|那次|刚才|当时)(?:不是)?(?:跟我|和我|对我)?说)|你的(?:建议|推荐|回答|意见)/iu;

/** “What did you recommend?”, 「おすすめしてくれた店は？」, “你推荐过什么？” */
export function asksForAssistantWords(utterance: string): boolean {
  return ASSISTANT_WORDS.test(utterance.normalize('NFKC'));
}

const EARLIER_TALK =
  /\bour (?:\w+ )?(?:previous|prior|last|earlier|past|recent|other) (?:\w+ )?(?:chat|conversation|discussion|talk|session|exchange)s?\b|\bwe (?:talked|spoke|chatted) about (?:[^.?!]{1,60} )?(?:last time|earlier|before|previously|the other day|last week|yesterday)\b|(?:この前|前回|以前|先日|昨日|さっき|前)の(?:会話|チャット|やり取り|やりとり|話し合い)|(?:我们|咱们|咱|之前|上次|上回|以前|昨天|刚才|前几天)的?(?:聊天|对话|谈话|讨论)/iu;

/** “In our last conversation …”, 「前回のやりとりで」, “我们之前的对话里”: the answer may be a turn of either side. */
export function asksForEarlierTalk(utterance: string): boolean {
  return EARLIER_TALK.test(utterance.normalize('NFKC'));
}
