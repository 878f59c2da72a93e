import { countTokens, truncateToTokens, type Language } from '../text/text.ts';
import { renderPieces, renderSections } from './render.ts';
import { CUT_ORDER, type Section, type SectionName } from './sections.ts';

/** Sections reduced to the budget. */
export interface Fitted {
  readonly sections: readonly Section[];
  readonly tokens: number;
  readonly isCut: boolean;
}

/**
 * Removes entries until the rendered text is within the budget: the last entry of a section first, section after
 * section in the order in which they give way. Persona and contract are cut only when nothing else is left.
 */
export function fitSections(sections: readonly Section[], budgetTokens: number, language: Language): Fitted {
  const countWhole = (kept: readonly Section[]) => countTokens(renderSections(kept, language));
  const all = countWhole(sections);
  if (all <= budgetTokens) return { sections, tokens: all, isCut: false };
  const tokensOf = createCounter(language);
  // Texts of thousands of characters are counted in parts, so the whole may have a token more than its pieces.
  for (let room = budgetTokens; ;) {
    const fitted = fitPieces(sections, room, tokensOf);
    const tokens = countWhole(fitted.sections);
    if (tokens <= budgetTokens || room <= 0) return { ...fitted, tokens };
    room -= tokens - budgetTokens;
  }
}

type Counter = (sections: readonly Section[]) => number;

/** Counts the tokens of sections, each piece only once. */
function createCounter(language: Language): Counter {
  const counted = new Map<string, number>();
  const count = (piece: string) => {
    const tokens = counted.get(piece) ?? countTokens(piece);
    counted.set(piece, tokens);
    return tokens;
  };
  return (sections) => renderPieces(sections, language).reduce((sum, piece) => sum + count(piece), 0);
}

function fitPieces(
  sections: readonly Section[],
  budgetTokens: number,
  tokensOf: Counter,
): Omit<Fitted, 'tokens'> {
  let kept = sections;
  for (const name of CUT_ORDER) {
    if (tokensOf(kept) <= budgetTokens) return { sections: kept, isCut: false };
    kept = withEntries(kept, name, countFitting(kept, name, budgetTokens, tokensOf));
  }
  if (tokensOf(kept) <= budgetTokens) return { sections: kept, isCut: false };
  return { sections: cutOperatorText(kept, budgetTokens, tokensOf), isCut: true };
}

/** The most entries of the section, from its first, with which everything fits; 0 when it does not fit even without. */
function countFitting(
  sections: readonly Section[],
  name: SectionName,
  budgetTokens: number,
  tokensOf: Counter,
): number {
  let fits = 0;
  let fails = (sections.find((section) => section.name === name)?.entries.length ?? 0) + 1;
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    if (tokensOf(withEntries(sections, name, middle)) <= budgetTokens) fits = middle;
    else fails = middle;
  }
  return fits;
}

function withEntries(sections: readonly Section[], name: SectionName, count: number): Section[] {
  return sections.map((section) =>
    section.name === name ? { ...section, entries: section.entries.slice(0, count) } : section,
  );
}

/** Cuts the contract before the persona. */
function cutOperatorText(
  sections: readonly Section[],
  budgetTokens: number,
  tokensOf: Counter,
): readonly Section[] {
  let kept = sections;
  for (const name of ['RELATIONSHIP_CONTRACT', 'PERSONA_ANCHOR'] as const) {
    const own = sections.find((section) => section.name === name)?.own ?? '';
    // Token counts of parts do not add up exactly, so the cut is tried, shorter each time.
    for (let room = budgetTokens - tokensOf(withOperatorText(kept, name, '')); ; room -= 1) {
      kept = withOperatorText(kept, name, room > 0 ? truncateToTokens(own, room).trim() : '');
      if (tokensOf(kept) <= budgetTokens) return kept;
      if (room <= 0) break;
    }
  }
  return kept;
}

function withOperatorText(sections: readonly Section[], name: SectionName, own: string): Section[] {
  return sections.map((section) => (section.name === name ? { ...section, own } : section));
}
