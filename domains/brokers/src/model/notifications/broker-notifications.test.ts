import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import type { BrokerRow, NotificationRow, PlanRow, PlatformRow } from '../rows.ts';
import { type BrokerState, brokerNotifications } from './broker-notifications.ts';

const row = {
  createdAt: '2026-01-01T00:00:00.000000Z',
  updatedAt: '2026-01-01T00:00:00.000000Z',
  status: { ready: true },
};
const platform = (id: string, more: Partial<PlatformRow['spec']> = {}, tenant = 'service-manager') =>
  ({ id, tenant, spec: { type: 'kubernetes', name: id, ...more }, status: {} }) as unknown as PlatformRow;
const platforms = [
  platform('k1'),
  platform('k2', {}, 'acme'),
  platform('service-manager', { type: 'service-manager' }),
  platform('hooks', { technical: true }),
];

function state(name: string, metadata: PlanRow['spec']['metadata'] = {}, filler = ''): BrokerState {
  const names = { catalogId: 'c', catalogName: 'n', name: 'n', brokerId: 'b' };
  const broker = {
    ...row,
    id: 'b',
    spec: { name, url: 'https://x', credentialsSecret: 'hidden' },
  } as unknown as BrokerRow;
  const offering = { ...row, id: 'o', spec: { ...names, metadata: { filler } } };
  return {
    broker,
    services: [{ offering, plans: [{ ...row, id: 'p', spec: { ...names, offeringId: 'o', metadata } }] }],
  };
}

function notify(event: { before?: BrokerState; after?: BrokerState; tenant?: string }): NotificationRow['spec'][] {
  let ids = 0;
  const { writes } = brokerNotifications({
    id: 'b',
    tenant: 'service-manager',
    platforms,
    ownPlatformTypes: [],
    newId: () => `n${++ids}`,
    correlationId: 'c-1',
    ...event,
  });
  return writes.map(write => ('spec' in write ? write.spec : undefined) as NotificationRow['spec']);
}

const summary = (specs: NotificationRow['spec'][]) => specs.map(({ type, platformIds }) => [type, platformIds]);

describe('platforms are notified of a broker', () => {
  const k1Only = { supportedPlatformNames: ['k1'] };
  const k2Only = { supportedPlatformNames: ['k2'] };
  const cases = [
    { why: 'when it comes', event: { after: state('x') }, notified: [['CREATED', undefined]] },
    { why: 'when it goes', event: { before: state('x') }, notified: [['DELETED', undefined]] },
    { why: 'not when nothing has changed', event: { before: state('x'), after: state('x') }, notified: [] },
    {
      why: 'when it is renamed',
      event: { before: state('x'), after: state('y') },
      notified: [['MODIFIED', undefined]],
    },
    { why: 'only where a plan supports them', event: { after: state('x', k1Only) }, notified: [['CREATED', ['k1']]] },
    { why: 'only in its tenant', event: { after: state('x'), tenant: 'acme' }, notified: [['CREATED', ['k2']]] },
    {
      why: 'not at all without a platform that can use it',
      event: { after: state('x', { supportedPlatforms: ['cloudfoundry'] }) },
      notified: [],
    },
    {
      why: 'each once when support moves',
      event: { before: state('x', k1Only), after: state('x', k2Only) },
      notified: [
        ['CREATED', ['k2']],
        ['DELETED', ['k1']],
      ],
    },
    {
      why: 'as new or changed when support grows',
      event: { before: state('x', k1Only), after: state('x') },
      notified: [
        ['CREATED', ['k2']],
        ['MODIFIED', ['k1']],
      ],
    },
  ];
  for (const { why, event, notified } of cases) test(why, () => assert.deepEqual(summary(notify(event)), notified));
});

test('a payload has the resource and the catalog, and nothing of credentials', () => {
  const [spec] = notify({ after: state('x') });
  const { resource, additional } = (spec?.payload as Record<string, Record<string, JsonObject>>)['new'] ?? {};
  assert.equal(resource?.['broker_url'], 'https://x');
  assert.equal((additional?.['services'] as JsonObject[])[0]?.['catalog_id'], 'c');
  assert.equal(
    ((additional?.['services'] as JsonObject[])[0]?.['plans'] as JsonObject[])[0]?.['service_offering_id'],
    'o',
  );
  assert.doesNotMatch(JSON.stringify(spec), /hidden|credential/i);
  assert.equal(spec?.correlationId, 'c-1');
});

describe('a payload that would be too long', () => {
  const spare = (count: number, filler: string): BrokerState => {
    const { broker, services } = state('x', {}, filler);
    const [{ offering, plans } = assert.fail('no service')] = services;
    const [plan = assert.fail('no plan')] = plans;
    const many = Array.from({ length: count }, (_, at) => ({ ...plan, id: `p${at}` }));
    return {
      broker,
      services: [
        { offering, plans: many },
        { offering, plans },
      ],
    };
  };
  const servicesOf = (payload: unknown, side: 'new' | 'old') =>
    (payload as Record<string, { additional: { services: JsonObject[] } }>)[side]?.additional.services ?? [];
  const plansOf = (count: number, filler: string) => {
    const after = spare(count, filler);
    const [spec] = notify({ before: { ...after, broker: state('y').broker }, after });
    assert.ok(JSON.stringify(spec?.payload).length <= 900_000);
    return (['new', 'old'] as const).map(side =>
      servicesOf(spec?.payload, side).map(service => (service['plans'] as unknown[]).length),
    );
  };
  const kilobytes = (count: number) => 'x'.repeat(count * 1000);

  const cases = [
    {
      why: 'has all plans while it is short',
      count: 3,
      filler: '',
      plans: [
        [3, 1],
        [3, 1],
      ],
    },
    {
      why: 'loses plans of the old catalog first',
      count: 2000,
      filler: '',
      plans: [
        [2000, 1],
        [1, 1],
      ],
    },
    {
      why: 'keeps one plan of each offering',
      count: 5000,
      filler: '',
      plans: [
        [1, 1],
        [1, 1],
      ],
    },
    {
      why: 'loses metadata then',
      count: 3,
      filler: kilobytes(1000),
      plans: [
        [1, 1],
        [1, 1],
      ],
    },
  ];
  for (const { why, count, filler, plans } of cases) test(why, () => assert.deepEqual(plansOf(count, filler), plans));

  test('has one offering at the end, because agents reject an event without any', () => {
    const { broker, services } = state('x');
    const [service = assert.fail('no service')] = services;
    const [spec] = notify({ after: { broker, services: Array.from({ length: 5000 }, () => service) } });
    assert.equal(servicesOf(spec?.payload, 'new').length, 1);
  });
});
