import { smError } from '../../../errors.ts';
import type { SmRequest } from '../resource-handler.ts';

/** A DELETE of one resource. */
export interface Removal extends SmRequest {
  readonly isCascade: boolean;
  readonly isForced: boolean;
}

/** Throws `BadRequest` for `force` without `cascade`. */
export function checkForce({ isCascade, isForced }: Removal): void {
  if (isForced && !isCascade) throw smError('BadRequest', 'force can only be used together with cascade');
}
