import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { LogOut, Menu, Search, WifiOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api } from '../api/api.ts';
import { useConnection, useLiveMemory } from '../api/live.ts';
import { memoriesQuery, statsQuery } from '../api/queries.ts';
import { writeToken } from '../api/session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Select } from '../ui/field.tsx';
import { Kbd } from '../ui/text.tsx';
import { useWords, ZoneProvider } from '../words/words.tsx';
import { rememberMemory } from './lastMemory.ts';
import { useMemoryId } from './memory.ts';
import { GROUPS, PAGES } from './nav.ts';
import { Palette, usePalette } from './palette.tsx';
import { Preferences } from './preferences.tsx';

/** The labels of the keys. */
const PALETTE_KEY = navigator.userAgent.includes('Mac') ? '⌘K' : 'Ctrl K';

/** The frame of every page of a memory. */
export function MemoryShell() {
  const w = useWords();
  const memoryId = useMemoryId();
  const palette = usePalette();
  const path = useRouterState({ select: (state) => state.location.pathname });
  /** The path at which the menu was opened: navigating closes it. */
  const [menuPath, setMenuPath] = useState<string | null>(null);
  const { data: stats } = useQuery({ ...statsQuery(memoryId), throwOnError: false });
  useLiveMemory(memoryId);
  useEffect(() => rememberMemory(memoryId), [memoryId]);
  return (
    <ZoneProvider timeZone={stats?.timeZone ?? null}>
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-card focus:p-2"
      >
        {w.shell.skip}
      </a>
      <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
        <aside className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-sunken/50 px-3 py-4 lg:flex">
          <Sidebar onPalette={palette.open} />
        </aside>
        <div className="min-w-0">
          <MobileBar onMenu={() => setMenuPath(path)} onPalette={palette.open} />
          <Offline />
          <main id="page" tabIndex={-1} className="outline-none">
            <Outlet />
          </main>
        </div>
      </div>
      <Dialog isOpen={menuPath === path} onClose={() => setMenuPath(null)} title="Omoide" place="side">
        <div className="flex min-h-full flex-col">
          <Sidebar onPalette={palette.open} />
        </div>
      </Dialog>
      <Palette isOpen={palette.isOpen} onClose={palette.close} />
    </ZoneProvider>
  );
}

function MobileBar({ onMenu, onPalette }: { readonly onMenu: () => void; readonly onPalette: () => void }) {
  const w = useWords();
  return (
    <header className="sticky top-0 z-20 flex items-center gap-2 border-b border-line bg-paper/95 px-3 py-2 backdrop-blur lg:hidden">
      <IconButton label={w.shell.menu} icon={Menu} onClick={onMenu} />
      <span className="flex-1 truncate font-serif">
        <span lang="ja">思い出</span>
      </span>
      <IconButton label={w.shell.palette} icon={Search} onClick={onPalette} />
    </header>
  );
}

function Offline() {
  const w = useWords();
  if (useConnection() === 'online') return null;
  return (
    <div
      role="status"
      className="flex items-center gap-2 border-b border-line bg-bad-tint px-4 py-2 text-sm sm:px-8"
    >
      <WifiOff size={16} aria-hidden className="shrink-0 text-bad" />
      {w.shell.offline}
    </div>
  );
}

function Sidebar({ onPalette }: { readonly onPalette: () => void }) {
  const w = useWords();
  const memoryId = useMemoryId();
  return (
    <>
      <div className="mb-3 hidden px-2 font-serif text-xl lg:block">
        <span lang="ja">思い出</span>
      </div>
      <MemorySwitch />
      <button
        type="button"
        onClick={onPalette}
        className="mt-2 mb-3 flex items-center gap-2 rounded-lg border border-line bg-card px-2.5 py-1.5 text-left text-sm text-faint hover:border-line-strong"
      >
        <Search size={15} aria-hidden />
        <span className="min-w-0 flex-1 truncate">{w.shell.palette}</span>
        <Kbd>{PALETTE_KEY}</Kbd>
      </button>
      <nav aria-label={w.shell.pages} className="-mx-1 flex-1 overflow-y-auto px-1">
        {GROUPS.map((group) => (
          <ul key={group} className="mb-3 border-line not-first:border-t not-first:pt-3">
            {PAGES.filter((page) => page.group === group).map(({ id, to, icon: Icon }) => (
              <li key={id}>
                <Link
                  to={to}
                  params={{ memoryId }}
                  activeOptions={{ exact: id === 'start', includeSearch: false }}
                  className="flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-[0.95rem] text-soft hover:bg-sunken hover:text-ink"
                  activeProps={{ className: 'bg-tint! text-accent! font-medium' }}
                >
                  <Icon size={16} strokeWidth={1.75} aria-hidden />
                  {w.pages[id].title}
                </Link>
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <div className="flex flex-col gap-2 border-t border-line pt-3">
        <Preferences />
        <SignOut />
      </div>
    </>
  );
}

function SignOut() {
  const w = useWords();
  const leave = async () => {
    try {
      await api.signOut();
    } finally {
      writeToken(null);
    }
  };
  return (
    <Button look="quiet" icon={LogOut} className={clsx('justify-start')} onClick={() => void leave()}>
      {w.shell.signOut}
    </Button>
  );
}

function MemorySwitch() {
  const w = useWords();
  const memoryId = useMemoryId();
  const navigate = useNavigate();
  const { data } = useQuery(memoriesQuery);
  const ids = [...new Set([...(data?.items.map((item) => item.memoryId) ?? []), memoryId])];
  return (
    <Select
      label={w.shell.memory}
      value={memoryId}
      options={ids.map((id) => [id, id] as const)}
      onChoose={(id) => void navigate({ to: '/m/$memoryId', params: { memoryId: id } })}
      className="w-full"
    />
  );
}
