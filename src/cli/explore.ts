import { Option } from 'commander';
import {
  EXPLORE_VIEWS,
  SENSITIVITIES,
  type Emotion,
  type ExploreOptions,
  type ExploreQuery,
} from '../engine/engine.ts';
import type { AddCommand } from './command.ts';
import { formatExploration } from './explorations.ts';
import { openExisting, using } from './opening.ts';
import { parseCount, parseEmotion, parseKinds } from './recallFlags.ts';
import { addSettings, readSettings, type SettingFlags } from './settings.ts';
import { printJson, printLines } from './terminal.ts';

interface Flags extends SettingFlags {
  readonly keywords?: string;
  readonly from?: string;
  readonly to?: string;
  readonly period?: string;
  readonly emotion?: Emotion;
  readonly topic?: string;
  readonly entity?: string;
  readonly view?: NonNullable<ExploreOptions['view']>;
  readonly kinds?: NonNullable<ExploreOptions['kinds']>;
  readonly limit?: number;
  readonly cursor?: string;
  readonly now?: string;
  readonly asOf?: string;
  readonly maxSensitivity?: NonNullable<ExploreOptions['maxSensitivity']>;
  readonly json?: true;
}

export const addExplore: AddCommand = (program) => {
  const command = program
    .command('explore')
    .description('Searches the memory by words, time, emotion, topic or person, or several at once.')
    .argument('[text]', 'a sentence or words; time expressions count as a period')
    .option('--keywords <words>', 'only units that contain all of these words')
    .option('--from <time>', 'at or after this day or instant')
    .option('--to <time>', 'before this day or instant')
    .option('--period <words>', 'the time in words: 去年の夏, 上个月, “last spring”')
    .option('--emotion <list>', 'only units with this emotion: “sadness”, “joy,hope:0.5” …', parseEmotion)
    .option('--topic <topic>', 'only units of this topic: its number or title')
    .option('--entity <entity>', 'only units that mention this person, place or thing: its number or name')
    .addOption(
      new Option(
        '--view <view>',
        'topics, turns in order of time, or quotes (default: quote for words and emotions, else timeline)',
      ).choices(EXPLORE_VIEWS),
    )
    .option('--kinds <list>', 'kinds of units, separated by commas (default: episode)', parseKinds)
    .option('--limit <number>', 'maximum number of topics, turns or quotes (default: 20)', parseCount)
    .option('--cursor <cursor>', 'the cursor at the end of the previous page of the same question')
    .option('--now <time>', 'the time that “yesterday” is relative to (default: now)')
    .option('--as-of <time>', 'explore the memory as it was at this time')
    .addOption(
      new Option(
        '--max-sensitivity <level>',
        'the highest sensitivity level that may be found (default: private)',
      ).choices(SENSITIVITIES),
    )
    .option('--json', 'print the result as JSON');
  addSettings(command).action(async (text: string | undefined, flags: Flags) => {
    const query = readQuery(text, flags);
    await using(await openExisting(readSettings(flags), { embeds: true }), async (memory) => {
      const exploration = await memory.explore(query, readOptions(flags));
      if (flags.json) printJson(exploration);
      else printLines(formatExploration(exploration, memory.timeZone));
    });
  });
};

function readQuery(text: string | undefined, flags: Flags): ExploreQuery {
  const { keywords, from, to, period, emotion, topic, entity } = flags;
  return {
    ...(text !== undefined && { text }),
    ...(keywords !== undefined && { keywords }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(period !== undefined && { period }),
    ...(emotion && { emotion }),
    ...(topic !== undefined && { topic: idOrName(topic) }),
    ...(entity !== undefined && { entity: idOrName(entity) }),
  };
}

function readOptions({ view, kinds, limit, cursor, now, asOf, maxSensitivity }: Flags): ExploreOptions {
  return {
    ...(view && { view }),
    ...(kinds && { kinds }),
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
    ...(now !== undefined && { now }),
    ...(asOf !== undefined && { asOf }),
    ...(maxSensitivity && { maxSensitivity }),
  };
}

function idOrName(words: string): number | string {
  return /^#?[1-9]\d{0,15}$/.test(words) ? Number(words.replace('#', '')) : words;
}
