import { ChandleryError, isError } from '@chandlery/api';
import { urnOf } from './urns.ts';

/** An artifact as a record. */
export interface ArtifactRecord {
  readonly id: string;
  readonly name?: string;
  readonly status: string;
  readonly size?: number;
  readonly 'mime-type'?: string;
  readonly 'upload-length'?: number;
}

/** Attempts without progress, after which a transfer is given up. */
export const maxAttempts = 5;

/** The pause before another attempt. */
export const retryPauseMs = (attempt: number): number => 200 * 2 ** attempt;

/** Failures after which a transfer may continue where it was. */
const passing: readonly string[] = [
  'ConnectionFailed',
  'Timeout',
  'Orders:upload-busy',
  'Orders:offset-mismatch',
  'Orders:unavailable',
];

/** Whether another attempt makes sense. */
export const isPassing = (thrown: unknown): boolean => isError(thrown, ...passing);

/** The URN of an artifact that a command line names. Throws `InvalidId`. */
export function artifactUrn(text: string): string {
  const urn = urnOf('artifact', text);
  if (urn !== undefined) return urn;
  throw new ChandleryError('InvalidId', `"${text}" is not the id of an artifact`, {
    hint: 'An id is urn:ivcap:artifact: and a UUID, or the UUID alone.',
  });
}
