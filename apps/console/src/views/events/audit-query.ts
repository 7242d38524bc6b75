import { formatFieldSelector } from '@chandlery/api';

/** The fields by which the page filters, in the order of the page: query parameter, field of records, label. */
export const auditFilters = [
  { parameter: 'user', field: 'user', label: 'User', placeholder: 'system:admin' },
  { parameter: 'verb', field: 'verb', label: 'Verb', placeholder: 'delete' },
  { parameter: 'resource', field: 'resource', label: 'Resource', placeholder: 'configmaps' },
  { parameter: 'ns', field: 'namespace', label: 'Namespace', placeholder: 'all' },
  { parameter: 'name', field: 'name', label: 'Object', placeholder: 'name' },
] as const;

export const outcomes = ['succeeded', 'denied', 'failed'] as const;
export type AuditOutcome = (typeof outcomes)[number];

export const auditPageSize = 50;

/** The request for records that an address describes. */
export function auditRequestOf(query: URLSearchParams, cluster: string): Readonly<Record<string, string>> {
  const value = (name: string): string => query.get(name) ?? '';
  const equal = (path: string, text: string) => ({ path, operator: '=' as const, value: text });
  const requirements = [
    ...auditFilters.map(({ parameter, field }) => equal(field, value(parameter))),
    equal('outcome', value('outcome')),
    equal('cluster', value('clusters') === 'all' ? '' : cluster),
  ].filter(requirement => requirement.value !== '');
  return {
    limit: String(auditPageSize),
    fieldSelector: formatFieldSelector({ requirements }),
    from: value('from'),
    to: value('to'),
    // Other filters begin at the newest record again: all of them reset the page.
    before: value('page'),
  };
}

/** Whether an address has filters that could be removed. */
export const hasAuditFilters = (query: URLSearchParams): boolean =>
  ['outcome', 'from', 'to', ...auditFilters.map(({ parameter }) => parameter)].some(name => query.get(name));
