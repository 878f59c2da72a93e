import { MemoryError, topicSchema, type Emotion, type Topic } from '../../model/model.ts';
import { terms } from '../../text/text.ts';
import { parseColumn, parseNumbers } from './columns.ts';
import type { MeanFeeling } from './figures.ts';

export interface TopicRow {
  id: number;
  title: string;
  summary: string | null;
  source: string;
  created_at: number;
  updated_at: number;
  state: Topic['state'];
  successor_id: number | null;
  strength: number;
  members: number;
  first_at: number | null;
  last_at: number | null;
  emotion: string | null;
  emotion_weight: number;
  version: number;
  changes: number;
}

/** The data of an episode from which its topics' figures are computed. */
export interface MemberRow {
  occurredAt: number;
  salience: number;
  accessCount: number;
  emotion: string | null;
}

/** The changeable fields of a topic. */
export type TopicSet = Partial<
  Pick<Topic, 'title' | 'summary' | 'source' | 'strength' | 'state' | 'successorId'>
>;

export const topicWordsSchema = topicSchema.pick({ title: true, summary: true, source: true });
export const topicSetSchema = topicSchema.pick({
  title: true,
  summary: true,
  source: true,
  strength: true,
  state: true,
  successorId: true,
});
export const topicFiguresSchema = topicSchema.pick({ strength: true, centroidEmotion: true });

export function readTopicSet(row: TopicRow) {
  const { title, summary, source, strength, state, successor_id: successorId } = row;
  return { title, summary, source, strength, state, successorId };
}

export function feelingOf(row: TopicRow): MeanFeeling {
  return { emotion: readEmotion(row.emotion), weight: row.emotion_weight };
}

export function readEmotion(text: string | null): Emotion | null {
  return text === null ? null : parseColumn<'emotion'>(text);
}

export function writeEmotion(emotion: Emotion | null): string | null {
  return emotion && JSON.stringify(emotion);
}

export function readTopic(row: TopicRow & { parents: string; children: string }): Topic {
  return {
    id: row.id,
    title: row.title,
    summary: row.summary,
    source: row.source,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    state: row.state,
    successorId: row.successor_id,
    strength: row.strength,
    members: row.members,
    firstAt: row.first_at,
    lastAt: row.last_at,
    centroidEmotion: readEmotion(row.emotion),
    parentIds: parseNumbers(row.parents),
    childIds: parseNumbers(row.children),
    version: row.version,
  };
}

/** @throws MemoryError VERSION_CONFLICT */
export function checkVersion(topic: { id: number; version: number }, expected: number | undefined): void {
  if (expected === undefined || expected === topic.version) return;
  throw new MemoryError(
    'VERSION_CONFLICT',
    `Topic ${topic.id} has version ${topic.version}, not ${expected}.`,
    { topicId: topic.id, version: topic.version },
  );
}

export function countTerms({ title, summary }: Pick<Topic, 'title' | 'summary'>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms(summary === null ? title : `${title}\n${summary}`)) {
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return counts;
}
