/** The texts of the console in the user's language, and its number and time formats. */
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { createFormat, type Format } from './format.ts';
import type { Words } from './en.ts';

export const LANGUAGES = { ja: '日本語', zh: '中文', en: 'English' } as const;
export type Language = keyof typeof LANGUAGES;

export type { Format };

const KEY = 'omoide-language';
/** Separate files, so that only one is loaded. */
const CATALOGUES: Readonly<Record<Language, () => Promise<{ default: Words }>>> = {
  ja: () => import('./ja.ts'),
  zh: () => import('./zh.ts'),
  en: () => import('./en.ts'),
};

interface Speech {
  readonly language: Language;
  readonly words: Words;
  readonly setLanguage: (language: Language) => void;
}

const SpeechContext = createContext<Speech | null>(null);
/** The time zone of the current memory; null: the browser’s. */
const ZoneContext = createContext<string | null>(null);

function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return wanted.find((tag): tag is Language => Object.hasOwn(LANGUAGES, tag)) ?? 'en';
}

export function WordsProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(preferredLanguage);
  const [loaded, setLoaded] = useState<{ language: Language; words: Words } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void CATALOGUES[language]().then(({ default: words }) => {
      if (!isCurrent) return;
      document.documentElement.lang = language;
      setLoaded({ language, words });
    });
    return () => {
      isCurrent = false;
    };
  }, [language]);
  const speech = useMemo(
    () =>
      loaded && {
        ...loaded,
        setLanguage(next: Language) {
          localStorage.setItem(KEY, next);
          setLanguage(next);
        },
      },
    [loaded],
  );
  return speech && <SpeechContext value={speech}>{children}</SpeechContext>;
}

export function ZoneProvider({
  timeZone,
  children,
}: {
  readonly timeZone: string | null;
  readonly children: ReactNode;
}) {
  return <ZoneContext value={timeZone}>{children}</ZoneContext>;
}

export function useSpeech(): Speech {
  const speech = useContext(SpeechContext);
  if (!speech) throw new Error('There are no words here.');
  return speech;
}

export function useWords(): Words {
  return useSpeech().words;
}

export function useFormat(): Format {
  const { language } = useSpeech();
  const timeZone = useContext(ZoneContext);
  return useMemo(() => createFormat(language, timeZone), [language, timeZone]);
}
