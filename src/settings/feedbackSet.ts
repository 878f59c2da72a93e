/** Exports feedback as a data set for `omoide eval`: the memory's conversations, and a query for each rated utterance. */
import type { Memory, Turn, Unit } from '../engine/engine.ts';
import type { Feedback, FeedbackLog } from './feedback.ts';

const PAGE = 500;

/** `history.jsonl`: every turn of the memory. */
export async function* feedbackHistory(memory: Memory): AsyncGenerator<string> {
  for await (const turn of memory.conversations.turns())
    yield formatLine({
      conv_id: memory.memoryId,
      session_id: turn.conversationId,
      turn_id: nameOf(turn.id),
      speaker: turn.speaker,
      text: turn.text,
      timestamp: new Date(turn.occurredAt).toISOString(),
    });
}

/**
 * `queries.jsonl`: the queries. Evidence is what helped, `wrong` what was called wrong; a query without evidence counts
 * only for the shares of injection and, when something was wrong, for tuning. Only what was said before the utterance may be found.
 */
export async function* feedbackQueries(memory: Memory, log: FeedbackLog): AsyncGenerator<string> {
  const byUtterance = Map.groupBy(readAll(memory.memoryId, log), ({ utterance }) => utterance);
  if (byUtterance.size === 0) return;
  const spoken = await turnsSaying(memory, new Set(byUtterance.keys()));
  for (const [text, verdicts] of byUtterance) {
    const [latest] = verdicts;
    if (!latest) continue;
    const helped = verdicts.filter(({ verdict }) => verdict === 'helped').map(({ unitId }) => unitId);
    const wrong = verdicts.filter(({ verdict }) => verdict === 'wrong').map(({ unitId }) => unitId);
    const evidence = await turnIdsOf(memory, helped);
    const cutoff = spoken.get(text);
    yield formatLine({
      query_id: `feedback-${latest.id}`,
      conv_id: memory.memoryId,
      text,
      evidence: evidence.map(nameOf),
      wrong: (await ownTurnsOf(memory, wrong)).filter((id) => !evidence.includes(id)).map(nameOf),
      asked_at: new Date(latest.at).toISOString(),
      type: 'feedback',
      context: latest.context,
      ...(cutoff && { cutoff_turn_id: nameOf(cutoff.id) }),
    });
  }
}

const formatLine = (value: object) => `${JSON.stringify(value)}\n`;
const nameOf = (turnId: number) => `t${turnId}`;

function readAll(memoryId: string, log: FeedbackLog): Feedback[] {
  const all: Feedback[] = [];
  for (;;) {
    const beforeId = all.at(-1)?.id;
    const page = log.list(memoryId, { limit: PAGE, ...(beforeId !== undefined && { beforeId }) });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** For each utterance, the last turn with exactly this text: it is the utterance itself. */
async function turnsSaying(memory: Memory, texts: ReadonlySet<string>): Promise<Map<string, Turn>> {
  const found = new Map<string, Turn>();
  for await (const turn of memory.conversations.turns()) if (texts.has(turn.text)) found.set(turn.text, turn);
  return found;
}

/** The turns of episodes, and of the evidence of other units. */
async function turnIdsOf(memory: Memory, unitIds: readonly number[]): Promise<number[]> {
  const units = await memory.units.get(unitIds);
  return ownTurnsOf(memory, [...unitIds, ...units.flatMap(evidenceOf)]);
}

/** The turns of episodes. What was learnt may be wrong where its evidence is right. */
async function ownTurnsOf(memory: Memory, unitIds: readonly number[]): Promise<number[]> {
  const units = await memory.units.get(unitIds);
  return [...new Set(units.flatMap((unit) => (unit.kind === 'episode' ? [unit.payload.turnId] : [])))];
}

function evidenceOf({ payload }: Unit): readonly number[] {
  return 'evidence' in payload ? payload.evidence : [];
}
