/** Describes commands as data: the types of arguments and flags are read from their words in `--help`. */
import { Argument, Option, type Command } from 'commander';
import { printJson, printLines } from './terminal.ts';

/** Called by a command that does not succeed but has no error. */
export type SetExitCode = (code: number) => void;

/** Adds one command to the program, or to the command that contains it. */
export type AddCommand = (program: Command, setExitCode: SetExitCode) => void;

/** `max-age-days` → `maxAgeDays` */
type CamelCase<Words extends string> = Words extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Words;
type LongName<Text extends string> = Text extends `${infer Long} ${string}` ? Long : Text;
/** `--no-learn` → `learn`, `--limit <hits>` → `limit` */
type NameOf<Text extends string> =
  LongName<Text> extends `--no-${infer Name}`
    ? CamelCase<Name>
    : LongName<Text> extends `--${infer Name}`
      ? CamelCase<Name>
      : never;
type ValueOf<Text extends string> = Text extends `--no-${string}`
  ? boolean
  : Text extends `${string}...${string}`
    ? readonly string[]
    : Text extends `${string}${'<' | '['}${string}`
      ? string
      : true;
/** The value of a flag whose value may be left out. */
type Bare<Text extends string> = Text extends `${string}[${string}` ? true : never;

/** An option, with the name and type of its value. */
export type Flag<Name extends string = string, Value = unknown> = Option & {
  readonly types?: { readonly name: Name; readonly value: Value };
};
/** The values of flags: absent where not given, except those of `--no-…`. */
export type FlagsOf<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as F extends Flag<infer Name> ? Name : never]?: F extends Flag<
    string,
    infer Value
  >
    ? Value
    : never;
};

interface Reading {
  /** Reads the value from its text. Throws InvalidArgumentError. */
  parse?(this: void, text: string, before: unknown): unknown;
  readonly choices?: readonly string[];
}
/** The type of the value: of what `parse` returns, else of the choices, else as the text says. */
type Read<Settings extends Reading, Otherwise> = Settings extends {
  readonly parse: (text: string, before: never) => infer Value;
}
  ? Value
  : Settings extends { readonly choices: readonly (infer Value)[] }
    ? Value
    : Otherwise;

interface FlagSettings extends Reading {
  readonly fallback?: string;
  readonly required?: boolean;
  /** An environment variable that is used when the flag is not given. */
  readonly env?: string;
  /** Flags that cannot be combined with this one. */
  readonly conflicts?: readonly string[];
}

export function flag<const Text extends string, const Settings extends FlagSettings = object>(
  text: Text,
  about: string,
  settings?: Settings,
): Flag<NameOf<Text>, Read<Settings, ValueOf<Text>> | Bare<Text>> {
  const { parse, choices, fallback, required = false, env, conflicts = [] }: FlagSettings = settings ?? {};
  const option = new Option(text, about).conflicts([...conflicts]).makeOptionMandatory(required);
  if (choices) option.choices(choices);
  if (parse) option.argParser<unknown>(parse);
  if (fallback !== undefined) option.default(fallback);
  return env === undefined ? option : option.env(env);
}

export const JSON_FLAG = flag('--json', 'print the result as JSON');
export const REPORT_JSON_FLAG = flag('--json', 'print the report as JSON');

export type Arg<Value = unknown> = Argument & { readonly type?: Value };
type ArgsOf<Args extends readonly Arg[]> = {
  readonly [I in keyof Args]: Args[I] extends Arg<infer Value> ? Value : never;
};
type ArgValue<Text extends string, Value> = Text extends `${string}...${string}`
  ? Value extends readonly unknown[]
    ? Value
    : readonly Value[]
  : Text extends `[${string}`
    ? Value | undefined
    : Value;

export function argument<const Text extends string, const Settings extends Reading = object>(
  text: Text,
  about: string,
  settings?: Settings,
): Arg<ArgValue<Text, Read<Settings, string>>> {
  const { parse, choices }: Reading = settings ?? {};
  const made = new Argument(text, about);
  return parse ? made.argParser<unknown>(parse) : choices ? made.choices(choices) : made;
}

/** The first argument of a command with several actions. @param names the first one is the default */
export function actionArgument<const Names extends readonly string[]>(
  names: Names,
  about = 'the action',
): Arg<Names[number]> {
  return new Argument('[action]', about).choices(names).default(names[0]);
}

/** The result of a command: printed as JSON with `--json`, else as lines. */
export interface Output {
  readonly json: unknown;
  readonly lines: readonly string[];
}

export interface Call<Args extends readonly Arg[], Flags extends readonly Flag[]> {
  readonly args: ArgsOf<Args>;
  readonly flags: FlagsOf<Flags>;
  readonly command: Command;
  readonly setExitCode: SetExitCode;
}

/** What is printed, or nothing when the command has printed itself. */
export type Result = Output | void;

export interface Description<Args extends readonly Arg[], Flags extends readonly Flag[]> {
  readonly name: string;
  readonly about: string;
  readonly args?: Args;
  readonly flags?: Flags;
  /** Flags after these that `run` does not read itself. */
  readonly common?: readonly Flag[];
  /** Rejects arguments and flags that do not go together, with `command.error`. */
  readonly check?: (call: Call<Args, Flags>) => void;
}

export function addCommand<const Args extends readonly Arg[] = [], const Flags extends readonly Flag[] = []>({
  name,
  about,
  args,
  flags,
  common = [],
  check,
  run,
}: Description<Args, Flags> & {
  readonly run: (call: Call<Args, Flags>) => Result | Promise<Result>;
}): AddCommand {
  return (program, setExitCode) => {
    const command = program.command(name).description(about);
    for (const one of args ?? []) command.addArgument(one);
    for (const one of [...(flags ?? []), ...common]) command.addOption(one);
    command.action(async () => {
      const given = command.opts<FlagsOf<Flags> & { json?: true }>();
      const processed = command.processedArgs as unknown as ArgsOf<Args>;
      const call = { args: processed, flags: given, command, setExitCode };
      check?.(call);
      const output = await run(call);
      if (output) show(output, given);
    });
  };
}

export function show({ json, lines }: Output, flags: { readonly json?: true }): void {
  if (flags.json) printJson(json);
  else printLines(lines);
}
