/** What an exploration gives. */
import type { Emotion, Entity, Kind } from '../../model/model.ts';
import type { Language } from '../../text/text.ts';
import type { VectorState } from '../search.ts';
import type { Quote, Why } from '../types.ts';

export type Exploration = TopicExploration | TimelineExploration | QuoteExploration;

interface Explored {
  /** How the question was read. */
  readonly understood: Understood;
  readonly language: Language;
  /** What was looked for, in a sentence in that language. */
  readonly why: string;
  /** Why there is nothing; null when there is something. */
  readonly nothing: { readonly reason: NothingReason; readonly sentence: string } | null;
  /** For the page that follows; null: this is the last. */
  readonly nextCursor: string | null;
  readonly metadata: {
    /** Whether vectors were searched and, if not, why not. */
    readonly vectors: VectorState;
    readonly totalLatencyMs: number;
    /** Milliseconds by stage. */
    readonly breakdown: Readonly<Record<string, number>>;
  };
}

/** Topics in the middle, the most relevant first, each with its main episodes around it. */
export interface TopicExploration extends Explored {
  readonly view: 'topic';
  readonly topics: readonly ExploredTopic[];
}

/** What was said, in order of time. */
export interface TimelineExploration extends Explored {
  readonly view: 'timeline';
  readonly groups: readonly TimelineGroup[];
}

/** Passages word for word, the best first. */
export interface QuoteExploration extends Explored {
  readonly view: 'quote';
  readonly quotes: readonly ExploredItem[];
}

export type NothingReason = 'unknown_topic' | 'unknown_entity' | 'nothing_found';

export interface Understood {
  /** What is left of the sentence without the words that name a time. */
  readonly text: string | null;
  readonly keywords: readonly string[];
  /** ISO 8601, UTC; null: open. `words`: those that name it, if words do. */
  readonly period: {
    readonly from: string | null;
    readonly to: string | null;
    readonly words: string | null;
  } | null;
  readonly emotion: Emotion | null;
  readonly topic: TopicLink | null;
  readonly entity: Pick<Entity, 'id' | 'name' | 'type'> | null;
}

/** A unit, with what is worth showing of it. */
export interface ExploredItem {
  readonly unitId: number;
  readonly kind: Kind;
  /** Of an episode: who said it, and where it stands, so that it can be opened in its conversation. */
  readonly speaker: string | null;
  readonly conversationId: string | null;
  readonly turnIndex: number | null;
  readonly turnId: number | null;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  /** A passage of its text, word for word. */
  readonly quote: Quote;
  readonly emotion: Emotion | null;
  /** Its topics, the strongest first. */
  readonly topicIds: readonly number[];
  /** Of a fact: since when it holds, and until when. ISO 8601, UTC; null: not known, and still. */
  readonly validity: { readonly from: string | null; readonly to: string | null } | null;
  /** Higher is better, within one answer; 0 where nothing was ranked. */
  readonly score: number;
  readonly why: Why;
}

/** What was said in one conversation on one day, or what was learnt on that day. */
export interface TimelineGroup {
  readonly conversationId: string | null;
  /** `YYYY-MM-DD`, by the memory's clock. */
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
  /** Its own episodes, whether they may be shown or not. */
  readonly members: number;
  /** When its first and its last episode occurred, ISO 8601, UTC; null: it has none of its own. */
  readonly period: { readonly from: string; readonly to: string } | null;
  readonly emotion: Emotion | null;
  readonly parents: readonly TopicLink[];
  readonly children: readonly TopicLink[];
  /** Its main episodes, those of the topics below it included, the weightiest first. */
  readonly episodes: readonly ExploredItem[];
  readonly score: number;
  /** One sentence. */
  readonly why: string;
}
