import { padEnd } from '../text/text.ts';
import type { AddCommand } from './command.ts';
import { addConfigFlags, readConfig, type ConfigValue } from './configuration/configuration.ts';
import { plain, printJson, printLines, style, wrapped } from './terminal.ts';

interface Flags {
  readonly explain?: true;
  readonly json?: true;
}

export const addConfig: AddCommand = (program) => {
  const command = program
    .command('config')
    .description(
      'Prints the configuration that “serve” would use, from these flags, the environment and the file.',
    )
    .option('--explain', 'also print the meaning of each value, and how to set it');
  addConfigFlags(command)
    .option('--json', 'print the values as JSON')
    .action((flags: Flags) => {
      const { values, file } = readConfig(command);
      if (flags.json) return printJson({ file, values });
      const width = Math.max(...values.map(({ name }) => name.length));
      printLines(values.flatMap((value) => formatValue(value, width, flags.explain === true)));
    });
};

function formatValue(value: ConfigValue, width: number, explain: boolean): string[] {
  const { name, source, flag, environment, about } = value;
  const shown = plain(shownValue(value));
  const head = `${style('bold', padEnd(name, width))}  ${shown}  ${style('dim', `(${plain(source)})`)}`;
  if (!explain) return [head];
  const ways = flag === null ? environment : `${flag}, ${environment} or “${name}” in the file`;
  const indent = ' '.repeat(width + 2);
  return [
    head,
    ...[about, `set by ${ways}`].flatMap((line) => wrapped(line, indent)).map((line) => style('dim', line)),
    '',
  ];
}

function shownValue({ value, source, fallback }: ConfigValue): string {
  if (value === null) return source === 'default' ? fallback : 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
