/** Extracts the statements of a file: list items, and the sentences outside lists. */
import { wallClockToInstant } from '../../model/model.ts';
import { splitSentences } from '../../text/text.ts';
import { parseNote, type ParsedNote, type Section } from '../parse/parse.ts';
import type { Statement } from './compare.ts';

/** A statement, and its text in the file. */
export interface Written extends Statement {
  readonly words: string;
}

const DATED = /^(\d{4}-\d{2}-\d{2})\s*[:：]\s*/;
const BOX_OR_MARK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|^\s*>\s?/;

/** @param timeZone of the memory’s wall clock, in which items are dated */
export function statementsOf(text: string, timeZone: string): Written[] {
  return text.split('\n').flatMap((line) => {
    const words = line.replace(BOX_OR_MARK, '').trim();
    if (words === '') return [];
    const isItem = BOX_OR_MARK.test(line);
    return (isItem ? [words] : splitSentences(words)).map((one) => toStatement(one.trim(), timeZone));
  });
}

/** The statements of each section of a note. */
export function statementsBySection(
  source: string,
  note: ParsedNote,
  timeZone: string,
): { section: Section; statement: Written }[] {
  return note.sections.flatMap((section) => {
    const body = source.slice(section.body.start, section.body.end).replace(/\r\n?/g, '\n');
    return statementsOf(body, timeZone).map((statement) => ({ section, statement }));
  });
}

function toStatement(words: string, timeZone: string): Written {
  const [dating, day] = DATED.exec(words) ?? [];
  const at = day === undefined ? NaN : wallClockToInstant(`${day}T12:00`, timeZone);
  return { words, text: words.slice(dating?.length ?? 0), at: Number.isNaN(at) ? null : at };
}

/** The statements of a whole file. */
export function statementsOfFile(source: string, timeZone: string): Written[] {
  return statementsBySection(source, parseNote(source, ''), timeZone).map(({ statement }) => statement);
}
