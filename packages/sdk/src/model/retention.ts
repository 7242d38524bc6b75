import type { KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { parseKubeconfig } from '@chandlery/client';
import type { AccessRequest } from '@chandlery/clusters/kinds';
import { shorten } from '@chandlery/clusters/kinds';
import {
  type RetainedRequest,
  type RetainedService,
  retainedNames,
  retainedServices,
} from '@chandlery/providers/kinds';
import type { ServiceObject } from '../definition/service-kind.ts';
import type { ClusterRole, Connections } from '../objects/cluster-connection.ts';
import { kindId } from '../objects/kind-refs.ts';
import type { SurveyedObject } from '../objects/managed-objects.ts';
import type { Place } from '../sync/syncer.ts';
import type { AccessRequirement } from './access-requirements.ts';
import { retainedServiceName } from './names.ts';
import { staysOf } from './receipt.ts';

type Copies = NonNullable<AccessRequest['spec']['copies']>;

export interface RetentionInput {
  readonly object: ServiceObject;
  readonly group: string;
  readonly provider: string;
  /** Whether the service uses the control plane with the object's name. */
  readonly usesControlPlane: boolean;
  readonly requests: readonly RetainedRequest[];
  readonly sharedRequests: readonly RetainedRequest[];
}

/** Builds the RetainedService that holds what a service needs after its object is deleted. */
export function retainedServiceFor(input: RetentionInput): RetainedService {
  const { object, group, provider, usesControlPlane, requests, sharedRequests } = input;
  const { namespace = '', name = '' } = object.metadata;
  return retainedServices.object(
    {
      name: retainedServiceName(object.kind, name),
      namespace,
      labels: { [retainedNames.providerLabel]: shorten(provider) },
      finalizers: [retainedNames.finalizer],
    },
    {
      provider,
      service: { group, kind: object.kind, name },
      ...(usesControlPlane && { controlPlane: name }),
      requests: [...requests],
      ...(sharedRequests.length > 0 && { sharedRequests: [...sharedRequests] }),
      stays: [...staysOf(object)],
    },
  );
}

/** The requests of a requirement, as a RetainedService lists them. */
export const retainedRequestsOf = ({ place, request }: AccessRequirement): readonly RetainedRequest[] => [
  { kind: 'AccessRequest', ...placeOf(place) },
  ...(request.purpose === undefined ? [] : [{ kind: 'ClusterRequest' as const, ...placeOf(request) }]),
];

const placeOf = ({ namespace, name }: Place): Place => ({ namespace, name });

/** The kinds of the objects on a cluster, without duplicates. */
export function keptKinds(found: readonly SurveyedObject[], role: ClusterRole): readonly ResourceRef[] {
  const refs = found.filter(each => each.role === role).map(({ ref }) => ref);
  return [
    ...new Map(
      refs.map(({ group, version, plural }) => [kindId({ group, version, plural }), { group, version, plural }]),
    ).values(),
  ];
}

/** The Secrets, on any cluster, that contain the token of a connection. */
export function copiesOf(
  found: readonly SurveyedObject[],
  role: ClusterRole,
  { connections, clusters }: { readonly connections: Connections; readonly clusters: ReadonlyMap<ClusterRole, Place> },
): Copies {
  const account = accountOf(tokenOf(connections[role]?.kubeconfig ?? ''));
  if (account === undefined) return [];
  return found.flatMap(({ role: at, object }) => {
    const { namespace = '', name = '' } = object.metadata;
    const clusterRef = clusters.get(at);
    if (object.kind !== 'Secret' || clusterRef === undefined || !holdsTokenOf(object, account)) return [];
    return [{ clusterRef, namespace, name }];
  });
}

/** Compares accounts, not tokens: the token may have been renewed since the Secret was written. */
function holdsTokenOf(secret: KubeObject, account: string): boolean {
  const data = Object.values((secret['data'] ?? {}) as Readonly<Record<string, string>>);
  const tokens = data.flatMap(text => [...Buffer.from(text, 'base64').toString().matchAll(jwt)]);
  return tokens.some(([token]) => accountOf(token) === account);
}

const jwt = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

function tokenOf(kubeconfig: string): string {
  try {
    const { users } = parseKubeconfig(kubeconfig, 'the kubeconfig of an access');
    return users.map(({ user }) => user.token).find(token => token !== undefined) ?? '';
  } catch {
    return '';
  }
}

/** The subject of a token; undefined when it is not a JSON Web Token. */
function accountOf(token: string): string | undefined {
  try {
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub?: string };
    return payload.sub;
  } catch {
    return undefined;
  }
}
