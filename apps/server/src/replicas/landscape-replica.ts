import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from '@chandlery/sdk';

/** Time to live of a report: a replica that has not renewed it has stopped. */
export const replicaSeconds = 60;

/** The report of a process of the landscape, for the others and for `chandlery status`. */
export const landscapeReplicas = defineKind({
  group: 'core.chandlery.io',
  version: 'v1alpha1',
  kind: 'LandscapeReplica',
  scope: 'Cluster',
  servedIn: ['platform'],
  ttlSeconds: replicaSeconds,
  description:
    'A process that serves the landscape, beside others on one database. Written by itself, and deleted when it stops.',
  spec: Type.Object({
    version: Type.String({ description: 'Version of the program.' }),
    startedAt: Type.String({ description: 'When the process has started, RFC 3339.' }),
    url: Type.String({ description: 'Where the process itself serves; clients may come through a load balancer.' }),
    isLeader: Type.Boolean({ description: 'Whether it runs the controllers.' }),
    authorityVersion: Type.Integer({ description: 'The rotation of the certificate authority that it follows.' }),
    encryptionKey: Type.Optional(
      Type.String({ description: 'Id of the key with which it encrypts. Default: not reported.' }),
    ),
    writes: Type.Optional(
      Type.Integer({ description: 'Number of writes: a write without a difference would not extend the lifetime.' }),
    ),
  }),
  columns: [
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'Leader', type: 'boolean', jsonPath: '.spec.isLeader' },
    { name: 'Address', type: 'string', jsonPath: '.spec.url' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type LandscapeReplica = ObjectOf<typeof landscapeReplicas>;
