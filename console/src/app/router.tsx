import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { lastMemory } from './lastMemory.ts';
import { MemoryShell } from './shell.tsx';
import { NotFound, RouteFailed } from './notFound.tsx';

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    // oxlint-disable-next-line typescript/only-throw-error -- the router's way to redirect
    throw redirect({ to: '/m/$memoryId', params: { memoryId: await lastMemory() } });
  },
});

const memoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/m/$memoryId',
  component: MemoryShell,
});

const below = <Path extends string>(path: Path) => ({ getParentRoute: () => memoryRoute, path }) as const;

/** A search parameter: non-empty text only. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number'
      ? String(value)
      : undefined;
}

function texts<Name extends string>(...names: readonly Name[]) {
  return (search: Record<string, unknown>): Partial<Record<Name, string>> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = text(search[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    ) as Partial<Record<Name, string>>;
}

const routeTree = rootRoute.addChildren([
  indexRoute,
  memoryRoute.addChildren([
    createRoute({ ...below('/'), component: lazyRouteComponent(() => import('../pages/start/start.tsx')) }),
    createRoute({
      ...below('/chat'),
      validateSearch: texts('q', 'conversation'),
      component: lazyRouteComponent(() => import('../pages/chat/chat.tsx')),
    }),
    createRoute({
      ...below('/memories'),
      validateSearch: texts(
        'q',
        'how',
        'kind',
        'state',
        'pinned',
        'sensitivity',
        'source',
        'from',
        'to',
        'topic',
        'entity',
        'unit',
      ),
      component: lazyRouteComponent(() => import('../pages/memories/memories.tsx')),
    }),
    createRoute({
      ...below('/conversations'),
      validateSearch: texts('c', 'turn'),
      component: lazyRouteComponent(() => import('../pages/conversations/conversations.tsx')),
    }),
    createRoute({
      ...below('/facts'),
      validateSearch: texts('subject', 'at', 'unit'),
      component: lazyRouteComponent(() => import('../pages/facts/facts.tsx')),
    }),
    createRoute({
      ...below('/loops'),
      validateSearch: texts('show'),
      component: lazyRouteComponent(() => import('../pages/loops/loops.tsx')),
    }),
    createRoute({
      ...below('/people'),
      validateSearch: texts('id'),
      component: lazyRouteComponent(() => import('../pages/people/people.tsx')),
    }),
    createRoute({
      ...below('/topics'),
      validateSearch: texts('view', 'topic'),
      component: lazyRouteComponent(() => import('../pages/topics/topics.tsx')),
    }),
    createRoute({
      ...below('/timeline'),
      validateSearch: texts('at'),
      component: lazyRouteComponent(() => import('../pages/timeline/timeline.tsx')),
    }),
    createRoute({
      ...below('/notes'),
      validateSearch: texts('file'),
      component: lazyRouteComponent(() => import('../pages/notes/notes.tsx')),
    }),
    createRoute({
      ...below('/operate'),
      validateSearch: texts('tab'),
      component: lazyRouteComponent(() => import('../pages/operate/operate.tsx')),
    }),
    createRoute({
      ...below('/personal'),
      validateSearch: texts('found', 'level', 'unit'),
      component: lazyRouteComponent(() => import('../pages/personal/personal.tsx')),
    }),
    createRoute({
      ...below('/journal'),
      component: lazyRouteComponent(() => import('../pages/journal/journal.tsx')),
    }),
  ]),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: RouteFailed,
  defaultPendingMs: 200,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
