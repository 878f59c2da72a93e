import { useParams } from '@tanstack/react-router';

/** The memory that the page is about. */
export function useMemoryId(): string {
  return useParams({ from: '/m/$memoryId' }).memoryId;
}
