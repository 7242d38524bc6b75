import type { Change } from '../store/store.ts';

interface PageSize {
  readonly pageBytes: number;
  /** At most so many changes. */
  readonly maxSize: number;
}

/** How many changes make a page of about so many bytes, judged by the page before. */
export function nextPageSize(changes: readonly Change[], { pageBytes, maxSize }: PageSize): number {
  const bytes = changes.reduce((sum, { value }) => sum + value.bytes.length, 0);
  if (bytes === 0) return maxSize;
  return Math.max(1, Math.min(maxSize, Math.round((pageBytes * changes.length) / bytes)));
}
