import { fleetError } from '../../errors.ts';
import type { Call } from './call.ts';

/** Throws error 103 unless the request has exactly `async=true`. */
export function checkAsync({ query, method }: Call): void {
  if (query.get('async') !== 'true')
    throw fleetError(103, `Synchronous action is not supported: ${method} needs the query parameter async=true`);
}
