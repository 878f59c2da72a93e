import { useParams } from '@tanstack/react-router';

/** The memory of the current page. */
export function useMemoryId(): string {
  return useParams({ from: '/m/$memoryId' }).memoryId;
}
