import { type AccessRequest, shorten, systemNamespace, tenantNamespace } from '@chandlery/clusters/kinds';
import { type AccessRecord, retainedServices } from '@chandlery/providers/kinds';
import type { ClusterRequirement, Permission, ProviderDefinition } from '../definition/provider-definition.ts';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import type { Place } from '../sync/syncer.ts';
import type { Identity } from './names.ts';

export type TokenAccess = NonNullable<AccessRequest['spec']['token']>;

/** Required access to a cluster: an AccessRequest, and usually a ClusterRequest of the same name. */
export interface AccessRequirement {
  /** The name of the cluster in messages. */
  readonly title: string;
  /** The place of the AccessRequest. */
  readonly place: Place;
  /** The ClusterRequest of the cluster: with a purpose, one of this provider; without, one of another owner. */
  readonly request: Place & { readonly purpose?: string };
  /** The cluster itself, when no ClusterRequest refers to it any more. Default: that of the request. */
  readonly cluster?: Place;
  readonly token: TokenAccess;
  /** The service object that needs it; undefined for the provider itself. */
  readonly object: Identity | undefined;
}

const everything = ['*'];
const definitions = 'customresourcedefinitions';
const crdRules = {
  apiGroups: ['apiextensions.k8s.io'],
  resources: [definitions],
  verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
};

/** The access that an object of the definition requires; the control plane comes first. */
export function accessRequirementsOf(
  definition: ProviderDefinition,
  provider: string,
  object: Identity,
): Partial<Record<ClusterRole, AccessRequirement>> {
  const { mcp, workload } = definition.clusters ?? {};
  return {
    ...(mcp && { mcp: controlPlaneRequirement(provider, object, tokenFor(definition, 'mcp', mcp)) }),
    ...(workload && { workload: workloadRequirement(definition, provider, object) }),
  };
}

function controlPlaneRequirement(provider: string, object: Identity, token: TokenAccess): AccessRequirement {
  const namespace = tenantNamespace(object.namespace, object.name);
  return {
    title: 'the control plane',
    place: { namespace, name: requestName(provider, object.name, 'mcp') },
    request: { namespace, name: object.name },
    token,
    object,
  };
}

function workloadRequirement(definition: ProviderDefinition, provider: string, object: Identity): AccessRequirement {
  const { mcp, workload } = definition.clusters ?? {};
  if (workload?.per === 'provider') return sharedWorkloadRequirement(definition, provider);
  return workloadRequirementAt(definition, workloadPlace(provider, object, mcp !== undefined), object);
}

/** Access to the workload cluster that all objects share. */
export const sharedWorkloadRequirement = (definition: ProviderDefinition, provider: string): AccessRequirement =>
  workloadRequirementAt(definition, sharedPlace(provider, 'wl'), undefined);

function workloadRequirementAt(
  definition: ProviderDefinition,
  place: Place,
  object: Identity | undefined,
): AccessRequirement {
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

/** The place of the AccessRequest by which a retained service accesses the shared cluster. */
export const retainedAccessPlace = (provider: string, object: Identity): Place =>
  workloadPlace(provider, object, false);

/** Access to a cluster that a service object has used and whose requests are deleted. */
export function formerClusterRequirement(definition: ProviderDefinition, record: AccessRecord): AccessRequirement {
  const { object, role, cluster } = record.spec;
  const place = { namespace: systemNamespace, name: shorten(`${record.metadata.name}--sweep`) };
  const requirement = definition.clusters?.[role] ?? { permissions: [] };
  return {
    title: `cluster "${cluster.name}"`,
    place,
    request: place,
    cluster,
    token: tokenFor(definition, role, requirement),
    object: { ...object, deletionPolicy: 'Delete' },
  };
}

/** The provider's own access to the onboarding cluster. */
export const onboardingRequirement = (provider: string, suffix: string, token: TokenAccess): AccessRequirement => {
  const place = sharedPlace(provider, suffix);
  return {
    title: 'the onboarding cluster',
    place,
    request: { ...place, purpose: 'onboarding' },
    token,
    object: undefined,
  };
};

/** The rights of init on the onboarding cluster: install kinds. */
export const initToken: TokenAccess = {
  permissions: [{ rules: [{ ...crdRules, verbs: crdRules.verbs.filter(verb => verb !== 'delete') }] }],
};

/**
 * The rights of run on the onboarding cluster: serve its own kinds, and write Secrets, ConfigMaps and events for
 * tenants.
 */
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

/** The place of requests that a provider creates for itself rather than for a service object. */
export const sharedPlace = (provider: string, suffix: string): Place => ({
  namespace: systemNamespace,
  name: requestName(provider, suffix),
});

const requestName = (...parts: readonly string[]): string => shorten(parts.join('--').toLowerCase());

function tokenFor(definition: ProviderDefinition, slot: ClusterRole, requirement: ClusterRequirement): TokenAccess {
  const rules = [...syncRules(definition, slot), ...(slot === 'mcp' ? blockerRules(definition) : [])];
  const added: Permission[] = rules.length === 0 ? [] : [{ rules }];
  return {
    permissions: [...requirement.permissions, ...added],
    ...(requirement.roleRefs === undefined ? {} : { roleRefs: [...requirement.roleRefs] }),
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
