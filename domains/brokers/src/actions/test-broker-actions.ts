import type { JsonObject } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { createBrokerConnections } from '../adapters/broker-connections/broker-connections.ts';
import type { InternalBroker } from '../kinds/index.ts';
import type { NotificationRow, Registry } from '../model/rows.ts';
import { type BrokerSettings, defaultBrokerSettings } from '../settings.ts';
import { scriptedCredentials } from '../test-broker/test-connect.ts';
import { startTestRegistry, type TestRegistry } from '../test-registry.ts';
import type { BrokerActions, BrokerRegistration } from './broker-action-types.ts';
import { createBrokerActions } from './broker-actions.ts';
import { createVisibilityActions, type VisibilityActions } from './visibility-actions.ts';

/** A registry with actions on it. */
export interface TestBrokerActions extends TestRegistry {
  readonly actions: { readonly brokers: BrokerActions; readonly visibilities: VisibilityActions };
}

interface TestOptions {
  readonly settings?: Partial<BrokerSettings>;
  readonly internalBrokers?: ReadonlyMap<string, InternalBroker>;
}

/** Starts one: `await using world = await startBrokerWorld()`. */
export async function startBrokerActions(options: TestOptions = {}): Promise<TestBrokerActions> {
  await using stack = new AsyncDisposableStack();
  const test = stack.use(await startTestRegistry());
  const { registry } = test;
  const settings = { ...defaultBrokerSettings, ...options.settings };
  const { internalBrokers = new Map() } = options;
  const connections = stack.use(createBrokerConnections({ registry, internalBrokers, settings, logger: silentLogger }));
  const actions = {
    brokers: createBrokerActions({ registry, connections, settings, logger: silentLogger }),
    visibilities: createVisibilityActions({ registry }),
  };
  const all = stack.move();
  return { ...test, actions, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A registration of a scripted broker. */
export const registrationOf = (
  broker: { readonly url: string },
  more: Partial<BrokerRegistration> = {},
): BrokerRegistration => ({
  tenant: 'service-manager',
  name: 'pg',
  url: broker.url,
  credentials: scriptedCredentials,
  correlationId: 'c-1',
  ...more,
});

/** The notifications so far, in order: type, resource, platforms. */
export const notifiedEvents = (registry: Registry): [string, string, string][] =>
  notificationsOf(registry).map(({ spec }) => [
    spec.type,
    spec.resource.replace('/v1/', ''),
    spec.platformIds?.toSorted().join(',') ?? '*',
  ]);

/** All notifications, in the order in which they were committed. */
export const notificationsOf = (registry: Registry): NotificationRow[] =>
  [...registry.notifications.all()].sort((a, b) => a.revision - b.revision);

/** The payload of the last notification. */
export const lastPayload = (registry: Registry): Record<string, JsonObject> =>
  (notificationsOf(registry).at(-1)?.spec.payload ?? {}) as Record<string, JsonObject>;
