/**
 * A small bottom-up parser over a lattice of tokens.
 *
 * A rule's pattern is words separated by spaces: UPPER CASE is a kind of node, lower case is a literal token, `|`
 * separates alternatives and `?` after literals marks them as optional:
 *
 *   rule('ORD UNIT of|in the? DATE', (nth, unit, date, context) => …)
 *
 * Positions are processed from right to left, so that everything that a rule may need to its right is already known
 * (a left-corner chart). `build` may reject a match by returning null: in this way meaning prunes the grammar.
 */
import type { Context, Node, Nodes } from './value.ts';

/** A token or a finished piece of the text. `name` is a literal, or the node's kind. */
export interface Edge {
  start: number;
  end: number;
  name: string;
  node?: Node;
}

type Arguments<Word extends string> = Word extends keyof Nodes ? [Nodes[Word]] : [];
type Captured<Pattern extends string> = Pattern extends `${infer Head} ${infer Tail}`
  ? [...Arguments<Head>, ...Captured<Tail>]
  : Arguments<Pattern>;

export interface Rule {
  /** For each place of the pattern, the names that fit. */
  places: ReadonlySet<string>[];
  build: (nodes: Node[], context: Context) => Node | null;
}

/**
 * One rule; `build` receives the nodes of the upper-case words in order, and the context. A pattern with four of them has
 * five parameters: their names stand in the order of the pattern.
 */
export function rule<Pattern extends string>(
  pattern: Pattern,
  build: (...parts: [...Captured<Pattern>, Context]) => Node | null,
): Rule[] {
  const compiled = (nodes: Node[], context: Context) =>
    (build as (...parts: unknown[]) => Node | null)(...nodes, context);
  return expand(pattern.split(' ')).map((places) => ({ places, build: compiled }));
}

function expand(words: string[]): ReadonlySet<string>[][] {
  const [word, ...rest] = words;
  if (word === undefined) return [[]];
  const tails = expand(rest);
  const names = new Set(word.replace('?', '').split('|'));
  const kept = tails.map((tail) => [names, ...tail]);
  return word.endsWith('?') ? [...kept, ...tails] : kept;
}

export type Grammar = ReadonlyMap<string, Rule[]>;

/** Rules by the names that can begin them. */
export function grammarOf(rules: Rule[][]): Grammar {
  const grammar = new Map<string, Rule[]>();
  for (const one of rules.flat()) {
    for (const name of one.places[0] ?? []) {
      const list = grammar.get(name);
      if (list) list.push(one);
      else grammar.set(name, [one]);
    }
  }
  return grammar;
}

/** The most edges for one island of tokens. When the limit is reached, the rest is not parsed. */
const MAX_EDGES = 3000;
/** The most different meanings kept of one kind for the same range of tokens. */
const MAX_MEANINGS = 3;

/** All edges that the grammar finds over the tokens, by their start. `follow` skips what may stand between two tokens. */
export function parse(
  tokens: Edge[],
  grammar: Grammar,
  context: Context,
  follow: (end: number) => number,
): Map<number, Edge[]> {
  const chart = new Map<number, Edge[]>();
  const waiting = Map.groupBy(tokens, (token) => token.start);
  let budget = MAX_EDGES;
  for (const start of [...waiting.keys()].toSorted((a, b) => b - a)) {
    const done: Edge[] = [];
    chart.set(start, done);
    const agenda = waiting.get(start) ?? [];
    for (let edge = agenda.shift(); edge && budget > 0; edge = agenda.shift()) {
      if (isKnown(done, edge)) continue;
      done.push(edge);
      budget--;
      for (const found of grow(edge, grammar, { chart, context, follow })) agenda.push(found);
    }
  }
  return chart;
}

function isKnown(done: Edge[], edge: Edge): boolean {
  let same = 0;
  for (const other of done) {
    if (other.end === edge.end && other.name === edge.name && (!edge.node || ++same >= MAX_MEANINGS))
      return true;
  }
  return false;
}

interface Parsing {
  readonly chart: ReadonlyMap<number, Edge[]>;
  readonly context: Context;
  readonly follow: (end: number) => number;
}

/** The edges of all rules that begin with `first`. */
function grow(first: Edge, grammar: Grammar, { chart, context, follow }: Parsing): Edge[] {
  const found: Edge[] = [];
  const nodes: Node[] = [];
  const walk = (one: Rule, place: number, edge: Edge) => {
    if (edge.node) nodes.push(edge.node);
    const names = one.places[place];
    if (names === undefined) {
      const node = one.build([...nodes], context);
      if (node) found.push({ start: first.start, end: edge.end, name: node.kind, node });
    } else {
      for (const next of chart.get(follow(edge.end)) ?? [])
        if (names.has(next.name)) walk(one, place + 1, next);
    }
    if (edge.node) nodes.pop();
  };
  for (const one of grammar.get(first.name) ?? []) walk(one, 1, first);
  return found;
}

/** The sequence of edges that covers most text with fewest pieces. `worth` is 0 for an edge that cannot stand alone. */
export function cover(chart: Map<number, Edge[]>, worth: (edge: Edge) => number): Edge[] {
  const starts = [...chart.keys()].toSorted((a, b) => b - a);
  const best: { start: number; score: number; edge?: Edge; next: number }[] = [];
  const scoreFrom = (position: number) => {
    const index = best.findLastIndex((entry) => entry.start >= position);
    return { index, score: best[index]?.score ?? 0 };
  };
  for (const start of starts) {
    const skip = scoreFrom(start + 1);
    let top: (typeof best)[number] = { start, score: skip.score, next: skip.index };
    for (const edge of chart.get(start) ?? []) {
      const value = worth(edge);
      if (value <= 0) continue;
      const rest = scoreFrom(edge.end);
      if (value + rest.score > top.score) top = { start, score: value + rest.score, edge, next: rest.index };
    }
    best.push(top);
  }
  const chosen: Edge[] = [];
  for (let at = best.length - 1; at >= 0; at = best[at]?.next ?? -1) {
    const edge = best[at]?.edge;
    if (edge) chosen.push(edge);
  }
  return chosen;
}
