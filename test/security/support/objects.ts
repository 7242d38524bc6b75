import assert from 'node:assert/strict';
import type { ServiceAccountTokens } from '@chandlery/platform';
import type { Answer, Caller, KubeJson } from './caller.ts';

const rbac = 'rbac.authorization.k8s.io';

export const corePath = (cluster: string, namespace?: string): string =>
  `/clusters/${cluster}/api/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}`;
export const groupPath = (cluster: string, group: string, namespace?: string): string =>
  `/clusters/${cluster}/apis/${group}${namespace === undefined ? '' : `/namespaces/${namespace}`}`;
export const rbacPath = (cluster: string, namespace?: string): string => groupPath(cluster, `${rbac}/v1`, namespace);

/** The answer, which must have this status. */
export function expectStatus(answer: Answer, status: number, what = ''): Answer {
  assert.equal(answer.status, status, `${what} ${answer.text.slice(0, 500)}`);
  return answer;
}

/** A Kubernetes Status with this code, complete and consistent. */
export function expectFailure(answer: Answer, code: number, why = ''): KubeJson {
  expectStatus(answer, code, why);
  const status = answer.json();
  assert.equal(status.kind, 'Status', why);
  assert.equal(status.code, code, why);
  assert.equal(status.status, 'Failure', why);
  assert.ok(status.reason, why);
  return status;
}

/** Creates an object and answers it as stored. */
export async function create(caller: Caller, path: string, body: object): Promise<KubeJson> {
  return expectStatus(await caller.send(path, { body }), 201, `POST ${path}`).json();
}

/** Creates a logical cluster; `admins` get cluster-admin inside. */
export async function createCluster(
  admin: Caller,
  name: string,
  admins: readonly { kind: 'User' | 'Group'; name: string }[] = [],
): Promise<void> {
  await create(admin, '/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters', {
    apiVersion: 'core.chandlery.io/v1alpha1',
    kind: 'LogicalCluster',
    metadata: { name },
    spec: { admins },
  });
}

export const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

export const secret = (name: string, stringData: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});

export const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

export const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
});

/** A kind Boat in the group example.org; `version` says more about its only version, v1. */
export const boatDefinition = (version: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'boats', kind: 'Boat', shortNames: ['b'] },
    versions: [{ name: 'v1', served: true, storage: true, schema: boatSchema({ type: 'object' }), ...version }],
  },
});

/** The schema of a boat with this spec. */
export const boatSchema = (spec: object) => ({ openAPIV3Schema: { type: 'object', properties: { spec } } });

export const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'busybox' }] } },
  },
});

export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export const role = (kind: 'Role' | 'ClusterRole', name: string, rules: readonly Rule[]) => ({
  apiVersion: `${rbac}/v1`,
  kind,
  metadata: { name },
  rules,
});

export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  readonly namespace?: string;
}

/** A binding named like its role. */
export const binding = (kind: 'RoleBinding' | 'ClusterRoleBinding', roleRef: string, subjects: readonly Subject[]) => {
  const [roleKind, name] = roleRef.split('/');
  return {
    apiVersion: `${rbac}/v1`,
    kind,
    metadata: { name: `${name}-${subjects.map(subject => subject.name.replace(/[^a-z0-9]/g, '-')).join('-')}` },
    roleRef: { apiGroup: rbac, kind: roleKind, name },
    subjects,
  };
};

/** Creates a service account in `default` and returns a token of it, with its uid. */
export async function createAccount(
  admin: Caller,
  cluster: string,
  name: string,
): Promise<{ token: string; uid: string }> {
  const path = `${corePath(cluster, 'default')}/serviceaccounts`;
  const account = await create(admin, path, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  return { token: await requestToken(admin, cluster, name), uid: account.metadata.uid };
}

/** A new token of a service account in `default`. */
export async function requestToken(admin: Caller, cluster: string, name: string, spec: object = {}): Promise<string> {
  const path = `${corePath(cluster, 'default')}/serviceaccounts/${name}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const answer = expectStatus(await admin.send(path, { body }), 201, `POST ${path}`);
  return answer.json<{ status: { token: string } }>().status.token;
}

/** A token as the landscape would have issued it at another time. */
export const tokenFrom = (
  tokens: ServiceAccountTokens,
  account: { cluster: string; name: string; uid: string },
  issuedAt: Date,
): string => tokens.issue({ ...account, namespace: 'default', expirationSeconds: 600, now: issuedAt }).token;
