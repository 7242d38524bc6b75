import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

/** Time to live of a report: a replica that has not renewed it has stopped. */
export const replicaSeconds = 60;

/** The report of a replica about its proxies, for the other replicas. */
export const meshReplicas = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'MeshReplica',
  scope: 'Cluster',
  servedIn: ['platform'],
  ttlSeconds: replicaSeconds,
  description: 'A replica of the control plane and its proxies. Written by the replica itself, and deleted with it.',
  spec: Type.Object({
    trustVersion: Type.String({ description: 'Version of the roots that it distributes.' }),
    proxies: Type.Integer({ description: 'Number of connected proxies.' }),
    waitingFor: Type.Array(Type.String(), { description: 'Proxies that have not acknowledged their secrets.' }),
    roots: Type.Array(Type.Object({ fingerprint: Type.String(), nodeIds: Type.Array(Type.String()) }), {
      description: 'Roots of the certificates of the proxies.',
    }),
    meshes: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), proxies: Type.Integer() }), {
        description: 'Connected proxies by mesh. Default: none.',
      }),
    ),
    machines: Type.Optional(
      Type.Array(Type.String(), { description: 'Machines whose proxies are connected. Default: none.' }),
    ),
    lostMachines: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Machines whose proxies were connected to any replica, and have been away. Default: none.',
      }),
    ),
    writes: Type.Optional(
      Type.Integer({ description: 'Number of writes: a write without a difference would not extend the lifetime.' }),
    ),
  }),
  columns: [
    { name: 'Proxies', type: 'integer', jsonPath: '.spec.proxies' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type MeshReplica = ObjectOf<typeof meshReplicas>;
