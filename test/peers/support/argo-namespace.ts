import type { TestCluster, TestLandscape } from '@chandlery/testing';
import { apply } from './apply-objects.ts';

/** What the containers of Argo may do, for the accounts of all namespaces. */
export const executorRights: readonly object[] = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'argo-executor' },
    rules: [{ apiGroups: ['argoproj.io'], resources: ['workflowtaskresults'], verbs: ['create', 'patch'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'argo-executor' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'argo-executor' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }],
  },
];

/** Makes a namespace whose pods have the credentials of its default account for Argo's own containers. */
export async function setUpNamespace(landscape: TestLandscape, cluster: TestCluster, namespace: string): Promise<void> {
  await apply(cluster, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
  await apply(cluster, JSON.stringify(account));
  const { stdout, stderr } = await cluster.kubectl(['create', 'token', 'default', '-n', namespace, '--duration', '4h']);
  if (stdout === '') throw new Error(`no token: ${stderr}`);
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'own',
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'own', namespace } }],
    clusters: [
      {
        name: 'own',
        cluster: { server: cluster.url, 'certificate-authority-data': Buffer.from(landscape.ca).toString('base64') },
      },
    ],
    users: [{ name: 'own', user: { token: stdout.trim() } }],
  };
  await apply(
    cluster,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'executor-kubeconfig', namespace },
      stringData: { config: JSON.stringify(kubeconfig) },
    }),
  );
}
