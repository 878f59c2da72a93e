/** The pages, in the order in which they are offered. */
import {
  BookOpenText,
  Clock,
  History,
  Landmark,
  LibraryBig,
  MessagesSquare,
  Sprout,
  type LucideIcon,
} from 'lucide-react';

export const PAGES = [
  { id: 'start', to: '/m/$memoryId', icon: Sprout, group: 'first' },
  { id: 'chat', to: '/m/$memoryId/chat', icon: MessagesSquare, group: 'first' },
  { id: 'memories', to: '/m/$memoryId/memories', icon: LibraryBig, group: 'kept' },
  { id: 'conversations', to: '/m/$memoryId/conversations', icon: BookOpenText, group: 'kept' },
  { id: 'facts', to: '/m/$memoryId/facts', icon: Landmark, group: 'kept' },
  { id: 'loops', to: '/m/$memoryId/loops', icon: Clock, group: 'kept' },
  { id: 'journal', to: '/m/$memoryId/journal', icon: History, group: 'order' },
] as const satisfies readonly {
  readonly id: string;
  readonly to: string;
  readonly icon: LucideIcon;
  readonly group: string;
}[];

export const GROUPS = ['first', 'kept', 'order'] as const;
