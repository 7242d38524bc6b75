import { useRef } from 'react';

/** The last value that there was: stands in while the next one is read. */
export function useKept<T>(value: T | undefined): T | undefined {
  const kept = useRef<T>(undefined);
  if (value !== undefined) kept.current = value;
  return kept.current;
}
