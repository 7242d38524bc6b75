import { randomUUID } from 'node:crypto';
import type { SectionName } from './options.ts';

/** What platforms ask for. */
export type OperationName = Exclude<SectionName, 'notifications'>;

/** A request to a broker, and what it is answered with. */
export interface Ask {
  readonly method: 'GET' | 'PUT';
  /** From `/v2` on. */
  readonly path: string;
  readonly body?: string;
  readonly status: number;
}

/** How the broker knows callers. */
export const brokerLogin = { username: 'admin', password: 'broker-password' };

/** Plans of the broker's one service: instances at once, and instances that never get done. */
export const serviceId = 'database-id';
export const plans = { sync: 'database-sync', slow: 'database-slow' };

/** The broker's id of every operation. */
export const operationName = 'bench-operation';

/** Instances that are there from the start: some are being made for ever, some are ready. */
export const polledInstance = (index: number): string => `polled-${index}`;
export const boundInstance = (index: number): string => `bound-${index}`;

const pollQuery = new URLSearchParams({ service_id: serviceId, plan_id: plans.slow, operation: operationName });

/** The next request of a kind. `instances`: how many there are to choose from. */
export function askOf(operation: OperationName, instances: number): Ask {
  const any = Math.floor(Math.random() * instances);
  switch (operation) {
    case 'catalog':
      return { method: 'GET', path: '/v2/catalog', status: 200 };
    case 'last-operation': {
      const path = `/v2/service_instances/${polledInstance(any)}/last_operation?${pollQuery.toString()}`;
      return { method: 'GET', path, status: 200 };
    }
    case 'provision':
      return provisionAsk(randomUUID());
    case 'bind':
      return bindAsk(boundInstance(any));
  }
}

/** A new instance. Default plan: one that is there at once. */
export const provisionAsk = (id: string, plan: keyof typeof plans = 'sync'): Ask => ({
  method: 'PUT',
  path: `/v2/service_instances/${id}?accepts_incomplete=true`,
  status: plan === 'sync' ? 201 : 202,
  body: JSON.stringify({
    service_id: serviceId,
    plan_id: plans[plan],
    organization_guid: 'd5a5e9c5-4a21-4f27-9e46-0ad4c4b4f1f7',
    space_guid: '0b1bd8a6-5b35-4a4d-8a86-6b6b3b0d1e7f',
    context: {
      platform: 'kubernetes',
      namespace: 'shop',
      clusterid: '644e1dd7-2a7f-18fb-b8ed-ed78c3f92c2b',
      instance_name: `shop-${id}`,
    },
    parameters: { size: 2, region: 'eu-central-1', backup: { schedule: 'daily', keepDays: 7 } },
  }),
});

const bindAsk = (instanceId: string): Ask => ({
  method: 'PUT',
  path: `/v2/service_instances/${instanceId}/service_bindings/${randomUUID()}?accepts_incomplete=true`,
  status: 201,
  body: JSON.stringify({
    service_id: serviceId,
    plan_id: plans.sync,
    bind_resource: { app_guid: '9a0f8a52-6c1e-4a7e-9a1b-2a0c6b6f3f21' },
    context: { platform: 'kubernetes', namespace: 'shop', clusterid: '644e1dd7-2a7f-18fb-b8ed-ed78c3f92c2b' },
    parameters: { role: 'reader' },
  }),
});
