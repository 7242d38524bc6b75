import { type AccessRequest, shorten, systemNamespace, tenantNamespace } from '@chandlery/clusters/kinds';
import { type AccessRecord, retainedServices } from '@chandlery/providers/kinds';
import type { ClusterWish, Permission, ProviderDefinition } from '../definition/provider-definition.ts';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import type { Place } from '../sync/syncer.ts';
import type { Identity } from './names.ts';

export type TokenAccess = NonNullable<AccessRequest['spec']['token']>;

/** A way into a cluster that is wanted: an AccessRequest, and mostly a ClusterRequest of the same name. */
export interface AccessWish {
  /** What people call the cluster. */
  readonly title: string;
  /** Where the AccessRequest is. */
  readonly place: Place;
  /** The ClusterRequest whose cluster is meant: somebody else's without a purpose, otherwise one's own. */
  readonly request: Place & { readonly purpose?: string };
  /** The cluster itself, where no ClusterRequest leads to it any more. Default: that of the request. */
  readonly cluster?: Place;
  readonly token: TokenAccess;
  /** The service object it is for; undefined for the provider itself. */
  readonly object: Identity | undefined;
}

const everything = ['*'];
const definitions = 'customresourcedefinitions';
const crdRules = {
  apiGroups: ['apiextensions.k8s.io'],
  resources: [definitions],
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
};

/** The ways into clusters that an object of the definition needs; the control plane comes first. */
export function accessWishesOf(
  definition: ProviderDefinition,
  provider: string,
  object: Identity,
): Partial<Record<ClusterRole, AccessWish>> {
  const { mcp, workload } = definition.clusters ?? {};
  return {
    ...(mcp && { mcp: controlPlaneWish(provider, object, tokenFor(definition, 'mcp', mcp)) }),
    ...(workload && { workload: workloadWish(definition, provider, object) }),
  };
}

function controlPlaneWish(provider: string, object: Identity, token: TokenAccess): AccessWish {
  const namespace = tenantNamespace(object.namespace, object.name);
  return {
    title: 'the control plane',
    place: { namespace, name: requestName(provider, object.name, 'mcp') },
    request: { namespace, name: object.name },
    token,
    object,
  };
}

function workloadWish(definition: ProviderDefinition, provider: string, object: Identity): AccessWish {
  const { mcp, workload } = definition.clusters ?? {};
  if (workload?.per === 'provider') return sharedWorkloadWish(definition, provider);
  return workloadWishAt(definition, workloadPlace(provider, object, mcp !== undefined), object);
}

/** The way to the workload cluster that all objects share. */
export const sharedWorkloadWish = (definition: ProviderDefinition, provider: string): AccessWish =>
  workloadWishAt(definition, sharedPlace(provider, 'wl'), undefined);

function workloadWishAt(definition: ProviderDefinition, place: Place, object: Identity | undefined): AccessWish {
  const { workload = { permissions: [] } } = definition.clusters ?? {};
  return {
    title: 'the workload cluster',
    place,
    request: { ...place, purpose: 'workload' },
    token: tokenFor(definition, 'workload', workload),
    object,
  };
}

function workloadPlace(provider: string, { namespace, name }: Identity, isBesideControlPlane: boolean): Place {
  if (isBesideControlPlane)
    return { namespace: tenantNamespace(namespace, name), name: requestName(provider, name, 'wl') };
  return { namespace: systemNamespace, name: requestName(provider, namespace, name, 'wl') };
}

/** Where the access of a retained service to the cluster that all objects share is asked for. */
export const retainedAccessPlace = (provider: string, object: Identity): Place =>
  workloadPlace(provider, object, false);

/** The way to a cluster that an order had access to and whose requests are gone. */
export function formerClusterWish(definition: ProviderDefinition, record: AccessRecord): AccessWish {
  const { object, role, cluster } = record.spec;
  const place = { namespace: systemNamespace, name: shorten(`${record.metadata.name}--sweep`) };
  const wish = definition.clusters?.[role] ?? { permissions: [] };
  return {
    title: `cluster "${cluster.name}"`,
    place,
    request: place,
    cluster,
    token: tokenFor(definition, role, wish),
    object: { ...object, deletionPolicy: 'Delete' },
  };
}

/** The provider's own way to the onboarding cluster. */
export const onboardingWish = (provider: string, suffix: string, token: TokenAccess): AccessWish => {
  const place = sharedPlace(provider, suffix);
  return {
    title: 'the onboarding cluster',
    place,
    request: { ...place, purpose: 'onboarding' },
    token,
    object: undefined,
  };
};

/** What init may do on the onboarding cluster: install kinds. */
export const initToken: TokenAccess = {
  permissions: [{ rules: [{ ...crdRules, verbs: crdRules.verbs.filter(verb => verb !== 'delete') }] }],
};

/** What run may do on the onboarding cluster: serve its own kinds, and tell tenants about it. */
export const runToken = ({ api, kinds = [] }: ProviderDefinition): TokenAccess => ({
  permissions: [
    {
      rules: [
        {
          apiGroups: [...new Set([api, ...kinds].map(({ group }) => group))].sort(),
          resources: everything,
          verbs: everything,
        },
        {
          apiGroups: [''],
          resources: ['secrets', 'configmaps'],
          verbs: ['get', 'create', 'update', 'patch', 'delete'],
        },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
        {
          apiGroups: [retainedServices.group],
          resources: [retainedServices.plural],
          verbs: ['get', 'list', 'watch', 'create', 'delete'],
        },
      ],
    },
  ],
});

/** Where a provider asks for a cluster on its own behalf, and not on that of an order. */
export const sharedPlace = (provider: string, suffix: string): Place => ({
  namespace: systemNamespace,
  name: requestName(provider, suffix),
});

const requestName = (...parts: readonly string[]): string => shorten(parts.join('--').toLowerCase());

function tokenFor(definition: ProviderDefinition, slot: ClusterRole, wish: ClusterWish): TokenAccess {
  const rules = [...syncRules(definition, slot), ...(slot === 'mcp' ? blockerRules(definition) : [])];
  const added: Permission[] = rules.length === 0 ? [] : [{ rules }];
  return {
    permissions: [...wish.permissions, ...added],
    ...(wish.roleRefs === undefined ? {} : { roleRefs: [...wish.roleRefs] }),
  };
}

function syncRules({ syncs = [] }: ProviderDefinition, slot: ClusterRole): Permission['rules'] {
  if (syncs.length === 0) return [];
  const namespaces = { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'create', 'patch', 'delete'] };
  const kinds = syncs.flatMap(({ kind, related = [] }) => [
    { apiGroups: [kind.group], resources: [kind.plural, `${kind.plural}/status`], verbs: everything },
    ...related.map(({ ref }) => ({ apiGroups: [ref.group], resources: [ref.plural], verbs: everything })),
  ]);
  return [crdRules, ...(slot === 'workload' ? [namespaces] : []), ...kinds];
}

const blockerRules = ({ blockedBy = [] }: ProviderDefinition): Permission['rules'] =>
  blockedBy.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch'] }));
