import type { DerivationMarks } from '../derivationMarks.ts';
import type { Session } from '../session.ts';
import type { TextIndex } from '../textIndex.ts';
import type { Centroids } from './centroids.ts';
import type { TopicRows } from './topicRows.ts';
import type { TopicText } from './topicText.ts';

/** What topics are read and changed with. */
export interface TopicParts {
  readonly session: Session;
  readonly textIndex: TextIndex;
  readonly marks: DerivationMarks;
  readonly centroids: Centroids;
  readonly topics: TopicRows;
  readonly topicText: TopicText;
}
