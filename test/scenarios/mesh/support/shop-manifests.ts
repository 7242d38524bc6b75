import type { MeshEnvironment } from './join-mesh.ts';

/** Objects of the shop. */

export const namespace = 'shop';

const inShop = (name: string) => ({ name, namespace });

export const listOf = (...items: readonly object[]): object => ({ apiVersion: 'v1', kind: 'List', items });

export const shopNamespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };

export const account = (name: string): object => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: inShop(name) });

/** A service of the pods of an application. Its target port differs on each pod. */
export const service = (name: string, app = name): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: inShop(name),
  spec: { selector: { app }, ports: [{ name: 'grpc', port: 80, targetPort: 'grpc' }] },
});

export const backendImage = 'example.org/shop/catalog:1';

/** Backends with an account of the same name. */
export const backends = (
  name: string,
  replicas: number,
  place: Pick<MeshEnvironment, 'MESH_URL' | 'MESH_XDS_PORT' | 'MESH_CLUSTER'>,
): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: inShop(name),
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: {
        labels: { app: name },
        annotations: { 'clusters.chandlery.io/dynamic-ports': 'grpc,health' },
      },
      spec: {
        serviceAccountName: name,
        terminationGracePeriodSeconds: 20,
        containers: [
          {
            name: 'catalog',
            image: backendImage,
            ports: [
              { name: 'grpc', containerPort: 50_051 },
              { name: 'health', containerPort: 8080 },
            ],
            env: [
              ...Object.entries(place).map(([variable, value]) => ({ name: variable, value })),
              { name: 'MESH_ACCOUNT', value: name },
              { name: 'MESH_ACCOUNT_FOLDER', value: '/var/run/secrets/kubernetes.io/serviceaccount' },
              { name: 'MESH_NODE_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'GRPC_XDS_EXPERIMENTAL_RBAC', value: 'true' },
            ],
            readinessProbe: { httpGet: { path: '/', port: 'health' }, periodSeconds: 1, failureThreshold: 1 },
            // Endpoints are removed before the pod ends.
            lifecycle: { preStop: { sleep: { seconds: 2 } } },
          },
        ],
      },
    },
  },
});

/** Calls of the catalog, or of a part of it. */
export const routes = (pathRegex: string): object => ({
  apiVersion: 'specs.smi-spec.io/v1alpha4',
  kind: 'HTTPRouteGroup',
  metadata: inShop('catalog-routes'),
  spec: { matches: [{ name: 'calls', pathRegex, methods: ['POST'] }] },
});

/** Allows shoppers to call the backends of an account. */
export const target = (destination: string): object => ({
  apiVersion: 'access.smi-spec.io/v1alpha3',
  kind: 'TrafficTarget',
  metadata: inShop(`shopper-to-${destination}`),
  spec: {
    destination: { kind: 'ServiceAccount', name: destination, namespace },
    sources: [{ kind: 'ServiceAccount', name: 'shopper', namespace }],
    rules: [{ kind: 'HTTPRouteGroup', name: 'catalog-routes' }],
  },
});

/** Splits the calls of `catalog`. */
export const split = (weights: Readonly<Record<string, number>>): object => ({
  apiVersion: 'split.smi-spec.io/v1alpha4',
  kind: 'TrafficSplit',
  metadata: inShop('catalog-rollout'),
  spec: {
    service: 'catalog',
    backends: Object.entries(weights).map(([backend, weight]) => ({ service: backend, weight })),
  },
});
