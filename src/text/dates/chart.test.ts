import { describe, expect, it } from 'vitest';
import { cover, grammarOf, parse, rule } from './chart.ts';
import type { Edge } from './chart.ts';
import type { Context } from './value.ts';

const CONTEXT: Context = { now: 0, today: 0, prefer: 'past' };

/** 'NUM' for digits, a literal for the rest; one token per word. */
function lex(text: string): Edge[] {
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => {
    const place = { start: index, end: index + word.length };
    if (!/^\d+$/.test(word)) return { ...place, name: word };
    return {
      ...place,
      name: 'NUM',
      node: { kind: 'NUM', value: Number(word), digits: word.length },
    } as const;
  });
}

const grammar = grammarOf([
  rule('NUM plus|and NUM', (a, b) => ({ kind: 'NUM', value: a.value + b.value, digits: 0 })),
  rule('the? nth NUM', ({ value }) => (value > 0 ? { kind: 'ORD', value } : null)),
]);

/** The longest number or ordinal from the start of a text. */
function read(text: string): string {
  const follow = (end: number) => (text[end] === ' ' ? end + 1 : end);
  const chart = parse(lex(text), grammar, CONTEXT, follow);
  const found = cover(chart, ({ node, start, end }) => (node ? end - start - 0.1 : 0));
  return found.map(({ node, start, end }) => `${node?.kind} ${text.slice(start, end)}`).join('; ');
}

describe('rules', () => {
  it('apply to their own results', () => {
    expect(read('1 plus 2 and 3')).toBe('NUM 1 plus 2 and 3');
  });

  it('may omit optional parts', () => {
    expect(read('the nth 4')).toBe('ORD the nth 4');
    expect(read('nth 4')).toBe('ORD nth 4');
  });

  it('may reject a meaning', () => {
    expect(read('the nth 0')).toBe('NUM 0');
  });
});

describe('cover', () => {
  it('prefers what covers most with fewest pieces', () => {
    expect(read('1 2 plus 3 nth 4')).toBe('NUM 1; NUM 2 plus 3; ORD nth 4');
  });

  it('ignores entries without value', () => {
    expect(
      cover(
        parse(lex('the nth'), grammar, CONTEXT, (end) => end),
        () => 0,
      ),
    ).toEqual([]);
  });
});

describe('parse', () => {
  it('terminates on highly ambiguous input', () => {
    const text = Array.from({ length: 60 }, () => '1').join(' plus ');
    expect(read(text)).toMatch(/^NUM /);
  });
});
