import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../model/model.ts';
import type { Document } from '../documents.ts';
import { TermBlock } from '../termCounts.ts';
import { conversationFeatures, type ConversationFeatures } from './features.ts';
import { Bm25, CountedTurns } from './queryTerms.ts';
import { placeTurns } from './turns.ts';

const AT = Date.parse('2026-03-11T12:00:00Z');
const TERMS = ['zeppelin', 'river'];

interface Turn {
  readonly text: string;
  readonly speaker?: string;
  readonly conversationId?: string | null;
  readonly turnIndex?: number | null;
  readonly at?: number;
}

const documentOf = (turn: Turn, i: number): Document => {
  const words = turn.text.toLowerCase().split(' ');
  return {
    unitId: i + 1,
    conversationId: turn.conversationId === undefined ? 'talk' : turn.conversationId,
    turnIndex: turn.turnIndex === undefined ? i : turn.turnIndex,
    speaker: turn.speaker ?? 'Mika',
    text: turn.text,
    occurredAt: turn.at ?? AT,
    terms: new TermBlock().add((visit) => new Set(words).forEach((word) => visit(word, 0, word.length))),
    length: words.length,
    isQuestion: false,
  };
};

/** The features of turns that are all candidates, in their order. */
async function featuresOf(
  turns: readonly Turn[],
  asked: {
    cosines?: readonly number[];
    span?: { from: number; to: number };
    utterance?: string;
    terms?: readonly string[];
  } = {},
): Promise<ConversationFeatures[]> {
  const { terms = TERMS } = asked;
  const documents = new Map(turns.map((turn, i) => [i + 1, documentOf(turn, i)]));
  const unitIds = [...documents.keys()];
  const statistics = {
    documents: 1_000,
    averageLength: 5,
    documentFrequency: new Map(terms.map((term) => [term, 3])),
    speakers: new Map([['Mika', { turns: 10, terms: 50, questions: 6 }]]),
    everyone: { turns: 1_000, terms: 5_000, questions: 100 },
  };
  const gathered = {
    unitIds,
    before: new Map(unitIds.slice(1).map((id) => [id, id - 1])),
    after: new Map(unitIds.slice(0, -1).map((id) => [id, id + 1])),
  };
  const placed = await placeTurns(gathered, async (ids) => ids.map((id) => documents.get(id) as Document));
  const weights = new Map(terms.map((term) => [term, 1]));
  const bm25 = new Bm25(new CountedTurns(terms, placed.documents), weights, statistics);
  return conversationFeatures({
    question: {
      utterance: asked.utterance ?? 'the zeppelin over the river',
      context: [],
      now: AT,
      timeZone: 'UTC',
      filter: {},
      limit: 10,
      similarityThreshold: null,
      budgetTokens: 1_000,
    },
    spans: asked.span ? [asked.span] : [],
    talkedAbout: new Map(),
    turns: placed,
    cosines: Float64Array.from(unitIds, (_, i) => asked.cosines?.[i] ?? 0),
    bm25,
    own: bm25,
    statistics,
  });
}

const filler = { text: 'well now then' };

describe('words', () => {
  it('weigh what they tell: the same for a turn, whether it is the best or not', async () => {
    const [alone] = await featuresOf([{ text: 'a zeppelin' }, filler]);
    const [both, one] = await featuresOf([{ text: 'a zeppelin over the river' }, { text: 'a zeppelin' }]);
    expect(one!.words).toBeCloseTo(alone!.words, 9);
    expect(both!.words).toBeCloseTo(2 * one!.words, 9);
    expect(both!.words).toBeLessThan(1);
  });

  it('weigh 1.5 in the best turn of a long query, and in the others their share of it', async () => {
    const terms = ['zeppelin', 'river', 'harbour', 'mooring', 'captain', 'mast'];
    const [best, half] = await featuresOf([{ text: terms.join(' ') }, { text: 'zeppelin river harbour' }], {
      terms,
    });
    expect(best!.words).toBe(1.5);
    expect(half!.words).toBeCloseTo(0.75, 9);
  });
});

describe('assistant', () => {
  const turns = [
    { text: 'try the harbour inn', speaker: 'assistant' },
    { text: 'I liked the inn', speaker: 'Mika' },
  ];
  const marked = async (utterance: string) =>
    (await featuresOf(turns, { utterance })).map((each) => each.assistant);

  it('marks its turns', async () => {
    expect(await marked('Which inn did I like?')).toEqual([1, 0]);
  });

  it('marks nothing when the query asks for its words, or for an earlier conversation', async () => {
    expect(await marked('Which inn did you recommend?')).toEqual([0, 0]);
    expect(await marked('你上次说哪家旅馆便宜？')).toEqual([0, 0]);
    expect(await marked('我跟你上次说的旅馆在哪？')).toEqual([1, 0]);
    expect(await marked('What was the inn in our last conversation?')).toEqual([0, 0]);
    expect(await marked('前回の会話に出てきた宿は？')).toEqual([0, 0]);
    expect(await marked('我们之前的对话里提到的旅馆？')).toEqual([0, 0]);
  });
});

describe('nearbyCosine', () => {
  it('is the advantage of a similar neighbour, decreasing with distance, up to ten turns', async () => {
    const features = await featuresOf(
      [{ text: 'a zeppelin' }, filler, { ...filler, turnIndex: 5 }, { ...filler, turnIndex: 11 }],
      { cosines: [1, 0, 0, 0] },
    );
    expect(features.map((each) => each.nearbyCosine)).toEqual([0, 0.8, 0.8 ** 5, 0]);
  });

  it('uses turns of the same conversation only', async () => {
    const features = await featuresOf([filler, { ...filler, conversationId: 'another' }], {
      cosines: [1, 0],
    });
    expect(features.map((each) => each.nearbyCosine)).toEqual([0, 0]);
  });

  it('is 0 when the turn itself is the most similar', async () => {
    const features = await featuresOf([filler, filler, filler], { cosines: [0.5, 0.25, 0.45] });
    expect(features[0]!.nearbyCosine).toBe(0);
    expect(features[1]!.nearbyCosine).toBeCloseTo(0.15, 9);
    expect(features[2]!.nearbyCosine).toBe(0);
    expect(features.map((each) => each.nextCosine)).toEqual([0.25, 0.45, 0]);
  });

  it('is 0 for turns without a conversation', async () => {
    const alone = { conversationId: null, turnIndex: null };
    const features = await featuresOf(
      [
        { text: 'a zeppelin', ...alone },
        { ...filler, ...alone },
      ],
      { cosines: [0.5, 0.1] },
    );
    expect(features.map((each) => each.nearbyCosine)).toEqual([0, 0]);
  });
});

it('date: 1 within the period in question, a share near it, 0 far away', async () => {
  const turns = [0, 1, 2, 20].map((days) => ({ ...filler, at: AT + days * DAY_MS }));
  const features = await featuresOf(turns, { span: { from: AT - 1, to: AT + 1 } });
  const dates = features.map((each) => each.date);
  expect(dates[0]).toBe(1);
  expect(dates[1]).toBeCloseTo(0.6 * Math.exp(-1 / 4), 6);
  expect(dates[2]).toBeLessThan(dates[1]!);
  expect(dates[3]).toBe(0);
});

it('speaker: 1 for turns by the person whom the question names', async () => {
  const turns = [filler, { text: 'I met mika there', speaker: 'Ken' }, { text: 'nobody', speaker: 'Ken' }];
  const named = async (utterance: string) =>
    (await featuresOf(turns, { utterance })).map((each) => each.speaker);
  expect(await named('Where did Mika go?')).toEqual([1, 0, 0]);
  expect(await named('whats mikas address')).toEqual([1, 0, 0]);
  expect(await named('the mikasa plates')).toEqual([0, 0, 0]);
});

it('asking: the speaker’s rate of questions, shrunk when they have few turns', async () => {
  const [asking] = await featuresOf([filler]);
  expect(asking!.asking).toBeCloseTo((0.6 - 0.1) * (20 / 1_000), 6);
});

describe('continued', () => {
  const turns = [
    { text: 'the river plan', conversationId: 'first', at: AT - 30 * DAY_MS },
    { text: 'the river plan', conversationId: 'second', at: AT - DAY_MS },
  ];

  it('prefers the newest conversation when the utterance continues one', async () => {
    const features = await featuresOf(turns, { utterance: 'Let’s continue with the river plan.' });
    expect(features.map((each) => each.continued)).toEqual([0.8, 1]);
  });

  it('is 0 when the utterance continues nothing', async () => {
    const features = await featuresOf(turns, { utterance: 'What was the river plan?' });
    expect(features.map((each) => each.continued)).toEqual([0, 0]);
  });
});
