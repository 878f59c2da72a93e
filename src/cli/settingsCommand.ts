/** Commands with the flags that choose a memory. */
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
import { openExisting, withMemory, type OpenOptions } from './opening.ts';
import { readSettings, SETTING_FLAGS, type SettingFlags, type Settings } from './settings.ts';

interface SettingsCall<Args extends readonly Arg[], Flags extends readonly Flag[]> extends Call<Args, Flags> {
  readonly settings: Settings;
}

interface MemoryCall<Args extends readonly Arg[], Flags extends readonly Flag[]> extends SettingsCall<
  Args,
  Flags
> {
  readonly memory: Memory;
}

/** A command that opens a memory itself. */
export function addSettingsCommand<
  const Args extends readonly Arg[] = [],
  const Flags extends readonly Flag[] = [],
>({
  run,
  ...description
}: Description<Args, Flags> & {
  readonly run: (call: SettingsCall<Args, Flags>) => Result | Promise<Result>;
}): AddCommand {
  return addCommand<Args, Flags>({
    ...description,
    common: [...(description.common ?? []), ...SETTING_FLAGS],
    run: (call) => run({ ...call, settings: readSettings(call.command.opts<SettingFlags>()) }),
  });
}

/** A command on an existing memory, which is closed at the end. */
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
  return addSettingsCommand<Args, Flags>({
    ...description,
    async run(call) {
      const memory = await openExisting(call.settings, opening(call.flags));
      return withMemory(memory, async () => run({ ...call, memory }));
    },
  });
}
