import type { TestLandscape } from '@chandlery/testing';
import { KubeConfig } from '@kubernetes/client-node';

/** A client of a logical cluster with the administrator's kubeconfig, as it lies in the data folder. */
export function adminConfig({ kubeconfig }: TestLandscape, cluster: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  config.setCurrentContext(cluster);
  return config;
}

/** The kubeconfig of a new service account with cluster-admin rights. */
export async function accountConfig(landscape: TestLandscape, cluster: string, name: string): Promise<KubeConfig> {
  const root = `/clusters/${cluster}`;
  const accounts = `${root}/api/v1/namespaces/default/serviceaccounts`;
  await landscape.request(accounts, { body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } } });
  await landscape.request(`${root}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`, {
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    },
  });
  const answer = await landscape.request(`${accounts}/${name}/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const { token } = answer.json<{ status: { token: string } }>().status;
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [
      { name: cluster, server: `${landscape.url}${root}`, caData: Buffer.from(landscape.ca).toString('base64') },
    ],
    users: [{ name, token }],
    contexts: [{ name: cluster, cluster, user: name, namespace: 'default' }],
    currentContext: cluster,
  });
  return config;
}
