import type { CallOptions } from './caller.ts';
import {
  accessRequest,
  accessRequestsPath,
  clusterRequest,
  clusterRequestsPath,
  clustersPath,
  hostImage,
  hostImagesPath,
} from './clusters.ts';
import { fooConfigsPath, providersPath, systemNamespace } from './foo-provider.ts';
import {
  binding,
  boatDefinition,
  configMap,
  corePath,
  deployment,
  groupPath,
  namespace,
  pod,
  rbacPath,
  role,
  secret,
} from './objects.ts';
import { deletion, mergePatch } from './tenants.ts';

/** The accounts of provider `foo`, and one beside them without rights. */
export const accountNames = ['run', 'init', 'bystander'] as const;
export type AccountName = (typeof accountNames)[number];

/** A request, and which accounts may make it. All others are rejected. */
export interface ProviderRow {
  readonly path: string;
  readonly options?: CallOptions;
  readonly allowed: readonly AccountName[];
  /** Status for those. Default 200. */
  readonly status?: number;
  readonly why?: string;
}

const both: readonly AccountName[] = ['run', 'init'];
const dry = (path: string): string => `${path}?dryRun=All`;
const label = mergePatch({ metadata: { labels: { a: 'b' } } });
const post = (body: object): CallOptions => ({ body });
const system = corePath('platform', systemNamespace);
const all = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
const toItself = { kind: 'ServiceAccount', name: 'sp-foo', namespace: systemNamespace } as const;
const status = mergePatch({ status: { resources: [{ group: 'example.org', version: 'v1', kind: 'Boat' }] } });
const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
const clusterGroup = 'clusters.openmcp.cloud/v1alpha1';
const definitions = groupPath('platform', 'apiextensions.k8s.io/v1/customresourcedefinitions');
const schedulerConfig = groupPath('platform', 'clusters.chandlery.io/v1alpha1/schedulerconfigs/default');
const profile = groupPath('platform', `${clusterGroup}/clusterprofiles/local`);
const request = accessRequest('new', 'onboarding', { token: { roleRefs: [{ kind: 'ClusterRole', name: 'view' }] } });

const inTheNameOf = (provider: string) => ({
  ...request,
  metadata: { ...request.metadata, labels: { 'openmcp.cloud/managed-by': provider } },
});

/** What a provider needs. */
const ownRows: readonly ProviderRow[] = [
  { path: `${providersPath}/foo`, allowed: both },
  { path: dry(`${providersPath}/foo/status`), options: status, allowed: both },
  { path: fooConfigsPath, allowed: ['run'] },
  { path: dry(`${fooConfigsPath}/foo`), options: label, allowed: ['run'] },
  { path: dry(`${fooConfigsPath}/foo/status`), options: mergePatch({ status: { phase: 'Ready' } }), allowed: ['run'] },
  { path: dry(clusterRequestsPath()), options: post(clusterRequest('new', 'workload')), allowed: both, status: 201 },
  { path: dry(accessRequestsPath()), options: post(request), allowed: both, status: 201 },
  { path: dry(accessRequestsPath()), options: post(inTheNameOf('foo')), allowed: both, status: 201 },
  { path: groupPath('platform', `${clusterGroup}/accessrequests`), allowed: both },
  { path: `${system}/secrets/precious`, allowed: both, why: 'kubeconfigs of their requests are there' },
  { path: definitions, allowed: both },
  { path: dry(definitions), options: post(boatDefinition()), allowed: ['init'], status: 201 },
  { path: clustersPath, allowed: both },
  { path: `${corePath('platform')}/namespaces`, allowed: both },
  {
    path: dry(`${groupPath('platform', 'coordination.k8s.io/v1', systemNamespace)}/leases`),
    options: post({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'x' } }),
    allowed: both,
    status: 201,
  },
];

const nobody: readonly AccountName[] = [];
const refused = (path: string, options?: CallOptions, why?: string): ProviderRow => ({
  path,
  ...(options === undefined ? {} : { options }),
  allowed: nobody,
  ...(why === undefined ? {} : { why }),
});

const secretRows: readonly ProviderRow[] = [
  ...['default', 'kube-system'].flatMap(name => [
    refused(`${corePath('platform', name)}/secrets/precious`),
    refused(`${corePath('platform', name)}/secrets`),
  ]),
  refused(`${corePath('platform')}/secrets`),
  refused(dry(`${system}/secrets`), post(secret('new'))),
  refused(dry(`${system}/secrets/precious`), label),
  refused(dry(`${system}/secrets/precious`), deletion),
];

const rbacRows: readonly ProviderRow[] = [
  refused(dry(`${rbacPath('platform')}/clusterroles`), post(role('ClusterRole', 'all', all))),
  refused(
    dry(`${rbacPath('platform')}/clusterrolebindings`),
    post(binding('ClusterRoleBinding', 'ClusterRole/cluster-admin', [toItself])),
  ),
  refused(dry(`${rbacPath('platform', systemNamespace)}/roles`), post(role('Role', 'all', all))),
  refused(
    dry(`${rbacPath('platform', systemNamespace)}/rolebindings`),
    post(binding('RoleBinding', 'ClusterRole/cluster-admin', [toItself])),
  ),
  refused(dry(`${rbacPath('platform')}/clusterroles/chandlery:sp-foo`), mergePatch({ rules: all })),
  refused(`${rbacPath('platform')}/clusterroles`),
  refused(
    dry(`${system}/serviceaccounts`),
    post({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'x' } }),
  ),
  ...['sp-foo', 'sp-foo-init', 'default'].map(name => refused(`${system}/serviceaccounts/${name}/token`, post(token))),
  refused(`${corePath('platform')}/namespaces`, {
    headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
  }),
];

/** Each of these rights would allow running programs as the user of the server. */
const programRows: readonly ProviderRow[] = [
  refused(hostImagesPath),
  refused(dry(hostImagesPath), post(hostImage('evil', '*', ['sh']))),
  refused(dry(`${hostImagesPath}/foo`), mergePatch({ spec: { command: ['sh'] } })),
  refused(dry(`${hostImagesPath}/foo`), deletion),
  refused(dry(`${system}/pods`), post(pod('evil'))),
  refused(dry(`${groupPath('platform', 'apps/v1', systemNamespace)}/deployments`), post(deployment('evil'))),
  refused(dry(`${groupPath('platform', 'apps/v1', systemNamespace)}/deployments/sp-foo`), label),
  refused(
    dry(`${groupPath('platform', 'apps/v1', systemNamespace)}/deployments/sp-foo/scale`),
    mergePatch({ spec: { replicas: 9 } }),
  ),
  refused(
    dry(`${groupPath('platform', 'batch/v1', systemNamespace)}/jobs`),
    post({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'x' },
      spec: { template: { spec: { ...pod('x').spec, restartPolicy: 'Never' } } },
    }),
  ),
  refused(`${system}/pods`),
  refused(dry(`${system}/configmaps`), post(configMap('x'))),
];

const othersRows: readonly ProviderRow[] = [
  refused(
    dry(providersPath),
    post({
      apiVersion: 'openmcp.cloud/v1alpha1',
      kind: 'ServiceProvider',
      metadata: { name: 'new' },
      spec: { image: 'x' },
    }),
  ),
  refused(dry(`${providersPath}/foo`), label, 'not even its own: that would be its image'),
  refused(dry(`${providersPath}/other`), label),
  refused(dry(`${providersPath}/other`), deletion),
  refused(dry(`${providersPath}/other/status`), status),
  refused(groupPath('platform', 'openmcp.cloud/v1alpha1/clusterproviders')),
  refused(dry(groupPath('platform', 'openmcp.cloud/v1alpha1/clusterproviders/chandlery/status')), status),
  refused(schedulerConfig),
  refused(dry(schedulerConfig), label),
  refused(dry(profile), mergePatch({ spec: { providerConfigRef: { name: 'local' } } })),
  refused(dry(`${clustersPath}/onboarding`), label),
  refused(dry(`${clustersPath}/onboarding/status`), mergePatch({ status: { phase: 'Ready' } })),
  refused(dry(`${accessRequestsPath()}/foo--onboarding/status`), mergePatch({ status: { phase: 'Granted' } })),
  refused(dry(accessRequestsPath()), post(inTheNameOf('other')), 'requests of another provider are its own'),
  refused(dry(`${definitions}/hostimages.clusters.chandlery.io`), deletion),
  refused(groupPath('platform', 'core.chandlery.io/v1alpha1/logicalclusters')),
  refused(
    dry(groupPath('platform', 'core.chandlery.io/v1alpha1/logicalclusters')),
    post({ apiVersion: 'core.chandlery.io/v1alpha1', kind: 'LogicalCluster', metadata: { name: 'x' } }),
  ),
  refused(groupPath('platform', 'core.chandlery.io/v1alpha1/controlplaneconfigs')),
  refused(dry(`${corePath('platform')}/namespaces`), post(namespace('x'))),
];

/** Every kind of request that a provider makes, or should not. */
export const providersTable: readonly ProviderRow[] = [
  ...ownRows,
  ...secretRows,
  ...rbacRows,
  ...programRows,
  ...othersRows,
];
