import type { ChandleryError } from '@chandlery/api';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import type { EndpointSet } from '../../kinds/endpoint-set.ts';
import type { Resolution } from './cloud-machine.ts';
import { type EndpointSetPlan, planEndpointSets, planStaleSets } from './plan-endpoint-sets.ts';

/** What is known of the account of a resource. */
export type AccountView =
  | { readonly type: 'missing' }
  /** It has not been read in this process yet. */
  | { readonly type: 'unread'; readonly failure?: ChandleryError; readonly since?: Date }
  | {
      readonly type: 'read';
      readonly resolution: Resolution;
      readonly readAt: Date;
      /** Why the reading is not current, or lacks regions. Default: it is. */
      readonly failure?: ChandleryError;
      /** Regions that were not read. Default: none. */
      readonly unreadRegions?: readonly string[];
    };

export interface ResourcePlanInput {
  /** Name of the first set of the resource. */
  readonly name: string;
  readonly cloud: string;
  readonly resource: CloudResource['spec'];
  readonly account: AccountView;
  /** Present sets of the resource. */
  readonly present: readonly EndpointSet[];
}

const nothing: EndpointSetPlan = { put: [], remove: [] };

/**
 * The changes of the sets of a resource. What cannot be read stays as it is, marked as stale; a resource whose account was
 * deleted has no endpoints.
 */
export function planResource({ account, present, ...input }: ResourcePlanInput): EndpointSetPlan {
  switch (account.type) {
    case 'missing':
      return { put: [], remove: present.map(({ metadata: { name = '' } }) => name).sort() };
    case 'unread': {
      const { failure, since } = account;
      if (failure === undefined || since === undefined) return nothing;
      return { put: planStaleSets(present, { since: since.toISOString(), reason: failure.message }), remove: [] };
    }
    case 'read': {
      const { resolution, readAt, failure, unreadRegions = [] } = account;
      const stale = failure && { since: staleSince(present) ?? readAt.toISOString(), reason: failure.message };
      const kept = present
        .flatMap(({ spec }) => spec.endpoints)
        .filter(({ region }) => region !== undefined && unreadRegions.includes(region));
      return planEndpointSets({ ...input, present, machines: resolution.machines, kept, ...(stale && { stale }) });
    }
  }
}

const staleSince = (present: readonly EndpointSet[]): string | undefined =>
  present.map(({ spec }) => spec.stale?.since).find(since => since !== undefined);
