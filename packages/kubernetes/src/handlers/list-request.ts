import type { ListRequest } from '@chandlery/kernel';
import { integerOf, type ResourceCall } from '../call.ts';

/** What the query says about a list. */
export function listRequestOf({ query }: ResourceCall): ListRequest {
  const limit = integerOf(query, 'limit');
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    ...(limit === undefined ? {} : { limit }),
  };
}
