import type { KindDeclaration, StructuralSchema } from '@chandlery/api';

const group = 'metrics.smi-spec.io';
const version = 'v1alpha1';
const kind = 'TrafficMetrics';

const reference = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    namespace: { type: 'string' },
    name: { type: 'string' },
  },
} as const satisfies StructuralSchema;

const schema = {
  type: 'object',
  description: 'The calls of a service in the last whole window, counted where they are made.',
  properties: {
    resource: { ...reference, description: 'What was called, or calls.' },
    edge: {
      type: 'object',
      properties: {
        direction: {
          type: 'string',
          description: 'from: calls of the other to the resource; to: its calls to the other.',
        },
        side: { type: 'string' },
        resource: { ...reference, nullable: true, description: 'The other side; null is the sum over all.' },
      },
    },
    timestamp: { type: 'string', format: 'date-time', description: 'The end of the window.' },
    window: { type: 'string', description: 'How long it was, such as 30s.' },
    metrics: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'string' } } },
    },
  },
} as const satisfies StructuralSchema;

/**
 * SMI's metrics of services, computed at each read and not stored. As in SMI, the resource has the name of the measured
 * kind.
 */
export const trafficMetrics = {
  group,
  kind,
  plural: 'services',
  scope: 'Namespaced',
  verbs: ['get', 'list'],
  versions: [
    {
      name: version,
      schema,
      subresources: { others: [{ name: 'edges', responseKind: { group, version, kind }, verbs: ['get'] }] },
    },
  ],
} as const satisfies KindDeclaration;
