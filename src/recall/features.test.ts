import { describe, expect, it } from 'vitest';
import { DAY_MS, type Episode } from '../model/model.ts';
import { computeFeatures, logShare, recency } from './features.ts';
import { fuseResults, type SearchResults } from './search.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

describe('recency', () => {
  // The table of the notes specification, §4: half-life 30 days.
  it.each([
    [0, 1.0],
    [7, 0.851],
    [15, 0.707],
    [30, 0.5],
    [60, 0.25],
    [90, 0.125],
  ])('after %d days leaves %d with a half-life of 30 days', (days, left) => {
    expect(recency(days * DAY_MS, 30 / Math.LN2)).toBeCloseTo(left, 3);
  });

  it('is e^(−age/45 d) for the companion', () => {
    expect(recency(45 * DAY_MS, 45)).toBeCloseTo(Math.exp(-1), 10);
  });

  it('is not lower for future dates', () => {
    expect(recency(-5 * DAY_MS, 30)).toBe(1);
  });
});

describe('logShare', () => {
  it('is log(n+1) / log(max+2)', () => {
    expect(logShare(3, 8)).toBeCloseTo(Math.log(4) / Math.log(10), 12);
    expect(logShare(0, 0)).toBe(0);
    expect(logShare(8, 8)).toBeLessThan(1);
  });
});

describe('computeFeatures', () => {
  const results: SearchResults = {
    vector: [
      [
        { unitId: 1, score: 0.8 },
        { unitId: 2, score: 0.4 },
      ],
    ],
    keyword: [
      [
        { unitId: 2, score: 9 },
        { unitId: 3, score: 3 },
      ],
    ],
    time: [],
    vectorState: 'used',
    queryVector: null,
  };
  const compute = (over: Partial<SearchResults> = {}) =>
    computeFeatures({
      units: [episode(1), episode(2), episode(3)],
      results: { ...results, ...over },
      fused: fuseResults({ ...results, ...over }),
      utterance: 'the swaying bridge',
      now: NOW,
      recencyTauDays: 45,
      expanded: new Map(),
      topicStrengths: new Map(),
      feeling: null,
      timeRange: { from: NOW - 2 * DAY_MS, to: NOW },
    });

  it('uses cosines as semantic, and scales the results of each search separately', () => {
    const features = compute();
    expect(features.get(1)).toMatchObject({ semantic: 0.8, vector: 1, keyword: 0 });
    expect(features.get(2)).toMatchObject({ semantic: 0.4, vector: 0, keyword: 1 });
    expect(features.get(3)).toMatchObject({ semantic: 0, vector: 0, keyword: 0 });
  });

  it('uses fused ranks as semantic while there are no vectors', () => {
    const features = compute({ vector: [], vectorState: 'none_yet' });
    expect(features.get(2)?.['semantic']).toBe(1);
    expect(features.get(3)?.['semantic']).toBeCloseTo(61 / 62, 10);
  });

  it('recognises turns within the period in question', () => {
    const features = compute();
    expect(features.get(1)?.['timeMatch']).toBe(1);
    expect(features.get(3)?.['timeMatch']).toBe(0);
  });

  it('keeps every feature within 0..1', () => {
    for (const own of compute().values()) {
      for (const value of Object.values(own)) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
    }
  });
});

function episode(id: number): Episode {
  return {
    id,
    kind: 'episode',
    occurredAt: NOW - id * DAY_MS,
    createdAt: NOW,
    updatedAt: NOW,
    source: 'chat',
    state: 'raw',
    confidence: 1,
    salience: 0.5,
    sensitivity: 'normal',
    pinned: false,
    topicTags: [],
    scope: 'global',
    expiresAt: null,
    reinforcement: id,
    accessCount: id,
    lastAccessedAt: NOW - DAY_MS,
    emotion: null,
    version: 1,
    payload: {
      turnId: id,
      conversationId: 'c',
      turnIndex: id,
      speaker: 'user',
      text: `the bridge was swaying ${id}`,
      imageSummary: null,
      contextNote: null,
      reflection: null,
    },
  };
}
