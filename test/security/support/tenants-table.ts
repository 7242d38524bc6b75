import type { CallOptions } from './caller.ts';
import { foo, foosPath } from './foo-provider.ts';
import { binding, configMap, corePath, groupPath, pod, rbacPath, role, secret } from './objects.ts';
import {
  applyPatch,
  controlPlane,
  controlPlanesPath,
  deletion,
  mergePatch,
  project,
  projectsPath,
  secretsPath,
  workspace,
  workspacesPath,
} from './tenants.ts';

/** All identities that the onboarding cluster authenticates, and their role in project `sea`. */
export const people = {
  alice: 'made the project, the workspace and the control plane',
  dave: 'is an admin of the project alone',
  wendy: 'is an admin of the workspace alone',
  vera: 'looks at the project and the workspace',
  bob: 'has a project of his own',
  robot: 'is a service account',
  anonymous: 'says nothing about themselves',
} as const;
export type PersonName = keyof typeof people;

/** A request, who may make it, and what they get. All others are rejected. */
export interface TenantRow {
  readonly path: string;
  readonly options?: CallOptions;
  readonly allowed: readonly PersonName[];
  /** Status for those. Default 200. */
  readonly status?: number;
}

export const inProject = 'project-sea';
export const inWorkspace = 'project-sea--ws-north';

const authenticated: readonly PersonName[] = ['alice', 'dave', 'wendy', 'vera', 'bob', 'robot'];
const projectAdmins: readonly PersonName[] = ['alice', 'dave'];
const projectMembers: readonly PersonName[] = [...projectAdmins, 'vera'];
const workspaceAdmins: readonly PersonName[] = ['alice', 'wendy'];
const workspaceMembers: readonly PersonName[] = [...workspaceAdmins, 'vera'];

const dry = (path: string): string => `${path}?dryRun=All`;
const label = mergePatch({ metadata: { labels: { a: 'b' } } });
const forgedStatus = mergePatch({ status: { phase: 'Ready' } });
const watched = (path: string): string => `${path}?watch=true&timeoutSeconds=1`;

interface Rights {
  readonly list: readonly PersonName[];
  readonly get: readonly PersonName[];
  readonly create: readonly PersonName[];
  readonly change: readonly PersonName[];
}

/** All that can be done with a kind in a namespace, on an existing object. No identity may write its status. */
const kindRows = (path: string, name: string, { fresh, rights }: { fresh: object; rights: Rights }): TenantRow[] => [
  { path: `${path}/${name}`, allowed: rights.get },
  { path, allowed: rights.list },
  { path: watched(path), allowed: rights.list },
  { path: dry(path), options: { body: fresh }, allowed: rights.create, status: 201 },
  { path: dry(`${path}/${name}`), options: label, allowed: rights.change },
  { path: dry(`${path}/${name}`), options: deletion, allowed: rights.change },
  { path: dry(path), options: deletion, allowed: rights.create },
  { path: `${path}/${name}/status`, allowed: [] },
  { path: dry(`${path}/${name}/status`), options: forgedStatus, allowed: [] },
];

const everything = (writers: readonly PersonName[], readers: readonly PersonName[]): Rights => ({
  list: readers,
  get: readers,
  create: writers,
  change: writers,
});

const sea = `${projectsPath}/sea`;

const projectRows: readonly TenantRow[] = [
  { path: sea, allowed: projectMembers },
  // Each identity gets its own; see tenant-views.test.ts.
  { path: projectsPath, allowed: authenticated },
  { path: watched(projectsPath), allowed: authenticated },
  { path: dry(projectsPath), options: { body: project({ name: 'lake' }) }, allowed: authenticated, status: 201 },
  { path: dry(sea), options: label, allowed: projectAdmins },
  {
    path: `${dry(sea)}&fieldManager=x`,
    options: applyPatch({ ...project({ name: 'sea', labels: { a: 'b' } }) }),
    allowed: projectAdmins,
  },
  { path: dry(sea), options: deletion, allowed: projectAdmins },
  { path: dry(projectsPath), options: deletion, allowed: [] },
  { path: `${sea}/status`, allowed: [] },
  { path: dry(`${sea}/status`), options: forgedStatus, allowed: [] },
];

const workspaceRows = kindRows(workspacesPath(inProject), 'north', {
  fresh: workspace({ name: 'south' }),
  rights: {
    list: projectMembers,
    get: [...projectMembers, 'wendy'],
    create: projectAdmins,
    change: [...projectAdmins, 'wendy'],
  },
});

const serviceRows: readonly TenantRow[] = [
  ...kindRows(controlPlanesPath(inWorkspace), 'a', {
    fresh: controlPlane({ name: 'new' }),
    rights: everything(workspaceAdmins, workspaceMembers),
  }),
  ...kindRows(foosPath(inWorkspace), 'a', {
    fresh: foo('new'),
    rights: everything(workspaceAdmins, workspaceMembers),
  }),
];

const secrets = secretsPath(inWorkspace);
const kubeconfig = `${secrets}/token-admin.a.kubeconfig`;

/** Those who only look must not read kubeconfigs, in whatever way they ask. */
const secretRows: readonly TenantRow[] = [
  { path: kubeconfig, allowed: workspaceAdmins },
  { path: secrets, allowed: workspaceAdmins },
  { path: watched(secrets), allowed: workspaceAdmins },
  { path: `${secrets}?fieldSelector=metadata.name%3Dtoken-admin.a.kubeconfig`, allowed: workspaceAdmins },
  { path: `${secretsPath(inProject)}`, allowed: [] },
  { path: dry(secrets), options: { body: secret('new') }, allowed: [] },
  { path: dry(kubeconfig), options: label, allowed: [] },
  { path: dry(kubeconfig), options: deletion, allowed: [] },
  { path: dry(secrets), options: deletion, allowed: [] },
];

const placeRows: readonly TenantRow[] = [
  { path: corePath('onboarding', inProject), allowed: projectMembers },
  { path: corePath('onboarding', inWorkspace), allowed: workspaceMembers },
  { path: dry(corePath('onboarding', inWorkspace)), options: label, allowed: [] },
  { path: dry(corePath('onboarding', inWorkspace)), options: deletion, allowed: [] },
  { path: `${corePath('onboarding', inProject)}/events`, allowed: projectMembers },
  { path: `${corePath('onboarding', inWorkspace)}/events`, allowed: workspaceMembers },
];

const takeAll = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
const toAdmin = binding('RoleBinding', 'ClusterRole/cluster-admin', [{ kind: 'User', name: 'alice' }]);
const settings = groupPath('onboarding', 'core.openmcp.cloud/v1alpha1/projectworkspaceconfigs');
const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };

/** What tenants never do, in namespaces of their own and anywhere. */
const refusedInNamespaces: readonly TenantRow[] = [inProject, inWorkspace].flatMap(namespace => [
  { path: `${rbacPath('onboarding', namespace)}/rolebindings`, allowed: [] },
  { path: `${rbacPath('onboarding', namespace)}/roles`, allowed: [] },
  { path: dry(`${rbacPath('onboarding', namespace)}/rolebindings`), options: { body: toAdmin }, allowed: [] },
  {
    path: dry(`${rbacPath('onboarding', namespace)}/roles`),
    options: { body: role('Role', 'all', takeAll) },
    allowed: [],
  },
  {
    path: dry(`${rbacPath('onboarding', namespace)}/rolebindings/chandlery:admin`),
    options: mergePatch({ subjects: [{ kind: 'User', name: 'bob' }] }),
    allowed: [],
  },
  { path: dry(`${corePath('onboarding', namespace)}/configmaps`), options: { body: configMap('x') }, allowed: [] },
  { path: dry(`${corePath('onboarding', namespace)}/pods`), options: { body: pod('x') }, allowed: [] },
  { path: `${corePath('onboarding', namespace)}/serviceaccounts/default/token`, options: { body: token }, allowed: [] },
]);

const refusedAnywhere: readonly TenantRow[] = [
  ...['namespaces', 'secrets', 'events', 'nodes', 'namespaces/default/secrets', 'namespaces/kube-system/secrets'].map(
    resource => ({ path: `${corePath('onboarding')}/${resource}`, allowed: [] }),
  ),
  { path: groupPath('onboarding', 'core.openmcp.cloud/v1alpha1/workspaces'), allowed: authenticated },
  { path: groupPath('onboarding', 'core.open-control-plane.io/v2alpha1/controlplanes'), allowed: [] },
  { path: groupPath('onboarding', 'foo.services.open-control-plane.io/v1alpha1/foos'), allowed: [] },
  { path: groupPath('onboarding', 'apiextensions.k8s.io/v1/customresourcedefinitions'), allowed: [] },
  { path: `${rbacPath('onboarding')}/clusterroles`, allowed: [] },
  {
    path: dry(`${rbacPath('onboarding')}/clusterroles/chandlery:workspace:view`),
    options: mergePatch({ rules: takeAll }),
    allowed: [],
  },
  { path: `${settings}/default`, allowed: [] },
  {
    path: dry(`${settings}/default`),
    options: mergePatch({ spec: { webhook: { disabled: true } } }),
    allowed: [],
  },
];

/** Every kind of request about project `sea`. */
export const tenantsTable: readonly TenantRow[] = [
  ...projectRows,
  ...workspaceRows,
  ...serviceRows,
  ...secretRows,
  ...placeRows,
  ...refusedInNamespaces,
  ...refusedAnywhere,
];
