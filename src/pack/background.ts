import { countTokens, type Language } from '../text/text.ts';
import { renderSections } from './render.ts';
import type { Entry, Section, SectionName } from './sections.ts';

/**
 * Sections whose entries are background, unless recall found them relevant to the utterance: they are shown because
 * they are recent, not because anybody asked. In the order in which they lose entries.
 */
const BACKGROUND: readonly SectionName[] = ['OPEN_LOOPS', 'SHARED_NARRATIVE'];

/**
 * The sections with the background limited to half of what the other sections leave. What was asked for would
 * otherwise be crowded out by what nobody asked for: in a small budget, four summaries leave no room for a quotation.
 */
export function reserveRoom(
  sections: readonly Section[],
  relevantIds: ReadonlySet<number>,
  budgetTokens: number,
  language: Language,
): readonly Section[] {
  const others = limitBackground(sections, relevantIds, 0);
  const room = Math.max(0, budgetTokens - countTokens(renderSections(others, language)));
  return limitBackground(sections, relevantIds, Math.floor(room / 2));
}

/** Removes background entries until the sections are `over` tokens shorter, and keeps those that `frame` keeps. */
export function spareBackground(
  sections: readonly Section[],
  relevantIds: ReadonlySet<number>,
  { over, frame }: { readonly over: number; readonly frame: readonly Section[] },
): readonly Section[] {
  const needed = backgroundTokens(sections, relevantIds) - over;
  return limitBackground(sections, relevantIds, Math.max(needed, backgroundTokens(frame, relevantIds)));
}

function backgroundTokens(sections: readonly Section[], relevantIds: ReadonlySet<number>): number {
  return sections
    .filter(({ name }) => BACKGROUND.includes(name))
    .flatMap(({ entries }) => entries.filter((entry) => !isRelevant(entry, relevantIds)))
    .reduce((sum, entry) => sum + tokensOf(entry), 0);
}

/** Removes background entries, the last one of a section first, until they have at most `maxTokens`. */
function limitBackground(
  sections: readonly Section[],
  relevantIds: ReadonlySet<number>,
  maxTokens: number,
): readonly Section[] {
  let over = backgroundTokens(sections, relevantIds) - maxTokens;
  let kept = sections;
  for (const name of BACKGROUND) {
    kept = kept.map((section) => {
      if (section.name !== name) return section;
      const entries = section.entries.toReversed().filter((entry) => {
        if (over <= 0 || isRelevant(entry, relevantIds)) return true;
        over -= tokensOf(entry);
        return false;
      });
      return { ...section, entries: entries.toReversed() };
    });
  }
  return kept;
}

function isRelevant({ unitIds }: Entry, relevantIds: ReadonlySet<number>): boolean {
  return unitIds.some((id) => relevantIds.has(id));
}

function tokensOf({ lines }: Entry): number {
  return countTokens(lines.join('\n'));
}
