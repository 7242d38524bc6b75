import type { KubeObject } from '@chandlery/api';
import type { Provider } from '../../kinds/index.ts';
import type { Crd } from './own-kinds.ts';

/** A provider as the server stores it, with its defaults. */
export const storedProvider = (
  spec: Partial<Provider['spec']> = {},
  metadata: KubeObject['metadata'] = {},
): Provider => ({
  apiVersion: 'openmcp.cloud/v1alpha1',
  kind: 'ServiceProvider',
  metadata: { name: 'foo', uid: 'uid-1', generation: 3, ...metadata },
  spec: {
    image: 'foo:1',
    initCommand: ['init'],
    runCommand: ['run'],
    verbosity: 'info',
    runReplicas: 1,
    metrics: { disabled: false, path: '/metrics', port: 8080 },
    ...spec,
  },
});

/** A definition that is served, labelled as the given provider's. */
export const servedDefinition = (kind: string, group: string, managedBy?: string): Crd => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${kind.toLowerCase()}s.${group}`,
    ...(managedBy === undefined ? {} : { labels: { 'openmcp.cloud/managed-by': managedBy } }),
  },
  spec: {
    group,
    names: { kind, plural: `${kind.toLowerCase()}s` },
    versions: [{ name: 'v1', served: true }],
  },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
});
