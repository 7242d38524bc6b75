import type { ChandleryError } from '@chandlery/api';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import { type EndpointSet, maxReasonLength } from '../../kinds/endpoint-set.ts';
import type { Resolution, SetEndpoint } from './cloud-machine.ts';
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
    };

export interface ResourcePlanInput {
  /** Name of a set of the resource, from 0. */
  readonly nameOf: (index: number) => string;
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
      return { put: planStaleSets(present, { since: since.toISOString(), reason: reasonOf(failure) }), remove: [] };
    }
    case 'read': {
      const { resolution, readAt, failure } = account;
      const stale = failure && { since: staleSince(present) ?? readAt.toISOString(), reason: reasonOf(failure) };
      const kept = keptEndpoints(input.resource, resolution, present);
      return planEndpointSets({ ...input, present, machines: resolution.machines, kept, ...(stale && { stale }) });
    }
  }
}

/** What could not be read again stays, unless the resource serves another service or port by now. */
function keptEndpoints(
  { service, ports }: CloudResource['spec'],
  { machines, keeps }: Resolution,
  present: readonly EndpointSet[],
): readonly SetEndpoint[] {
  if (keeps === undefined) return [];
  const found = new Set(machines.map(({ id }) => id));
  return present
    .filter(({ spec }) => spec.service === service)
    .flatMap(({ spec }) => spec.endpoints)
    .filter(
      endpoint =>
        keeps(endpoint) &&
        !found.has(endpoint.source ?? '') &&
        ports.some(({ name, port }) => name === endpoint.portName && port === endpoint.port),
    );
}

const reasonOf = ({ message }: ChandleryError): string => message.slice(0, maxReasonLength);

const staleSince = (present: readonly EndpointSet[]): string | undefined =>
  present.map(({ spec }) => spec.stale?.since).find(since => since !== undefined);
