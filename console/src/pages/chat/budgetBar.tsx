import type { Answer } from '../../api/api.ts';
import { Section } from '../../ui/page.tsx';
import { languageOf } from '../../words/language.ts';
import { useFormat, useWords } from '../../words/words.tsx';

type Pack = Answer<'pack'>;
type SectionName = Pack['sections'][number]['name'];

const SHADES = [
  'opacity-100',
  'opacity-80',
  'opacity-65',
  'opacity-50',
  'opacity-40',
  'opacity-30',
  'opacity-25',
];

/** The share of the text in each section, 0 to 1. */
function sharesOf({ text, sections }: Pack): ReadonlyMap<SectionName, number> {
  const starts = sections
    .map(({ name }) => ({ name, at: text.indexOf(`[${name}]`) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at);
  return new Map(
    starts.map(({ name, at }, i) => [name, ((starts[i + 1]?.at ?? text.length) - at) / text.length]),
  );
}

/** The used part of the budget by section, and the exact text that a model receives. */
export function BudgetBar({ pack }: { readonly pack: Pack }) {
  const w = useWords();
  const f = useFormat();
  const shares = sharesOf(pack);
  const filled = pack.sections.filter(({ name }) => shares.has(name));
  return (
    <Section
      title={w.trace.pack}
      about={w.trace.packAbout(f.number(pack.tokens), f.number(pack.budgetTokens))}
    >
      <div
        role="img"
        aria-label={w.trace.packAbout(f.number(pack.tokens), f.number(pack.budgetTokens))}
        className="flex h-3 gap-px overflow-hidden rounded-full bg-sunken"
      >
        {filled.map(({ name }, i) => (
          <span
            key={name}
            className={`bg-accent ${SHADES[i] ?? ''}`}
            style={{ width: `${(100 * (shares.get(name) ?? 0) * pack.tokens) / pack.budgetTokens}%` }}
          />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
        {filled.map(({ name, shown, available }, i) => (
          <li key={name} className="flex items-center gap-1.5">
            <span className={`size-2.5 rounded-sm bg-accent ${SHADES[i] ?? ''}`} aria-hidden />
            {w.trace.sections[name]}
            <span className="text-faint tabular-nums">
              {shown < available ? `${shown} / ${available}` : shown}
            </span>
          </li>
        ))}
      </ul>
      {pack.text !== '' && (
        <details className="mt-3">
          <summary className="cursor-pointer text-sm text-accent">{w.trace.words}</summary>
          <pre
            lang={languageOf(pack.text)}
            className="mt-2 max-h-96 overflow-y-auto rounded-xl bg-sunken p-4 font-sans text-sm whitespace-pre-wrap"
          >
            {pack.text}
          </pre>
        </details>
      )}
    </Section>
  );
}
