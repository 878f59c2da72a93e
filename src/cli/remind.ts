import { pickDefined, type Bundle } from '../engine/engine.ts';
import { flag } from './command.ts';
import { formatBundle } from './explorations.ts';
import { warnAboutMissingParts } from './recall.ts';
import { addRecallCommand } from './recallFlags.ts';
import { countOf, style } from './terminal.ts';
import { parseCount } from './values.ts';

export const addRemind = addRecallCommand({
  name: 'remind',
  about: 'Shows what is recalled for an utterance: quoted turns, their topics, and the reasons.',
  flags: [
    flag('--limit <turns>', 'maximum number of turns (default: 10)', { parse: parseCount }),
    flag('--json', 'print the bundle as JSON'),
  ],
  async find({ memory, utterance, options, flags }) {
    const asked = { ...options, ...pickDefined(flags, ['limit']), view: 'bundle' } as const;
    const bundle = await memory.recall(utterance, asked);
    warnAboutMissingParts(bundle);
    return { json: bundle, lines: [...formatBundle(bundle, memory.timeZone), formatVerdict(bundle)] };
  },
});

function formatVerdict({ highlights, inject, metadata }: Bundle): string {
  const found = highlights.length === 0 ? 'Nothing is recalled.' : countOf(highlights.length, 'turn');
  const worth = inject ? ', relevant enough for the prompt.' : ', none relevant enough for the prompt.';
  const verdict = highlights.length === 0 ? found : found + worth;
  return style('dim', `${verdict} ${metadata.totalLatencyMs.toFixed(1)} ms`);
}
