import { useMutation, useQuery } from '@tanstack/react-query';
import { Eye, EyeOff } from 'lucide-react';
import { useEffect, useId, useRef, useState, type RefObject } from 'react';
import { api, queryClient } from '../../api/api.ts';
import { useMemoryId } from '../../app/memory.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { SourceLink } from '../../ui/found.tsx';
import { Loaded } from '../../ui/page.tsx';
import { When } from '../../ui/text.tsx';
import { useTell } from '../../ui/toast.tsx';
import { useWords } from '../../words/words.tsx';
import {
  concealed,
  kindOptions,
  placesOfWords,
  type Finding,
  type FoundKind,
  type Place,
} from './finding.ts';
import { MaskedText } from './maskedText.tsx';

interface CorrectMasksProps {
  readonly unitId: number;
  readonly onClose: () => void;
}

/** What is masked in one unit: a wrong mask is removed, missed words are masked. */
export function CorrectMasks({ unitId, onClose }: CorrectMasksProps) {
  const w = useWords();
  const memoryId = useMemoryId();
  const [isRevealed, setIsRevealed] = useState(false);
  const textRef = useRef<HTMLDivElement>(null);
  const query = useQuery<Finding>({
    queryKey: [memoryId, 'masks', unitId, isRevealed],
    queryFn: ({ signal }) =>
      api.readMasks({ memoryId, unitId, query: isRevealed ? { maxSensitivity: 'secret' } : {} }, { signal }),
    // The words are not kept once they are hidden.
    gcTime: 0,
    // Until the answer arrives, the button that shows or hides the words stays and keeps the focus.
    placeholderData: (previous) => (previous && !isRevealed ? concealed(previous) : previous),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={w.personal.correctTitle}
      about={w.personal.correctAbout}
      place="side"
    >
      <Loaded query={query}>
        {(finding) => (
          <div className="flex flex-col gap-7">
            <Words
              finding={finding}
              isRevealed={isRevealed}
              onReveal={() => setIsRevealed(!isRevealed)}
              textRef={textRef}
            />
            <Masks finding={finding} />
            <AddMask finding={finding} textRef={textRef} />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

interface WordsProps {
  readonly finding: Finding;
  readonly isRevealed: boolean;
  readonly onReveal: () => void;
  readonly textRef: RefObject<HTMLDivElement | null>;
}

function Words({ finding, isRevealed, onReveal, textRef }: WordsProps) {
  const w = useWords();
  const { kind, speaker, uri, occurredAt, conversationId, turnIndex } = finding;
  return (
    <section>
      <div ref={textRef}>
        <MaskedText finding={finding} />
      </div>
      <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-faint">
        <span>{speaker ?? uri ?? w.kinds[kind]}</span>
        <When at={occurredAt} with="time" />
        <SourceLink conversationId={conversationId} turnIndex={turnIndex} />
      </p>
      {(isRevealed || !finding.isShown) && (
        <Button className="mt-3" icon={isRevealed ? EyeOff : Eye} onClick={onReveal}>
          {isRevealed ? w.personal.conceal : w.personal.reveal}
        </Button>
      )}
    </section>
  );
}

/** Saves what is masked, at once, with an undo button. */
function useMasks({ unitId, version, places: before }: Finding) {
  const w = useWords();
  const memoryId = useMemoryId();
  const tell = useTell();
  const settle = () => queryClient.invalidateQueries({ queryKey: [memoryId] });
  const put = (places: readonly Omit<Place, 'text'>[], expectedVersion?: number) =>
    api.maskUnit({
      memoryId,
      unitId,
      body: {
        places: places.map(({ kind, from, to }) => ({ kind, from, to })),
        ...(expectedVersion !== undefined && { expectedVersion }),
      },
    });
  return useMutation({
    mutationFn: ({ places }: { places: readonly Omit<Place, 'text'>[]; told: string }) =>
      put(places, version),
    onSuccess: (_, { told }) =>
      tell.done(told, {
        label: w.common.undo,
        run: () => void put(before).then(settle, tell.failed),
      }),
    onError: tell.failed,
    onSettled: settle,
  });
}

function Masks({ finding }: { readonly finding: Finding }) {
  const w = useWords();
  const save = useMasks(finding);
  const headingRef = useRef<HTMLHeadingElement>(null);
  const { places } = finding;
  return (
    <section>
      <h3 ref={headingRef} tabIndex={-1} className="mb-1 font-semibold outline-none">
        {finding.isMasked || places.length === 0 ? w.personal.masked : w.personal.marked}
      </h3>
      {places.length === 0 && <p className="text-sm text-soft">{w.personal.nothingMasked}</p>}
      <ul>
        {places.map((place) => (
          <li key={place.from} className="flex items-center gap-3 border-b border-line py-2">
            <span className="min-w-0 flex-1">
              {w.personal.kinds[place.kind]}
              {finding.isShown && <span className="ml-3 text-soft">{place.text}</span>}
            </span>
            <Button
              disabled={save.isPending}
              aria-label={`${w.personal.remove}: ${w.personal.kinds[place.kind]}`}
              onClick={() =>
                save.mutate(
                  { places: places.filter((one) => one !== place), told: w.personal.removed },
                  // The button that has the focus disappears.
                  { onSuccess: () => headingRef.current?.focus() },
                )
              }
            >
              {w.personal.remove}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The words that are selected in an element, whenever they change. */
function useSelectedWords(element: RefObject<HTMLElement | null>, onSelect: (words: string) => void): void {
  useEffect(() => {
    const read = () => {
      const selection = document.getSelection();
      const words = selection?.toString().trim() ?? '';
      if (words !== '' && element.current?.contains(selection?.anchorNode ?? null)) onSelect(words);
    };
    document.addEventListener('selectionchange', read);
    return () => document.removeEventListener('selectionchange', read);
  }, [element, onSelect]);
}

interface AddMaskProps {
  readonly finding: Finding;
  readonly textRef: RefObject<HTMLElement | null>;
}

function AddMask({ finding, textRef }: AddMaskProps) {
  const w = useWords();
  const save = useMasks(finding);
  const problemId = useId();
  const [words, setWords] = useState('');
  const [kind, setKind] = useState<FoundKind>('password');
  const [isMissing, setIsMissing] = useState(false);
  useSelectedWords(textRef, setWords);
  const add = () => {
    const found = placesOfWords(words, finding).map((place) => ({ kind, ...place }));
    setIsMissing(found.length === 0);
    if (found.length === 0) return;
    const told = w.personal.masking(found.length);
    save.mutate({ places: [...finding.places, ...found], told }, { onSuccess: () => setWords('') });
  };
  return (
    <section>
      <h3 className="mb-1 font-semibold">{w.personal.add}</h3>
      <p className="text-sm text-soft">{finding.isShown ? w.personal.addAbout : w.personal.addFirst}</p>
      {finding.isShown && (
        <form
          className="mt-3 flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <Field label={w.personal.words}>
            <Input
              value={words}
              required
              {...(isMissing && { 'aria-invalid': true, 'aria-describedby': problemId })}
              onChange={(event) => {
                setWords(event.target.value);
                setIsMissing(false);
              }}
            />
          </Field>
          <p id={problemId} aria-live="polite" className="text-sm text-bad empty:hidden">
            {isMissing && w.personal.notThere}
          </p>
          <div className="flex flex-wrap items-end gap-2">
            <Field label={w.personal.as}>
              <Select
                label={w.personal.as}
                value={kind}
                options={kindOptions(w.personal.kinds)}
                onChoose={setKind}
              />
            </Field>
            <Button look="primary" type="submit" disabled={words.trim() === '' || save.isPending}>
              {w.personal.mask}
            </Button>
          </div>
        </form>
      )}
    </section>
  );
}
