/** The pages, in menu order. */
import {
  BookOpenText,
  CalendarDays,
  Clock,
  Gauge,
  History,
  Landmark,
  LibraryBig,
  MessagesSquare,
  Network,
  NotebookPen,
  ShieldCheck,
  Sprout,
  Users,
  type LucideIcon,
} from 'lucide-react';

export const PAGES = [
  { id: 'start', to: '/m/$memoryId', icon: Sprout, group: 'first' },
  { id: 'chat', to: '/m/$memoryId/chat', icon: MessagesSquare, group: 'first' },
  { id: 'memories', to: '/m/$memoryId/memories', icon: LibraryBig, group: 'kept' },
  { id: 'conversations', to: '/m/$memoryId/conversations', icon: BookOpenText, group: 'kept' },
  { id: 'facts', to: '/m/$memoryId/facts', icon: Landmark, group: 'kept' },
  { id: 'loops', to: '/m/$memoryId/loops', icon: Clock, group: 'kept' },
  { id: 'people', to: '/m/$memoryId/people', icon: Users, group: 'seen' },
  { id: 'topics', to: '/m/$memoryId/topics', icon: Network, group: 'seen' },
  { id: 'timeline', to: '/m/$memoryId/timeline', icon: CalendarDays, group: 'seen' },
  { id: 'notes', to: '/m/$memoryId/notes', icon: NotebookPen, group: 'seen' },
  { id: 'personal', to: '/m/$memoryId/personal', icon: ShieldCheck, group: 'order' },
  { id: 'journal', to: '/m/$memoryId/journal', icon: History, group: 'order' },
  { id: 'operate', to: '/m/$memoryId/operate', icon: Gauge, group: 'order' },
] as const satisfies readonly {
  readonly id: string;
  readonly to: string;
  readonly icon: LucideIcon;
  readonly group: string;
}[];

export const GROUPS = ['first', 'kept', 'seen', 'order'] as const;
