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
  description: 'A replica of the control plane and its proxies. Written by the replica itself, gone when that is.',
  spec: Type.Object({
    trustVersion: Type.String({ description: 'Of the roots that it tells.' }),
    proxies: Type.Integer({ description: 'How many are connected.' }),
    waitingFor: Type.Array(Type.String(), { description: 'Proxies that have not acknowledged their secrets.' }),
    roots: Type.Array(Type.Object({ fingerprint: Type.String(), nodeIds: Type.Array(Type.String()) }), {
      description: 'By which roots the proxies are certified.',
    }),
    meshes: Type.Optional(
      Type.Array(Type.Object({ name: Type.String(), proxies: Type.Integer() }), {
        description: 'How many proxies of which meshes are connected. Default: none.',
      }),
    ),
    machines: Type.Optional(
      Type.Array(Type.String(), { description: 'Machines whose proxies are connected. Default: none.' }),
    ),
    writes: Type.Optional(
      Type.Integer({ description: 'How often it was written: what is written without a difference expires.' }),
    ),
  }),
  columns: [
    { name: 'Proxies', type: 'integer', jsonPath: '.spec.proxies' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type MeshReplica = ObjectOf<typeof meshReplicas>;
