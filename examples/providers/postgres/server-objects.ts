import type { KubeObject } from '@chandlery/sdk';
import { type ServerSecrets, serverName, serversNamespace } from './server-access.ts';

/** What a server consists of. Pure. */
export function serverObjects(version: string, image: string, { password, seed }: ServerSecrets): KubeObject[] {
  const name = serverName(version);
  const labels = { app: name };
  const metadata = { name, namespace: serversNamespace };
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata, data: { password: encode(password), seed: encode(seed) } },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ name: 'postgres', port: 5432, targetPort: 'postgres' }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: 1,
        // Never two servers on one folder.
        strategy: { type: 'Recreate' },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { 'clusters.chandlery.io/dynamic-ports': 'postgres' } },
          spec: podSpec(name, version, image),
        },
      },
    },
  ];
}

const podSpec = (name: string, version: string, image: string): object => ({
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 30,
  containers: [
    {
      name: 'postgres',
      image,
      // The sizes of all tenants together, and then some.
      args: ['-c', 'max_connections=500'],
      env: [
        { name: 'POSTGRES_VERSION', value: version },
        { name: 'POSTGRES_PASSWORD', valueFrom: { secretKeyRef: { name, key: 'password' } } },
        { name: 'PGDATA', value: `/data/${version}` },
      ],
      ports: [{ name: 'postgres', containerPort: 5432 }],
      readinessProbe: { tcpSocket: { port: 'postgres' }, periodSeconds: 1 },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    },
  ],
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
});
