import type { JsonObject } from '@chandlery/api';
import { instanceColumns, searchColumns } from '../../model/search/instance-columns.ts';

const inQuery = (name: string, description: string, schema: JsonObject = { type: 'string' }): JsonObject => ({
  name,
  in: 'query',
  description,
  schema,
});

const listed = (names: Iterable<string>): string => [...names].map(name => `\`${name}\``).join(', ');

/** Query parameters by name. */
export const parameters: JsonObject = {
  async: {
    ...inQuery('async', 'Must be true: the action continues after the response', { type: 'boolean' }),
    required: true,
  },
  page: inQuery('page', 'The number of the page, from 1', { type: 'string', default: '1' }),
  size: inQuery('size', 'The number of items on each page', { type: 'string', default: '100' }),
  orderBy: inQuery(
    'orderBy',
    `Fields, each followed by asc or desc: ${listed(instanceColumns.keys())}. Default: name.`,
  ),
  search: inQuery(
    'search',
    `Conditions on ${listed(searchColumns)} with =, <>, LIKE, ILIKE, IN, NOT IN, joined by at most ten AND, OR, NOT: name like my% and region = us-east-1`,
  ),
  instance_type: inQuery('instance_type', 'Only regions that offer this instance type'),
  duration: {
    ...inQuery('duration', 'Minutes until now', { type: 'integer', minimum: 1, maximum: 4320 }),
    required: true,
  },
  interval: {
    ...inQuery('interval', 'Seconds between two values', { type: 'integer', minimum: 1, maximum: 10_800 }),
    required: true,
  },
  filters: inQuery('filters', 'Names of metrics. Default: all', { type: 'array', items: { type: 'string' } }),
  revision: inQuery('revision', 'The revision that the agent has: 304 when there is nothing else'),
  wait: inQuery('wait', 'Seconds to wait for another revision, at most 60', { type: 'number', default: 0 }),
  secrets: inQuery('secrets', 'false: without certificates, keys and passwords', { type: 'boolean', default: true }),
  product: inQuery('product', 'The id of the product. Default: dinosaurs'),
  organisation: inQuery('organisation', 'Only what counts in this organisation. Default: all'),
};
