/** A test question and its hits: shows that the memory works. */
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Answer } from '../../api/api.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FoundHit } from '../../ui/found.tsx';
import { Card, Failed } from '../../ui/page.tsx';
import { languageOf } from '../../words/language.ts';
import { useWords } from '../../words/words.tsx';

export type Suggestion = Answer<'addSample'>['questions'][number];

const SHOWN = 3;
const MAX_SUGGESTIONS = 4;

interface AskItProps {
  readonly memoryId: string;
  readonly suggestions: readonly Suggestion[];
}

export function AskIt({ memoryId, suggestions }: AskItProps) {
  const w = useWords();
  const [question, setQuestion] = useState('');
  const ask = useMutation({
    mutationFn: ({ text, context, askedAt }: Pick<Suggestion, 'text'> & Partial<Suggestion>) =>
      api.recall({
        memoryId,
        body: {
          utterance: text,
          limit: SHOWN,
          ...(context && { context }),
          ...(askedAt !== undefined && { now: askedAt }),
        },
      }),
  });
  return (
    <Card className="mb-4 p-5 sm:p-6">
      <h2 className="font-semibold">{w.start.ask}</h2>
      <p className="text-[0.93rem] text-soft">{w.start.askAbout}</p>
      <form
        className="mt-3 flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (question.trim() !== '') ask.mutate({ text: question.trim() });
        }}
      >
        <Input
          aria-label={w.start.ask}
          placeholder={w.start.askHint}
          value={question}
          onChange={(event) => setQuestion(event.target.value)}
        />
        <Button look="primary" type="submit" disabled={ask.isPending || question.trim() === ''}>
          <span className="whitespace-nowrap">{w.start.askDo}</span>
        </Button>
      </form>
      {suggestions.length > 0 && (
        <div className="mt-3 flex flex-wrap items-center gap-2 text-sm">
          <span className="text-faint">{w.start.suggestions}</span>
          {suggestions.slice(0, MAX_SUGGESTIONS).map((suggestion) => (
            <button
              key={suggestion.text}
              type="button"
              lang={languageOf(suggestion.text)}
              className="rounded-full border border-line px-3 py-1 text-left hover:border-accent hover:text-accent"
              onClick={() => {
                setQuestion(suggestion.text);
                ask.mutate(suggestion);
              }}
            >
              {suggestion.text}
            </button>
          ))}
        </div>
      )}
      <div aria-live="polite">
        {ask.error && <Failed error={ask.error} />}
        {ask.data && <Found answer={ask.data} question={ask.variables.text} memoryId={memoryId} />}
      </div>
    </Card>
  );
}

interface FoundProps {
  readonly answer: Answer<'recall'>;
  readonly question: string;
  readonly memoryId: string;
}

function Found({ answer: { hits, inject }, question, memoryId }: FoundProps) {
  const w = useWords();
  const worth = inject ? hits.filter((hit) => hit.relevance !== 'low') : hits;
  const title = hits.length === 0 ? w.start.nothing : inject ? w.start.remembered : w.start.notSure;
  return (
    <div className="mt-5 border-t border-line pt-4" data-testid="found">
      <p className={inject ? 'font-serif text-lg font-semibold text-accent' : 'text-soft'}>{title}</p>
      <div className="mt-3 flex flex-col gap-4">
        {worth.slice(0, SHOWN).map((hit) => (
          <FoundHit key={hit.unitId} hit={hit} />
        ))}
      </div>
      <Link
        to="/m/$memoryId/chat"
        params={{ memoryId }}
        search={{ q: question }}
        className={`${buttonClass()} mt-4`}
      >
        {w.start.seeWhy}
      </Link>
    </div>
  );
}
