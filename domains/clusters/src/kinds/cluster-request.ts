import { commonStatus, defineKind, immutable, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { capabilitiesSchema, clustersGroup, onPlatform } from './common.ts';

/** A request for a cluster for a purpose. */
export const clusterRequests = defineKind({
  group: clustersGroup,
  version: 'v1alpha1',
  kind: 'ClusterRequest',
  shortNames: ['cr', 'creq'],
  description: 'A request for a cluster for a purpose. The scheduler finds or creates one.',
  spec: Type.Object(
    {
      purpose: Type.String({ minLength: 1, description: 'What the cluster is for.' }),
      requiredCapabilities: Type.Optional(
        capabilitiesSchema(
          'What the cluster must be able to do, besides what its purpose needs. Default: nothing more.',
        ),
      ),
      waitForClusterDeletion: Type.Optional(
        Type.Boolean({
          description:
            'Whether a deleted request stays until its cluster is deleted. Default: yes for exclusive clusters, no for shared ones.',
        }),
      ),
    },
    immutable,
  ),
  status: Type.Object({
    ...commonStatus,
    cluster: Type.Optional(
      Type.Object(
        { name: Type.String({ minLength: 1 }), namespace: Type.String({ minLength: 1 }) },
        { ...immutable, description: 'The cluster that was given.' },
      ),
    ),
  }),
  columns: [
    { name: 'Purpose', type: 'string', jsonPath: '.spec.purpose' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Pending, Granted or Denied.' },
    { name: 'Cluster', type: 'string', jsonPath: '.status.cluster.name' },
    { name: 'Cluster-NS', type: 'string', jsonPath: '.status.cluster.namespace', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['.spec.purpose', '.status.phase'],
  labels: onPlatform,
});

export type ClusterRequest = ObjectOf<typeof clusterRequests>;
