import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../model/model.ts';
import { fitBudget } from './budget.ts';
import { labelScore, shouldInject } from './judge.ts';
import { SHIPPED_PROFILES } from './profiles.ts';
import { buildQueries } from './queries.ts';
import { timeDecay, weigh } from './score.ts';
import { selectStrategy, SEARCHES, weightsOf } from './strategy.ts';

const range = { from: 0, to: 1, words: 'yesterday', alternatives: [] };

describe('the strategy table (orchestrator §3.2)', () => {
  it.each([
    ['temporal', { queryType: 'factual', keywords: ['a'], timeRange: range }],
    ['temporal', { queryType: 'conceptual', keywords: [], timeRange: range }],
    ['keyword_boost', { queryType: 'factual', keywords: ['a'], timeRange: null }],
    ['hybrid', { queryType: 'factual', keywords: [], timeRange: null }],
    ['semantic_only', { queryType: 'conceptual', keywords: ['a'], timeRange: null }],
    ['hybrid', { queryType: 'procedural', keywords: ['a'], timeRange: null }],
    ['hybrid', { queryType: 'comparative', keywords: ['a'], timeRange: null }],
  ] as const)('%s for %o', (strategy, intent) => {
    expect(selectStrategy(intent)).toBe(strategy);
  });

  it('names the searches of each strategy', () => {
    expect(SEARCHES).toEqual({
      semantic_only: { vector: true, keyword: false, time: false },
      keyword_boost: { vector: true, keyword: true, time: false },
      temporal: { vector: true, keyword: false, time: true },
      hybrid: { vector: true, keyword: true, time: true },
    });
  });

  it('weights .7/.3, .5/.5 with a keyword boost, and no time decay today', () => {
    expect(weightsOf('hybrid', false)).toEqual({ vector: 0.7, keyword: 0.3, timeDecayFactor: 0.1 });
    expect(weightsOf('keyword_boost', false)).toEqual({ vector: 0.5, keyword: 0.5, timeDecayFactor: 0.1 });
    expect(weightsOf('temporal', true).timeDecayFactor).toBe(0);
  });
});

describe('the specified profiles', () => {
  it('have their specified weights', () => {
    expect(SHIPPED_PROFILES.fast.weights).toEqual({ rrf: 0.55, lexical: 0.35, recency: 0.1 });
    expect(SHIPPED_PROFILES.fast).toMatchObject({ recencyTauDays: 45, high: 0.35, medium: 0.28 });
    expect(SHIPPED_PROFILES.salience.weights).toEqual({
      semantic: 0.5,
      reinforcement: 0.2,
      recency: 0.2,
      access: 0.1,
    });
    expect(SHIPPED_PROFILES.associative.weights).toEqual({
      semantic: 0.45,
      recency: 0.1,
      topicStrength: 0.2,
      emotion: 0.2,
      reactivation: 0.05,
    });
  });

  const specified = Object.entries(SHIPPED_PROFILES).filter(([name]) => name !== 'conversation');
  it.each(specified)('%s: weights add up to 1', (_name, { weights }) => {
    expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  });
});

describe('weigh', () => {
  it('adds up value × weight and lists the contributions, largest first', () => {
    const { score, contributions } = weigh(
      { semantic: 0.9, recency: 0.5, other: 1 },
      { recency: 0.2, semantic: 0.5 },
    );
    expect(score).toBeCloseTo(0.55, 12);
    expect(contributions.map((each) => each.feature)).toEqual(['semantic', 'recency']);
    expect(contributions[0]).toMatchObject({ value: 0.9, weight: 0.5, contribution: 0.45 });
  });

  it('takes an unknown feature as 0', () => {
    expect(weigh({}, { semantic: 1 }).score).toBe(0);
  });
});

it('timeDecay is e^(−0.1) after thirty days', () => {
  expect(timeDecay(30 * DAY_MS, weightsOf('hybrid', false))).toBeCloseTo(Math.exp(-0.1), 12);
  expect(timeDecay(365 * DAY_MS, weightsOf('hybrid', true))).toBe(1);
});

describe('the injection rule (deep recall)', () => {
  it.each([
    [[], false],
    [['high'], true],
    [['medium'], false],
    [['medium', 'medium'], true],
    [['low', 'low', 'low'], false],
    [['medium', 'low', 'high'], true],
  ] as const)('%j → %s', (labels, inject) => {
    expect(shouldInject(labels)).toBe(inject);
  });

  it('assigns labels at exactly the thresholds', () => {
    const thresholds = { high: 0.35, medium: 0.28 };
    expect([0.35, 0.349, 0.28, 0.279].map((score) => labelScore(score, thresholds))).toEqual([
      'high',
      'medium',
      'medium',
      'low',
    ]);
  });
});

describe('queries', () => {
  it('are the utterance alone when there is no context', () => {
    expect(buildQueries('あれどうなった？', [])).toEqual(['あれどうなった？']);
  });

  it('are the utterance, and the last three exchanges before it', () => {
    const context = Array.from({ length: 8 }, (_, i) => ({
      speaker: i % 2 ? 'AI' : 'User',
      text: `line ${i}`,
    }));
    const [plain, whole] = buildQueries('and then?', context);
    expect(plain).toBe('and then?');
    expect(whole).toBe(
      'User: line 2\nAI: line 3\nUser: line 4\nAI: line 5\nUser: line 6\nAI: line 7\n---\nand then?',
    );
  });
});

describe('fitBudget', () => {
  it('takes hits in order while they fit, skipping those that are too long', () => {
    const hits = [{ tokens: 700 }, { tokens: 900 }, { tokens: 800 }];
    const { fitting, totalTokens, remainingTokens, passedOver } = fitBudget(hits, 1_500);
    expect(fitting).toEqual([{ tokens: 700 }, { tokens: 800 }]);
    expect({ totalTokens, remainingTokens }).toEqual({ totalTokens: 1_500, remainingTokens: 0 });
    expect(passedOver).toEqual([{ tokens: 900 }]);
  });

  it('never exceeds the budget', () => {
    const hit = fc.record({ tokens: fc.nat(400) });
    fc.assert(
      fc.property(fc.array(hit), fc.nat(2_000), (hits, budget) => {
        const { fitting, totalTokens, remainingTokens, passedOver } = fitBudget(hits, budget);
        expect(totalTokens).toBeLessThanOrEqual(budget);
        expect(totalTokens + remainingTokens).toBe(budget);
        expect(fitting.length + passedOver.length).toBe(hits.length);
      }),
    );
  });
});
