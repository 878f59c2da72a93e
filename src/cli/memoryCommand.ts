import type { Memory } from '../engine/engine.ts';
import {
  addCommand,
  type AddCommand,
  type Arg,
  type Call,
  type Description,
  type Flag,
  type FlagsOf,
  type Result,
} from './command.ts';
import { openExisting, using, type OpenOptions } from './opening.ts';
import { readSettings, SETTING_FLAGS, type SettingFlags, type Settings } from './settings.ts';

interface MemoryCall<Args extends readonly Arg[], Flags extends readonly Flag[]> extends Call<Args, Flags> {
  readonly memory: Memory;
  readonly settings: Settings;
}

/** A command on an existing memory, which is chosen by common flags and closed at the end. */
export function addMemoryCommand<
  const Args extends readonly Arg[] = [],
  const Flags extends readonly Flag[] = [],
>({
  opening = () => ({ embeds: false }),
  run,
  ...description
}: Description<Args, Flags> & {
  /** How the memory is opened; default: without an embedder. */
  readonly opening?: (flags: FlagsOf<Flags>) => OpenOptions;
  readonly run: (call: MemoryCall<Args, Flags>) => Result | Promise<Result>;
}): AddCommand {
  return addCommand<Args, Flags>({
    ...description,
    common: [...(description.common ?? []), ...SETTING_FLAGS],
    async run(call) {
      const settings = readSettings(call.command.opts<SettingFlags>());
      const memory = await openExisting(settings, opening(call.flags));
      return using(memory, async () => run({ ...call, memory, settings }));
    },
  });
}
