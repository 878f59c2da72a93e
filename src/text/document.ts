import { localDate, unitText, type Unit } from '../model/model.ts';
import { terms } from './terms.ts';

/**
 * Grows by one whenever the same unit would give other terms than before. A memory whose text index was made by
 * another version is indexed anew when it is opened.
 */
export const ANALYSIS_VERSION = 1;

/**
 * The terms by which a unit is found, in order, with repeats: who spoke, what was said, and the date in words.
 * @param timeZone IANA zone whose calendar dates the unit
 */
export function documentTerms(unit: Unit, timeZone: string): string[] {
  return terms(documentText(unit, timeZone));
}

function documentText(unit: Unit, timeZone: string): string {
  if (unit.kind !== 'episode') return unitText(unit);
  return `${unit.payload.speaker} ${unitText(unit)} ${dateWords(localDate(unit.occurredAt, timeZone))}`;
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

function dateWords(date: string): string {
  const [year, month, day] = date.split('-').map(Number);
  return `${day} ${MONTHS[(month ?? 1) - 1]} ${year} ${month}月${day}日`;
}
