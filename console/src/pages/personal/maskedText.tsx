import { EyeOff } from 'lucide-react';
import { languageOf } from '../../words/language.ts';
import { useWords } from '../../words/words.tsx';
import { piecesOf, type Finding } from './finding.ts';

/** A text in which what was found is replaced by what it is, or highlighted while the words are shown. */
export function MaskedText({ finding }: { readonly finding: Finding }) {
  const w = useWords();
  if (!finding.isShown && finding.places.length === 0)
    return (
      <p className="flex items-center gap-1.5 text-soft">
        <EyeOff size={14} aria-hidden />
        {w.personal.hidden}
      </p>
    );
  return (
    <p lang={languageOf(finding.text)} className="remembered whitespace-pre-wrap">
      {piecesOf(finding).map(({ text, place }) =>
        place === null ? (
          text
        ) : finding.isShown ? (
          <mark key={place.from} className="rounded bg-tint px-0.5 text-accent">
            {text}
          </mark>
        ) : (
          <span
            key={place.from}
            lang=""
            className="mx-0.5 inline-flex items-center gap-1 rounded-md border border-line bg-sunken px-1.5 align-[0.08em] font-sans text-[0.8rem] leading-normal text-soft"
          >
            <EyeOff size={12} aria-hidden />
            {w.personal.kinds[place.kind]}
          </span>
        ),
      )}
    </p>
  );
}
