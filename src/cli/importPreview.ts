/** Previews an import, and finds out which speaker is the user. */
import { createInterface } from 'node:readline/promises';
import {
  detectFileFormat,
  previewImport,
  type DateOrder,
  type ImportFormat,
  type ImportPreview,
  type PreviewedFile,
} from '../engine/engine.ts';
import {
  countOf,
  formatCount,
  formatInstant,
  plain,
  printJson,
  printLines,
  printNote,
  style,
} from './terminal.ts';

export interface ReadingOptions {
  readonly format: ImportFormat | undefined;
  readonly conversationId: string | undefined;
  readonly me: readonly string[] | undefined;
  readonly dateOrder: DateOrder | undefined;
}

/** Formats of chats between people, in which no speaker is marked as the user. */
const BETWEEN_PEOPLE: ReadonlySet<ImportFormat> = new Set([
  'line',
  'whatsapp',
  'telegram',
  'discord',
  'slack',
  'messenger',
  'wechat',
  'signal',
  'imessage',
  'mbox',
]);
const MAX_NAMES = 12;
const MAX_FILES = 20;
const MAX_SAMPLE = 90;

/** Prints for each path what was recognised in it, with samples. */
export async function printPreviews(
  paths: readonly string[],
  options: ReadingOptions & { readonly timeZone: string },
  flags: { readonly json?: true },
): Promise<void> {
  const previews: (ImportPreview & { readonly file: string })[] = [];
  for (const file of paths) previews.push({ file, ...(await previewImport(file, options)) });
  if (flags.json) return printJson(previews);
  for (const { file, files, remarks } of previews) {
    printLines([style('bold', plain(file))]);
    for (const previewed of files.slice(0, MAX_FILES)) printLines(formatFile(previewed));
    if (files.length > MAX_FILES) printLines([`  … and ${formatCount(files.length - MAX_FILES)} more files`]);
    printLines(remarks.map((remark) => `  ${plain(remark)}`));
    if (options.me === undefined) printLines(formatUnknownUser(files));
  }
  printLines(['Nothing was stored. Run it without --dry-run to import.']);
}

function formatFile(file: PreviewedFile): string[] {
  const { path, format, conversations, turns, problems, from, to } = file;
  const period = from === null || to === null ? '' : `, ${formatInstant(from)} to ${formatInstant(to)}`;
  const names = file.speakers
    .slice(0, MAX_NAMES)
    .map(({ name, turns }) => `${plain(name)} (${formatCount(turns)})`);
  const bad = problems > 0 ? [`    ${formatCount(problems)} cannot be read:`] : [];
  return [
    `  ${plain(path)}: ${style('bold', format)}, ${countOf(turns, 'turn')} in ${countOf(conversations, 'conversation')}${period}`,
    `    speakers: ${names.join(', ')}`,
    ...file.samples.map(({ speaker, occurredAt, text }) => {
      const words = plain(text.replaceAll(/\s+/g, ' '));
      const shown = words.length > MAX_SAMPLE ? `${words.slice(0, MAX_SAMPLE)}…` : words;
      return `    ${style('dim', formatInstant(occurredAt))}  ${plain(speaker)}: ${shown}`;
    }),
    ...bad,
    ...file.problemSamples.map((problem) => `      ${plain(problem)}`),
  ];
}

function formatUnknownUser(files: readonly PreviewedFile[]): string[] {
  const names = namesToChooseFrom(files);
  if (names.length === 0) return [];
  return [
    `  None of these speakers is known to be you. Give your name with --me NAME: ${names.slice(0, MAX_NAMES).map(plain).join(', ')}`,
  ];
}

/** The speakers in chats between people, most often first; empty when the user is already known. */
function namesToChooseFrom(files: readonly PreviewedFile[]): string[] {
  const turns = new Map<string, number>();
  for (const { format, speakers } of files) {
    if (!BETWEEN_PEOPLE.has(format)) continue;
    for (const speaker of speakers) turns.set(speaker.name, (turns.get(speaker.name) ?? 0) + speaker.turns);
  }
  return turns.has('user')
    ? []
    : [...turns.keys()].toSorted((a, b) => (turns.get(b) ?? 0) - (turns.get(a) ?? 0));
}

/** Asks on a terminal which speaker is the user; without a terminal, notes that nobody is. */
export async function askForUser(paths: readonly string[], options: ReadingOptions): Promise<string[]> {
  const files: PreviewedFile[] = [];
  // Names do not depend on the time zone.
  for (const path of paths) {
    const format = options.format ?? (await detectFileFormat(path));
    if (!BETWEEN_PEOPLE.has(format)) continue;
    files.push(...(await previewImport(path, { ...options, timeZone: 'UTC' })).files);
  }
  const names = namesToChooseFrom(files).slice(0, MAX_NAMES);
  if (names.length === 0) return [];
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    printNote(
      `none of the speakers is known to be you, so all keep their names; give yours with --me NAME (${names.map(plain).join(', ')}).`,
    );
    return [];
  }
  printLines(
    ['Which of them are you?', ...names.map((name, index) => `  ${index + 1}  ${plain(name)}`)],
    process.stderr,
  );
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await asking.question('A number, a name, or Enter for none of them: ')).trim();
    const chosen = /^\d+$/.test(answer) ? names[Number(answer) - 1] : answer;
    return chosen ? [chosen] : [];
  } finally {
    asking.close();
  }
}
