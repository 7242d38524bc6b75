import { clusters as clusterKind } from '@chandlery/clusters/kinds';
import { accessRecords, providersGroup } from '../../kinds/index.ts';
import type { Crd } from './own-kinds.ts';
import type { ProviderClass } from './provider-class.ts';

/** A rule of RBAC about resources. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** The rights of an account: on the whole platform cluster, and in the system namespace. */
export interface Rights {
  readonly everywhere: readonly Rule[];
  readonly inSystemNamespace: readonly Rule[];
}

const clustersGroup = clusterKind.group;
const crdGroup = 'apiextensions.k8s.io';
const read = ['get', 'list', 'watch'];
const change = ['update', 'patch'];
const all = [...read, 'create', ...change, 'delete', 'deletecollection'];

const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [group],
  resources,
  verbs,
});

/** Leader election, events, and the requests for clusters and access with their credentials. */
const inSystemNamespace: readonly Rule[] = [
  rule('coordination.k8s.io', ['leases'], all),
  rule('', ['events'], ['create', 'patch']),
  rule('events.k8s.io', ['events'], ['create', 'patch']),
  rule(clustersGroup, ['clusterrequests', 'accessrequests'], all),
  rule('', ['secrets'], read),
];

/** The rights of init: install kinds, and report them. */
export function initRights(providerClass: ProviderClass, providerName: string): Rights {
  return {
    everywhere: [
      ...ownObject(providerClass, providerName),
      rule(crdGroup, ['customresourcedefinitions'], [...read, 'create', ...change]),
      ...seeClusters,
      rule(clustersGroup, ['clusterrequests', 'accessrequests'], read),
    ],
    inSystemNamespace,
  };
}

/** The rights of a running provider, by its class and the kinds that its init has installed on the platform. */
export function runRights(providerClass: ProviderClass, providerName: string, ownKinds: readonly Crd[]): Rights {
  return {
    everywhere: [
      ...ownObject(providerClass, providerName),
      rule(crdGroup, ['customresourcedefinitions'], read),
      ...duties(providerClass),
      ...ownKinds.flatMap(kindRule).sort(byGroupAndPlural),
    ],
    inSystemNamespace: [...inSystemNamespace, ...records(providerClass)],
  };
}

/** The rights of providers in the namespace of a control plane, besides those on the whole cluster. */
export const tenantNamespaceRules: readonly Rule[] = [
  rule(clustersGroup, ['accessrequests', 'clusterrequests'], all),
  rule('', ['secrets'], read),
  rule('', ['events'], ['create', 'patch']),
];

const ownObject = ({ kind }: ProviderClass, name: string): readonly Rule[] => [
  rule(providersGroup, [kind.plural], read),
  { ...rule(providersGroup, [`${kind.plural}/status`], ['get', ...change]), resourceNames: [name] },
];

const seeClusters: readonly Rule[] = [
  rule(clustersGroup, ['clusters', 'clusterprofiles'], read),
  rule('', ['namespaces'], read),
];

/** Service providers and platform services request clusters; cluster providers create them and grant access. */
function duties({ prefix }: ProviderClass): readonly Rule[] {
  switch (prefix) {
    case 'sp':
    case 'ps':
      return [...seeClusters, rule(clustersGroup, ['clusterrequests', 'accessrequests'], all)];
    case 'cp':
      return [
        ...seeClusters,
        rule(clustersGroup, ['clusters', 'accessrequests'], [...read, ...change]),
        rule(clustersGroup, ['clusters/status', 'accessrequests/status'], ['get', ...change]),
        rule(clustersGroup, ['clusters/finalizers', 'accessrequests/finalizers'], ['update']),
        rule(clustersGroup, ['clusterprofiles'], all),
        rule(clustersGroup, ['clusterrequests'], read),
        rule('', ['secrets'], all),
      ];
  }
}

/** Providers that request clusters for service objects record the clusters they got. */
const records = ({ prefix }: ProviderClass): readonly Rule[] =>
  prefix === 'cp' ? [] : [rule(accessRecords.group, [accessRecords.plural], all)];

/** By name and not by group: other kinds of the group may belong to other owners. */
function kindRule({ spec }: Crd): Rule[] {
  if (spec === undefined) return [];
  const { plural } = spec.names;
  return [rule(spec.group, [plural, `${plural}/status`, `${plural}/finalizers`], all)];
}

const byGroupAndPlural = (a: Rule, b: Rule): number => (sortKey(a) < sortKey(b) ? -1 : 1);
const sortKey = ({ apiGroups, resources }: Rule): string => `${apiGroups[0]}/${resources[0]}`;
