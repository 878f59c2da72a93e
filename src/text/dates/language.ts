/** What the engine asks of a language. */
import type { Edge, Grammar } from './chart.ts';

export interface Language {
  name: 'ja' | 'zh' | 'en';
  /** Islands of neighbouring tokens in lower-case text; only those that may hold an expression. */
  lex: (text: string) => Edge[][];
  grammar: Grammar;
  /** Whether an edge may stand alone where it stands in the text. */
  accepts: (text: string, edge: Edge, original: string) => boolean;
  /** Found in a sentence that speaks of what is to come. */
  ahead: RegExp;
}
