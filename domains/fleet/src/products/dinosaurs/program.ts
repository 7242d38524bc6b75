import type { HostImage } from '@chandlery/clusters/kinds';
import type { FleetProduct } from '../../kinds/index.ts';

type Program = NonNullable<FleetProduct['spec']['program']>;

const app = 'dinosaur';
const image = 'chandlery.io/dinosaurs';
const metadata = { name: app };
const labels = { app };

/** What stands for the image of the built-in product on local clusters. */
export const dinosaursHostImage: HostImage['spec'] = {
  image,
  command: ['node', './server.ts'],
  folder: import.meta.dirname,
};

/** Its certificate and its client at the identity provider, if it has one. */
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  stringData: {
    'tls.crt': '{{ tls.cert }}',
    'tls.key': '{{ tls.key }}',
    'client-id': '{{ serviceAccounts.0.principal? }}',
    'client-secret': '{{ serviceAccounts.0.password? }}',
  },
};

const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata,
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    ...metadata,
    annotations: { 'fleet.chandlery.io/route': '', 'fleet.chandlery.io/metrics-port': 'admin' },
  },
  spec: {
    selector: labels,
    ports: [
      { name: 'https', port: 443, targetPort: 'https' },
      { name: 'admin', port: 8080, targetPort: 'admin' },
    ],
  },
};

const container = {
  name: 'main',
  image: `${image}:{{ versions.product }}`,
  env: [
    { name: 'NAME', value: '{{ name }}' },
    { name: 'VERSION', value: '{{ versions.product }}' },
    { name: 'DATA_DIR', value: '/data' },
    { name: 'TLS_DIR', value: '/tls' },
  ],
  ports: [
    { name: 'https', containerPort: 8443 },
    { name: 'admin', containerPort: 8080 },
  ],
  readinessProbe: { httpGet: { path: '/healthz', port: 'admin' }, periodSeconds: 1 },
  volumeMounts: [
    { name: 'data', mountPath: '/data' },
    { name: 'tls', mountPath: '/tls' },
  ],
};

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    replicas: 1,
    progressDeadlineSeconds: 30,
    // Never two processes on one volume.
    strategy: { type: 'Recreate' },
    selector: { matchLabels: labels },
    template: {
      metadata: { labels, annotations: { 'clusters.chandlery.io/dynamic-ports': 'https,admin' } },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 5,
        containers: [container],
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: app } },
          { name: 'tls', secret: { secretName: app } },
        ],
      },
    },
  },
};

/** How agents run an instance of the built-in product. Version 1.0.1 does not start, so that a rollout can be seen to fail. */
export const dinosaursProgram: Program = {
  objects: [secret, volume, service, deployment],
  operatorVersions: [{ version: '1.0.0-1', productVersions: ['1.0.0', '1.0.1', '1.0.2'] }],
};
