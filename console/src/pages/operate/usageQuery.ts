import { queryOptions } from '@tanstack/react-query';
import { api, type Answer } from '../../api/api.ts';

export type RecallUsage = Answer<'readUsage'>;

export const usageQuery = (memoryId: string) =>
  queryOptions({
    queryKey: [memoryId, 'usage'],
    queryFn: ({ signal }) => api.readUsage({ memoryId, query: { days: 30 } }, { signal }),
  });
