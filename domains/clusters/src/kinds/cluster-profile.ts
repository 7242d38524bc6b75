import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { clustersGroup, onPlatform, ownCapabilitiesSchema } from './common.ts';

/** A way to create clusters: provider, source and versions. */
export const clusterProfiles = defineKind({
  group: clustersGroup,
  version: 'v1alpha1',
  kind: 'ClusterProfile',
  shortNames: ['cprof', 'profile'],
  scope: 'Cluster',
  description: 'A way to make clusters. Written by a cluster provider; without one, nothing can be scheduled to it.',
  spec: Type.Object({
    providerRef: Type.Object({ name: Type.String({ minLength: 1 }) }, { description: 'The ClusterProvider.' }),
    providerConfigRef: Type.Object({ name: Type.String({ minLength: 1 }) }, { description: 'Its configuration.' }),
    supportedVersions: Type.Array(
      Type.Object({ version: Type.String({ minLength: 5 }), deprecated: Type.Optional(Type.Boolean()) }),
      { description: 'Of Kubernetes.' },
    ),
    capabilities: Type.Optional(
      ownCapabilitiesSchema(
        'What its clusters can do: API alone, or API and Run (they schedule pods). Default: API for logical clusters, API and Run for all others.',
      ),
    ),
  }),
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.providerRef.name' },
    { name: 'Config', type: 'string', jsonPath: '.spec.providerConfigRef.name' },
    { name: 'Capabilities', type: 'string', jsonPath: '.spec.capabilities' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  labels: onPlatform,
});

export type ClusterProfile = ObjectOf<typeof clusterProfiles>;
