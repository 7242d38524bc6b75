import { columnsOf } from '../../../model/lists/list-column.ts';
import type { ListOrder } from '../../../model/lists/list-order.ts';
import { type SearchedField, scoreOf, searchWords } from '../../../model/lists/search-score.ts';
import { accountUrn, urnOf } from '../../../model/urns.ts';
import { recordsAt, type Version } from '../../../registry/orders-registry.ts';
import type { Call } from '../call.ts';
import type { HistoryDeps } from '../find-record.ts';
import type { ListDefinition } from '../lists/list-records.ts';
import { givenSchema, presentItem1, presentItem2, serviceStatus } from './present-service.ts';

type Service = Version<'services'>;

const columns = columnsOf<Service>({
  text: {
    id: ({ id }) => urnOf('service', id),
    name: ({ spec }) => spec.name,
    description: ({ spec }) => spec.description,
    tags: ({ spec }) => spec.tags,
    'controller-schema': givenSchema,
    policy: ({ spec }) => spec.policy,
    account: ({ tenant }) => accountUrn(tenant),
    status: serviceStatus,
  },
  time: {
    'created-at': ({ createdAt }) => createdAt,
    'valid-from': ({ updatedAt }) => updatedAt,
    'valid-to': ({ validTo }) => validTo,
  },
});

/** The list of one generation. Both have all services of the tenant; `search` is for generation 2. */
export function servicesList(call: Call, { registry }: HistoryDeps, generation: 1 | 2): ListDefinition<Service> {
  const common = {
    columns,
    table: registry.services,
    recordsAt: (tenant: string | undefined, time: string) => recordsAt(registry, { table: 'services', tenant, time }),
  };
  if (generation === 1) return { ...common, name: 'services', present: service => presentItem1(service, call) };
  return {
    ...common,
    name: 'services2',
    parameters: ['search'],
    matcherOf: ({ search }) => (search === undefined ? () => true : service => scored(service, search) > 0),
    orderOf: ({ search }) => (search === undefined ? undefined : byScore(search)),
    present: (service, { search }) =>
      presentItem2(service, call, search === undefined ? undefined : scored(service, search)),
  };
}

const byScore = (search: string): ListOrder<Service> => ({
  positionOf: service => ({ values: [scored(service, search)], id: service.id }),
  compare: (one, other) =>
    Number(other.values[0]) - Number(one.values[0]) || (one.id === other.id ? 0 : one.id < other.id ? -1 : 1),
});

const scored = (service: Service, search: string): number => scoreOf(searchWords(search), fieldsOf(service));

const fieldsOf = ({ spec }: Service): readonly SearchedField[] => [
  { text: spec.name ?? '', weight: 4 },
  { text: (spec.tags ?? []).join(' '), weight: 3 },
  { text: spec.description ?? '', weight: 2 },
  { text: (spec.parameters ?? []).map(({ name, description }) => `${name} ${description ?? ''}`).join(' '), weight: 1 },
];
