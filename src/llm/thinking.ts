/** Some models write their reasoning before the answer, between these marks. */
const OPENING = '<think>';
const CLOSING = '</think>';

/** The answer without the reasoning before it. */
export function withoutThinking(reply: string): string {
  const end = reply.indexOf(CLOSING);
  // Some servers omit the opening mark, since it is part of the model's prompt.
  if (end !== -1) return reply.slice(end + CLOSING.length).trimStart();
  return reply.trimStart().startsWith(OPENING) ? '' : reply;
}

export interface ThinkingFilter {
  /** The part of the reply that can be shown after this piece. */
  push(piece: string): string;
  /** The part that was held back, at the end of the reply. */
  end(): string;
}

/** The same for a streamed reply; it recognises only reasoning with an opening mark. */
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
