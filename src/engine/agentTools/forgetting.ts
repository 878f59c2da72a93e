/** The tool that archives one unit, or erases permanently what the user has confirmed. */
import { z } from 'zod';
import { defined, isMemoryError, MemoryError, type Kind, type Receipt } from '../../model/model.ts';
import { countTokens } from '../../text/text.ts';
import type { Erased, ForgetRequest } from '../forgetting/forgetting.ts';
import type { Forgotten } from '../memory.ts';
import {
  agentTool,
  entryBudget,
  fitEntries,
  MAX_ECHO_TOKENS,
  shorten,
  type AgentAccess,
} from './agentTool.ts';

const id = z.int().positive();

const inputSchema = z.strictObject({
  unitId: id.optional().describe('From recall or explore.'),
  item: z.string().optional().describe('Of a note with several list items: words of the one that is meant.'),
  forGood: z.boolean().optional().describe('Erases permanently. Of a note in a file only its earlier text.'),
  units: z.array(id).min(1).max(1_000).optional(),
  turn: id.optional(),
  conversation: z.string().optional().describe('Its id.'),
  person: z.string().min(1).optional().describe('Said by or about them.'),
  period: z
    .strictObject({ from: z.string().optional(), to: z.string().optional() })
    .optional()
    .describe('ISO 8601; to is exclusive.'),
  everything: z.literal(true).optional(),
  confirm: z.string().optional().describe('The code of the preview.'),
});

export const forgetTool = agentTool({
  name: 'forget',
  description:
    'Archives one thing (unitId) so that it is no longer recalled; a note is removed from its file. Call it only when the user asks to forget something ' +
    'or says it is wrong. Of a note with several items give the words of the one to forget. With forGood, only when the user says so, it erases for ever ' +
    'one of unitId, units, turn, conversation, person, period or everything, and what was learnt from it alone. The first call only previews: tell the ' +
    'user how much would go, and after their yes repeat it with confirm.',
  input: inputSchema,
  does: 'changes',
  isIdempotent: true,
  async run(access, { unitId, item, forGood, confirm, ...targets }): Promise<ForgetAnswer> {
    if (forGood) {
      if (item !== undefined)
        throw new MemoryError('INVALID_INPUT', 'An item of a note is not erased for good.');
      return erasePermanently(access, defined({ unit: unitId, ...targets }), confirm);
    }
    const [other] = Object.keys(defined({ ...targets, confirm }));
    if (other !== undefined) throw new MemoryError('INVALID_INPUT', `${other} needs forGood.`);
    if (unitId === undefined) throw new MemoryError('INVALID_INPUT', 'Say what to forget: give unitId.');
    const { outcome, text, uri, sensitivity } = await access.memory.forget(unitId, defined({ item }));
    return {
      outcome,
      id: unitId,
      ...(uri !== null && { uri }),
      // Guessing ids must not reveal secrets.
      text: sensitivity === 'secret' ? '(a secret)' : shorten(text, MAX_ECHO_TOKENS),
    };
  },
});

/** Something that would be erased, or, with a `uri`, a note with the same content, which stays. */
export interface ForgetSample {
  readonly id: number;
  readonly kind: Kind;
  readonly text: string;
  readonly uri?: string;
  readonly section?: string;
}

type Sums = Pick<Erased, 'counts' | 'changed' | 'topicsRenamed'>;

export type ForgetAnswer =
  | {
      readonly outcome: Forgotten['outcome'];
      readonly id: number;
      readonly uri?: string;
      readonly text: string;
    }
  | ({
      readonly outcome: 'preview';
      /** The code for the call that erases this; null when there is nothing to erase. */
      readonly confirm: string | null;
      /** A code was given, but now other data would be erased. */
      readonly hasChanged: boolean;
      readonly samples: readonly ForgetSample[];
      readonly leftOut: number;
    } & Sums)
  | ({
      readonly outcome: 'erased';
      /** Null when it is too long for an answer. */
      readonly receipt: Receipt | null;
    } & Sums);

/** Without a valid code it only previews. */
async function erasePermanently(
  access: AgentAccess,
  target: ForgetRequest,
  confirm: string | undefined,
): Promise<ForgetAnswer> {
  const { memory, budgetTokens } = access;
  if (confirm === undefined) return preview(access, target, false);
  let erased: Erased;
  try {
    erased = await memory.forget({ ...target, plan: confirm });
  } catch (error) {
    if (isMemoryError(error, 'VERSION_CONFLICT')) return preview(access, target, true);
    throw error;
  }
  const { counts, changed, topicsRenamed, receipt } = erased;
  const fits = countTokens(JSON.stringify(receipt)) <= budgetTokens;
  return { outcome: 'erased', counts, changed, topicsRenamed, receipt: fits ? receipt : null };
}

async function preview(
  access: AgentAccess,
  target: ForgetRequest,
  hasChanged: boolean,
): Promise<ForgetAnswer> {
  const { plan, counts, changed, topicsRenamed, samples, notes } = await access.memory.forget({
    ...target,
    dryRun: true,
  });
  const maxTokens = entryBudget(access);
  const staying = notes.map(({ unitId, uri, section, text }) => ({
    id: unitId,
    kind: 'note' as const,
    uri,
    section,
    text: shorten(text, maxTokens),
  }));
  const going = samples.map(({ unitId, ...sample }) => ({ id: unitId, ...sample }));
  // Notes come first: the user has to edit them.
  const { shown, leftOut } = fitEntries<ForgetSample>([...staying, ...going], access);
  return {
    outcome: 'preview',
    confirm: plan,
    hasChanged,
    counts,
    changed,
    topicsRenamed,
    samples: shown,
    leftOut,
  };
}
