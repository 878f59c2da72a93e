import { EXPLORE_VIEWS, pickDefined } from '../engine/engine.ts';
import { argument, flag, JSON_FLAG } from './command.ts';
import { formatExploration } from './explorations.ts';
import { addMemoryCommand } from './settingsCommand.ts';
import { SENSITIVITY_FLAG } from './recallFlags.ts';
import { parseCount, parseEmotion, parseIdOrName, parseKinds } from './values.ts';

export const addExplore = addMemoryCommand({
  name: 'explore',
  about: 'Searches the memory by words, time, emotion, topic or person, or several at once.',
  args: [argument('[text]', 'a sentence or words; time expressions count as a period')],
  flags: [
    flag('--keywords <words>', 'only units that contain all of these words'),
    flag('--from <time>', 'at or after this day or instant'),
    flag('--to <time>', 'before this day or instant'),
    flag('--period <words>', 'the time in words: 去年の夏, 上个月, “last spring”'),
    flag('--emotion <list>', 'only units with this emotion: “sadness”, “joy,hope:0.5” …', {
      parse: parseEmotion,
    }),
    flag('--topic <topic>', 'only units of this topic: its number or title', { parse: parseIdOrName }),
    flag('--entity <entity>', 'only units that mention this person, place or thing: its number or name', {
      parse: parseIdOrName,
    }),
    flag(
      '--view <view>',
      'topics, turns in order of time, or quotes (default: quote for words and emotions, else timeline)',
      { choices: EXPLORE_VIEWS },
    ),
    flag('--kinds <list>', 'kinds of units, separated by commas (default: episode)', { parse: parseKinds }),
    flag('--limit <number>', 'maximum number of topics, turns or quotes (default: 20)', {
      parse: parseCount,
    }),
    flag('--cursor <cursor>', 'the cursor at the end of the previous page of the same question'),
    flag('--now <time>', 'the time that “yesterday” is relative to (default: now)'),
    flag('--as-of <time>', 'explore the memory as it was at this time'),
    SENSITIVITY_FLAG,
    JSON_FLAG,
  ],
  opening: () => ({ embeds: true }),
  async run({ memory, args: [text], flags }) {
    const query = pickDefined(flags, ['keywords', 'from', 'to', 'period', 'emotion', 'topic', 'entity']);
    const exploration = await memory.explore(
      { ...query, ...(text !== undefined && { text }) },
      pickDefined(flags, ['view', 'kinds', 'limit', 'cursor', 'now', 'asOf', 'maxSensitivity']),
    );
    return { json: exploration, lines: formatExploration(exploration, memory.timeZone) };
  },
});
