import { pickDefined, type RecallResult } from '../engine/engine.ts';
import { flag, JSON_FLAG } from './command.ts';
import { formatHit, formatVerdict, formatWork } from './hits.ts';
import { addRecallCommand } from './recallFlags.ts';
import { printNote } from './terminal.ts';
import { parseCount, parseKinds } from './values.ts';

export const addRecall = addRecallCommand({
  name: 'recall',
  about: 'Finds relevant memories for an utterance, with the reasons.',
  flags: [
    flag('--limit <hits>', 'maximum number of hits (default: 10)', { parse: parseCount }),
    flag('--kinds <list>', 'only these kinds, separated by commas', { parse: parseKinds }),
    flag('--explain', 'show the contributions to each score; with --json the whole trace'),
    JSON_FLAG,
  ],
  async find({ memory, utterance, options, flags }) {
    const asked = pickDefined(flags, ['limit', 'kinds', 'explain']);
    const result = await memory.recall(utterance, { ...options, ...asked });
    warnAboutMissingParts(result);
    return { json: result, lines: formatResult(result, memory.timeZone, flags.explain === true) };
  },
});

function formatResult(result: RecallResult, timeZone: string, explain: boolean): string[] {
  const hits = result.hits.flatMap((hit, i) => [...formatHit(hit, i + 1, { timeZone, explain }), '']);
  return [...hits, formatVerdict(result), ...(explain ? formatWork(result, timeZone) : [])];
}

const MISSING_VECTORS: Partial<Record<RecallResult['metadata']['vectors'], string>> = {
  none_yet: 'there are no vectors yet, so only keyword search was used. “omoide rebuild” creates them.',
  other_model:
    'the vectors are of another model, so only keyword search was used. Recompute them with “omoide rebuild”, or give their model with --embedder.',
  failed:
    'the embedding model did not answer, so only keyword search was used. “omoide doctor” looks for the cause.',
};

const FAILED_DEEP: Partial<Record<NonNullable<RecallResult['metadata']['deep']>['rerank'], string>> = {
  no_model: 'there is no language model, so this is a fast recall. Choose one with --model.',
  late: 'the language model did not answer in time, so this is a fast recall.',
  failed: 'the language model did not answer, so this is a fast recall. “omoide doctor” looks for the cause.',
};

/** Prints a note when recall worked without vectors, or without the requested model. */
export function warnAboutMissingParts({ metadata }: Pick<RecallResult, 'metadata'>): void {
  const note = MISSING_VECTORS[metadata.vectors];
  if (note) printNote(note);
  const failed = metadata.deep && metadata.mode === 'fast' ? FAILED_DEEP[metadata.deep.rerank] : undefined;
  if (failed) printNote(failed);
}
