/** The interface of a language to the engine. */
import type { Edge, Grammar } from './chart.ts';

export interface Language {
  name: 'ja' | 'zh' | 'en';
  /** Islands of adjacent tokens in lower-case text; only those that can contain an expression. */
  lex: (text: string) => Edge[][];
  grammar: Grammar;
  /** Whether an edge can be an expression by itself at its place in the text. */
  accepts: (text: string, edge: Edge, original: string) => boolean;
  /** Matches a sentence that speaks of the future. */
  ahead: RegExp;
}
