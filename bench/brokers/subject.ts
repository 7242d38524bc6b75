import type { LoadTarget } from './load-job.ts';

/** A way to the broker. */
export interface Subject {
  readonly name: string;
  /** Several: requests are spread over them. */
  readonly targets: readonly LoadTarget[];
  /** Of the processes on the way; for the direct way, of the broker. */
  cpuSeconds(): Promise<number>;
  /** Whether the aims are meant for it. */
  readonly isOurs: boolean;
}

/** Names that are looked for. */
export const directName = 'direct';
export const bareName = 'bare Node proxy';
