import type { OwnershipScope } from '../apply/index.ts';
import type { CompiledVersion } from '../registry/compiled-kind.ts';

/** Where a write came in: the object itself or one of its sub-resources. */
export type Endpoint = '' | 'status' | 'scale' | 'finalize';

/** Which fields an endpoint can own: the object's own endpoint never status, the status endpoint nothing else. */
export function ownership(
  version: CompiledVersion,
  endpoint: Endpoint,
): { subresource?: string; scope?: OwnershipScope } {
  switch (endpoint) {
    case '':
      return version.hasStatus ? { scope: { except: ['status'] } } : {};
    case 'status':
      return { subresource: 'status', scope: { only: ['status'] } };
    case 'scale':
    case 'finalize':
      return { subresource: endpoint };
  }
}
