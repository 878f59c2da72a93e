import { useState } from 'react';
import { Select } from '../ui/field.tsx';
import { LANGUAGES, useSpeech, type Language } from '../words/words.tsx';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const KEY = 'omoide-theme';

function readTheme(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Language and theme. */
export function Preferences() {
  const { words: w, language, setLanguage } = useSpeech();
  const [theme, setTheme] = useState(readTheme);
  return (
    <div className="flex gap-2">
      <Select<Language>
        label={w.shell.language}
        value={language}
        options={Object.entries(LANGUAGES) as [Language, string][]}
        onChoose={setLanguage}
        className="min-w-0 flex-1"
      />
      <Select<Theme>
        label={w.shell.theme}
        value={theme}
        options={THEMES.map((one) => [one, w.shell.themes[one]] as const)}
        onChoose={(next) => {
          applyTheme(next);
          setTheme(next);
        }}
        className="min-w-0 flex-1"
      />
    </div>
  );
}
