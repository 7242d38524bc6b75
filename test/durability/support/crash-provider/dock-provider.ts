import { defineProvider, type KubeObject } from '@chandlery/sdk';
import { type Dock, type DockConfig, dockConfigs, docks } from './kinds.ts';

const writing = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** A process that does nothing, and does it for long. */
function crane(namespace: string): KubeObject {
  const labels = { app: 'crane' };
  const container = { name: 'crane', image: 'none', command: ['sleep', '86399'] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'crane', namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 1 } },
    },
  };
}

/** Serves docks: an object on the control plane, and a Deployment on a workload cluster that is asked for by each. */
export const dockProvider = defineProvider<Dock, DockConfig>({
  api: docks,
  config: dockConfigs,
  clusters: {
    mcp: { permissions: [{ rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: writing }] }] },
    workload: {
      permissions: [
        {
          rules: [
            { apiGroups: [''], resources: ['namespaces', 'secrets'], verbs: writing },
            { apiGroups: ['apps'], resources: ['deployments'], verbs: writing },
          ],
        },
      ],
    },
  },
  service: {
    desired: (_, { instanceNamespace: namespace, mcp }) => [
      {
        cluster: 'mcp',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dock', namespace: 'default' }, data: {} },
      },
      { cluster: 'workload', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } } },
      {
        cluster: 'workload',
        object: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'control-plane', namespace },
          data: { kubeconfig: Buffer.from(mcp.kubeconfig).toString('base64') },
        },
      },
      { cluster: 'workload', object: crane(namespace) },
    ],
  },
});
