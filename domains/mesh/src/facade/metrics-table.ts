import type { HttpRequest } from '@chandlery/http';
import type { TrafficMetrics } from './traffic-metrics.ts';

const columns = [
  { name: 'Name', type: 'string', format: 'name', description: 'Name of the service' },
  { name: 'Success', type: 'string', format: '', description: 'Calls that succeeded' },
  { name: 'Failure', type: 'string', format: '', description: 'Calls that failed or were not sent' },
  { name: 'Window', type: 'string', format: '', description: 'How long calls were counted' },
];

/** Whether a client wants columns, as `kubectl get` does. */
export const wantsTable = ({ headers }: HttpRequest): boolean =>
  /;\s*as=Table\b/.test(headers.accept ?? '') && /;\s*v=v1\b/.test(headers.accept ?? '');

/** Metrics in columns. */
export const metricsTable = (items: readonly TrafficMetrics[]): object => ({
  apiVersion: 'meta.k8s.io/v1',
  kind: 'Table',
  metadata: {},
  columnDefinitions: columns.map(column => ({ ...column, priority: 0 })),
  rows: items.map(({ metadata, window, metrics }) => ({
    cells: [metadata.name, ...metrics.map(({ value }) => value), window],
    object: { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata },
  })),
});
