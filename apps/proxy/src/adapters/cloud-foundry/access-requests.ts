import type { JsonObject } from '@chandlery/api';
import type { AccessChange } from '../../ports.ts';

/** A request below `/v3/service_plans/<guid>`. */
export interface AccessRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly json?: JsonObject;
}

/**
 * The requests that change the access to a plan. A change of kind (public, organizations, none) is one replacement;
 * between organizations only the difference is sent, so that concurrent grants by other clients are kept.
 */
export function accessRequests({ from, to }: AccessChange): AccessRequest[] {
  if (to.isPublic) return [replaceBy({ type: 'public' })];
  const isClosed = !from.isPublic && from.scopes.length === 0;
  if (to.scopes.length === 0) return isClosed ? [] : [replaceBy({ type: 'admin' })];
  if (from.isPublic || isClosed) return [replaceBy(organizations(to.scopes))];
  const added = to.scopes.filter(scope => !from.scopes.includes(scope));
  const removed = from.scopes.filter(scope => !to.scopes.includes(scope));
  return [
    ...(added.length === 0 ? [] : [{ method: 'POST', path: '/visibility', json: organizations(added) } as const]),
    ...removed.map(scope => ({ method: 'DELETE', path: `/visibility/${encodeURIComponent(scope)}` }) as const),
  ];
}

const replaceBy = (json: JsonObject): AccessRequest => ({ method: 'PATCH', path: '/visibility', json });

const organizations = (guids: readonly string[]): JsonObject => ({
  type: 'organization',
  organizations: guids.map(guid => ({ guid })),
});
