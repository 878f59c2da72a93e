import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useWords } from '../../words/words.tsx';
import { Access } from './access.tsx';
import { Integrity } from './integrity.tsx';
import { Jobs } from './jobs.tsx';
import { Models } from './models.tsx';
import { Personas } from './persona.tsx';
import { Quality } from './quality.tsx';
import { Speed } from './speed.tsx';
import { Storage } from './storage.tsx';
import { Usage } from './usage.tsx';

const PARTS = {
  jobs: Jobs,
  models: Models,
  persona: Personas,
  access: Access,
  usage: Usage,
  speed: Speed,
  quality: Quality,
  integrity: Integrity,
  storage: Storage,
} as const satisfies Record<string, ComponentType>;
type Part = keyof typeof PARTS;

const route = getRouteApi('/m/$memoryId/operate');

export default function OperatePage() {
  const w = useWords();
  const { tab } = route.useSearch();
  const navigate = useNavigate({ from: '/m/$memoryId/operate' });
  const chosen = (Object.keys(PARTS) as Part[]).find((part) => part === tab) ?? 'jobs';
  const Shown = PARTS[chosen];
  return (
    <Page {...w.pages.operate} width="wide">
      <Tabs
        label={w.operate.about}
        tabs={Object.entries(w.operate.tabs) as [Part, string][]}
        chosen={chosen}
        onChoose={(next) => void navigate({ to: '.', search: { tab: next }, replace: true })}
      />
      <Shown />
    </Page>
  );
}
