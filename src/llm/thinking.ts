/** Some models write what they think before their answer, between these. */
const OPENING = '<think>';
const CLOSING = '</think>';

/** The answer without the thoughts before it. */
export function withoutThinking(reply: string): string {
  const end = reply.indexOf(CLOSING);
  // Some servers swallow the opening mark, which the model is given and does not write.
  if (end !== -1) return reply.slice(end + CLOSING.length).trimStart();
  return reply.trimStart().startsWith(OPENING) ? '' : reply;
}

export interface ThinkingFilter {
  /** What of the reply can be shown, now that this piece has come. */
  push(piece: string): string;
  /** What was held back, at the reply's end. */
  end(): string;
}

/** The same for a reply that comes in pieces, where its opening mark tells. */
export function createThinkingFilter(): ThinkingFilter {
  let held = '';
  let isAnswering = false;
  return {
    push(piece) {
      if (isAnswering) return piece;
      held += piece;
      const beginning = held.trimStart();
      if (beginning.startsWith(OPENING)) {
        const answer = held.includes(CLOSING) ? withoutThinking(held) : '';
        isAnswering = answer !== '';
        return answer;
      }
      if (OPENING.startsWith(beginning)) return '';
      isAnswering = true;
      return held;
    },
    end: () => (isAnswering ? '' : withoutThinking(held)),
  };
}
