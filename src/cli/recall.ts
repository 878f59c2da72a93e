import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { formatHit, formatVerdict, formatWork } from './hits.ts';
import { openExisting, using } from './opening.ts';
import type { AddCommand } from './command.ts';
import { addRecallFlags, parseCount, parseKinds, readRecallFlags, type RecallFlags } from './recallFlags.ts';
import { printJson, printLines, printNote } from './terminal.ts';
import type { RecallOptions, RecallResult } from '../engine/engine.ts';

interface Flags extends SettingFlags, RecallFlags {
  readonly limit?: number;
  readonly kinds?: NonNullable<RecallOptions['kinds']>;
  readonly explain?: true;
  readonly json?: true;
}

export const addRecall: AddCommand = (program) => {
  const command = program
    .command('recall')
    .description('Finds relevant memories for an utterance, with the reasons.')
    .argument('<utterance>', 'the current utterance')
    .option('--limit <hits>', 'maximum number of hits (default: 10)', parseCount)
    .option('--kinds <list>', 'only these kinds, separated by commas', parseKinds)
    .option('--explain', 'show the contributions to each score; with --json the whole trace')
    .option('--json', 'print the result as JSON');
  addSettings(addRecallFlags(command)).action(recall);
};

async function recall(utterance: string, flags: Flags): Promise<void> {
  const { opening, ...asked } = await readRecallFlags(flags);
  const options = {
    ...asked.options,
    ...(flags.limit !== undefined && { limit: flags.limit }),
    ...(flags.kinds && { kinds: flags.kinds }),
    ...(flags.explain && { explain: true }),
  };
  await using(await openExisting(readSettings(flags), opening), async (memory) => {
    const result = await memory.recall(utterance, options);
    noteWhatWasMissing(result);
    if (flags.json) printJson(result);
    else printLines(formatResult(result, memory.timeZone, flags.explain === true));
  });
}

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
export function noteWhatWasMissing({ metadata }: Pick<RecallResult, 'metadata'>): void {
  const note = MISSING_VECTORS[metadata.vectors];
  if (note) printNote(note);
  const failed = metadata.deep && metadata.mode === 'fast' ? FAILED_DEEP[metadata.deep.rerank] : undefined;
  if (failed) printNote(failed);
}
