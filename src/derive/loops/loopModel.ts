/** Finds open loops and their ends by a language model. */
import { z } from 'zod';
import { localDate, parseInstant, wallClockToInstant, type Instant } from '../../model/model.ts';
import { oneLine } from '../../text/text.ts';
import { hasEvidence, isWorthKeeping } from '../guard.ts';
import { isNoMoreSensitive, type Scene } from '../scene.ts';
import { sentencesOf } from '../sentences.ts';
import { dueIn } from './due.ts';
import type { FoundLoop } from './loopRules.ts';
import type { Loop } from './openLoops.ts';

/** The most open loops that a model is shown, the newest. */
const MAX_SHOWN = 30;
const MAX_LOOPS = 6;
const MAX_LOOP_LENGTH = 200;
const MAX_CONFIDENCE = 0.9;

export const loopSchema = z.object({
  loops: z.array(
    z.object({
      text: z.string(),
      /** `YYYY-MM-DD`, or with a time `YYYY-MM-DDTHH:MM`. */
      due: z.string().nullable(),
      confidence: z.number(),
      /** The words of the turn that state it. */
      quote: z.string(),
    }),
  ),
  ended: z.array(
    z.object({
      /** Number of the open loop. */
      loop: z.number(),
      status: z.enum(['done', 'dropped']),
      quote: z.string(),
    }),
  ),
});
type Reply = z.infer<typeof loopSchema>;

export interface LoopAnswer {
  readonly found: readonly FoundLoop[];
  readonly ended: readonly { readonly loopId: number; readonly status: 'done' | 'dropped' }[];
}

/** The values for the prompt, and the ids of the loops that the model is shown. */
export function loopValues(
  open: readonly Loop[],
  { episode }: Scene,
  timeZone: string,
): { readonly shown: ReadonlySet<number>; readonly values: Record<string, string> } {
  const shown = open
    .filter(
      (loop) =>
        loop.occurredAt <= episode.occurredAt && isNoMoreSensitive(loop.sensitivity, episode.sensitivity),
    )
    .slice(-MAX_SHOWN);
  return {
    shown: new Set(shown.map((loop) => loop.id)),
    values: {
      open: shown.length === 0 ? '-' : shown.map((loop) => formatLoop(loop, timeZone)).join('\n'),
    },
  };
}

/** The parts of a reply that a turn states. */
export function loopsIn(
  reply: Reply,
  scene: Scene,
  { shown, timeZone }: { readonly shown: ReadonlySet<number>; readonly timeZone: string },
): LoopAnswer {
  return {
    found: reply.loops.flatMap((loop) => checked(loop, scene, timeZone)).slice(0, MAX_LOOPS),
    ended: reply.ended
      .filter(({ loop, quote }) => shown.has(loop) && hasEvidence(quote, scene.text))
      .map(({ loop, status }) => ({ loopId: loop, status })),
  };
}

function formatLoop({ id, payload, occurredAt }: Loop, timeZone: string): string {
  const due = payload.dueAt === null ? '' : `, → ${localDate(payload.dueAt, timeZone)}`;
  return `${id}: ${oneLine(payload.text)} (${localDate(occurredAt, timeZone)}${due})`;
}

function checked(
  loop: Reply['loops'][number],
  { episode, text: turnText }: Scene,
  timeZone: string,
): FoundLoop[] {
  const text = oneLine(loop.text);
  if (!hasEvidence(loop.quote, turnText) || !isWorthKeeping(text, MAX_LOOP_LENGTH)) return [];
  const source = sentencesOf(turnText).find((sentence) => hasEvidence(loop.quote, sentence)) ?? loop.quote;
  const dueAt = readDue(loop.due, timeZone) ?? dueIn(source, episode.occurredAt, timeZone);
  return [{ text, dueAt, confidence: Math.min(MAX_CONFIDENCE, Math.max(0.1, loop.confidence)) }];
}

/** A task for a day is due at the end of the day. */
function readDue(due: string | null, timeZone: string): Instant | null {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}.*))?$/.exec(due?.trim() ?? '') ?? [];
  if (date === undefined) return null;
  try {
    if (time !== undefined) return parseInstant(`${date}T${time}`, timeZone);
    return wallClockToInstant(`${localDate(parseInstant(date, 'UTC'), 'UTC')}T23:59:59.999`, timeZone);
  } catch {
    return null;
  }
}
