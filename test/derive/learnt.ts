/** A model's reply about turns. */
export interface LearntReply {
  readonly reflections?: readonly object[];
  readonly entities?: readonly object[];
  readonly relations?: readonly object[];
  readonly facts?: readonly object[];
  readonly loops?: readonly object[];
  readonly ended?: readonly object[];
  readonly topic?: object;
  readonly moment?: string;
}

/** The complete reply, with empty values for missing fields. */
export function learnt(reply: LearntReply = {}): LearntReply {
  return {
    reflections: [],
    entities: [],
    relations: [],
    facts: [],
    loops: [],
    ended: [],
    topic: { decision: 'NEW', topicId: null, title: '', summary: '' },
    moment: '',
    ...reply,
  };
}
