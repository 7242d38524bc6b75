import { deploymentOf, encodeSecret, type KubeObject } from '@chandlery/sdk';
import { type ServerSecrets, serverName, serversNamespace } from './server-access.ts';

/** What a server consists of. Pure. */
export function serverObjects(version: string, image: string, secrets: ServerSecrets): KubeObject[] {
  const name = serverName(version);
  const metadata = { name, namespace: serversNamespace };
  const { password, seed } = secrets;
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata, data: encodeSecret({ password, seed }) },
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
      spec: { selector: { app: name }, ports: [{ name: 'postgres', port: 5432, targetPort: 'postgres' }] },
    },
    deploymentOf({
      ...metadata,
      // Never two servers on one folder.
      spec: { strategy: { type: 'Recreate' } },
      annotations: { 'clusters.chandlery.io/dynamic-ports': 'postgres' },
      container: {
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
      pod: {
        terminationGracePeriodSeconds: 30,
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
      },
    }),
  ];
}
