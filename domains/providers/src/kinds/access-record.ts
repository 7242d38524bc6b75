import { defineKind, immutable, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { onPlatform, providersGroup } from './provider.ts';

const placeSchema = (description: string) =>
  Type.Object(
    { namespace: Type.String({ minLength: 1 }), name: Type.String({ minLength: 1 }) },
    { description, additionalProperties: false },
  );

/** A cluster that a provider has, or had, access to for a service object. */
export const accessRecords = defineKind({
  group: providersGroup,
  version: 'v1alpha1',
  kind: 'AccessRecord',
  description:
    'A cluster that a provider has, or had, access to on behalf of an order. Written before anything is made there, deleted when nothing of the order is left there; it outlives the requests that led to the cluster.',
  spec: Type.Object(
    {
      provider: Type.String({ minLength: 1, description: 'The ServiceProvider.' }),
      object: placeSchema('The order, on the onboarding cluster.'),
      role: Type.Enum(['mcp', 'workload'], { description: 'What the cluster is for the order.' }),
      cluster: placeSchema('The Cluster, on the platform cluster.'),
    },
    immutable,
  ),
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Namespace', type: 'string', jsonPath: '.spec.object.namespace' },
    { name: 'Object', type: 'string', jsonPath: '.spec.object.name' },
    { name: 'Cluster', type: 'string', jsonPath: '.spec.cluster.name' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  labels: onPlatform,
});

export type AccessRecord = ObjectOf<typeof accessRecords>;
