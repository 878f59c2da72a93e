/** The result types of an exploration. */
import type { Emotion, Entity, Kind } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import type { VectorState } from '../search.ts';
import type { Quote, Why } from '../types.ts';

export type Exploration = TopicExploration | TimelineExploration | QuoteExploration;

interface Explored {
  /** How the question was read. */
  readonly understood: Understood;
  readonly language: Language;
  /** The search in one sentence, in that language. */
  readonly why: string;
  /** Why the result is empty; null when it is not. */
  readonly nothing: { readonly reason: NothingReason; readonly sentence: string } | null;
  /** The cursor of the next page; null: this is the last page. */
  readonly nextCursor: string | null;
  readonly metadata: {
    /** Whether vectors were searched and, if not, why not. */
    readonly vectors: VectorState;
    readonly totalLatencyMs: number;
    /** Milliseconds by stage. */
    readonly breakdown: Readonly<Record<string, number>>;
  };
}

/** Topics, the most relevant first, each with its main episodes. */
export interface TopicExploration extends Explored {
  readonly view: 'topic';
  readonly topics: readonly ExploredTopic[];
}

/** Turns in order of time. */
export interface TimelineExploration extends Explored {
  readonly view: 'timeline';
  readonly groups: readonly TimelineGroup[];
}

/** Verbatim passages, the best first. */
export interface QuoteExploration extends Explored {
  readonly view: 'quote';
  readonly quotes: readonly ExploredItem[];
}

export type NothingReason = 'unknown_topic' | 'unknown_entity' | 'nothing_found';

export interface Understood {
  /** The sentence without its time expressions. */
  readonly text: string | null;
  readonly keywords: readonly string[];
  /** ISO 8601, UTC; null: open. `words`: the time expression, if the period was given in words. */
  readonly period: {
    readonly from: string | null;
    readonly to: string | null;
    readonly words: string | null;
  } | null;
  readonly emotion: Emotion | null;
  readonly topic: TopicLink | null;
  readonly entity: Pick<Entity, 'id' | 'name' | 'type'> | null;
}

/** A unit with the details to show. */
export interface ExploredItem {
  readonly unitId: number;
  readonly kind: Kind;
  /** For an episode: its speaker, and its place in the conversation. */
  readonly speaker: string | null;
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly turnId: number | null;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  /** A verbatim passage of its text. */
  readonly quote: Quote;
  readonly emotion: Emotion | null;
  /** Its topics, the strongest first. */
  readonly topicIds: readonly number[];
  /** The validity of a fact. ISO 8601, UTC; null: `from` is not known, `to` has not come. */
  readonly validity: { readonly from: string | null; readonly to: string | null } | null;
  /** Higher is better, within one answer; 0 where nothing was ranked. */
  readonly score: number;
  readonly why: Why;
}

/** The turns of one conversation on one day, or the units learnt on that day. */
export interface TimelineGroup {
  readonly conversationId: string | null;
  /** `YYYY-MM-DD`, in the memory's time zone. */
  readonly date: string;
  readonly items: readonly ExploredItem[];
}

export interface TopicLink {
  readonly id: number;
  readonly title: string;
}

export interface ExploredTopic extends TopicLink {
  readonly summary: string | null;
  readonly strength: number;
  /** Number of its own episodes, including ones that may not be shown. */
  readonly members: number;
  /** When its first and its last episode occurred, ISO 8601, UTC; null: it has no own episodes. */
  readonly period: { readonly from: string; readonly to: string } | null;
  readonly emotion: Emotion | null;
  readonly parents: readonly TopicLink[];
  readonly children: readonly TopicLink[];
  /** Its main episodes, including those of its subtopics, the most salient first. */
  readonly episodes: readonly ExploredItem[];
  readonly score: number;
  /** One sentence. */
  readonly why: string;
}
