import { builtIn, withStatus } from './built-in.ts';
import { age, createdAt, text } from './columns/columns.ts';
import { quantityText } from './columns/format.ts';
import { fieldsAt } from './columns/read.ts';
import { one } from './message.ts';
import { limitRangeSpec, resourceQuotaSpec, resourceQuotaStatus } from './messages/quota.ts';

/** Use and limit of each resource, of limits or of everything else. */
function usageText(quota: unknown, isAboutLimits: boolean): string {
  return Object.keys(fieldsAt(quota, 'status', 'hard'))
    .filter(resource => resource.startsWith('limits') === isAboutLimits)
    .sort()
    .map(resource => {
      const used = quantityText(quota, 'status', 'used', resource) || '0';
      return `${resource}: ${used}/${quantityText(quota, 'status', 'hard', resource)}`;
    })
    .join(', ');
}

/** Limits of a namespace as a whole. */
export const resourceQuota = builtIn({
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'Limits of a namespace as a whole.',
  fields: {
    spec: one(2, resourceQuotaSpec, 'The limits.'),
    status: one(3, resourceQuotaStatus, 'What is used.'),
  },
  subresources: withStatus,
  columns: [text('Request', object => usageText(object, false)), text('Limit', object => usageText(object, true)), age],
});

/** Limits of single objects in a namespace. */
export const limitRange = builtIn({
  group: '',
  kind: 'LimitRange',
  allowsCreateOnUpdate: true,
  plural: 'limitranges',
  shortNames: ['limits'],
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'Limits of single objects in a namespace.',
  fields: { spec: one(2, limitRangeSpec, 'The limits.') },
  columns: [createdAt],
});
