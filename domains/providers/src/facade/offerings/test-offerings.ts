import { defineKind, isError, type JsonObject, type KubeObject } from '@chandlery/api';
import type { InternalBroker, InternalInstance } from '@chandlery/brokers/kinds';
import type { Client } from '@chandlery/client';
import { ManualClock, silentLogger } from '@chandlery/platform';
import { installKinds, setCondition, setController } from '@chandlery/runtime';
import { startTestPlane } from '@chandlery/testing';
import { Type } from 'typebox';
import { type Provider, serviceProviders } from '../../kinds/index.ts';
import { objectNameOf } from '../../model/offerings/offer-names.ts';
import { createProviderOfferings } from './create-provider-offerings.ts';

const group = 'boats.services.example.org';

/** The kind of the test provider. */
export const boats = defineKind({
  group,
  version: 'v1',
  kind: 'Boat',
  description: 'A boat of your own.',
  spec: Type.Object({
    rig: Type.String({ minLength: 2, maxLength: 8 }),
    crew: Type.Integer({ default: 1, minimum: 1 }),
    paint: Type.Optional(Type.Object({ hull: Type.Optional(Type.String()), deck: Type.Optional(Type.String()) })),
    secretName: Type.Optional(Type.String({ pattern: '^[a-z]+$' })),
  }),
  status: Type.Object({
    observedGeneration: Type.Optional(Type.Integer()),
    phase: Type.Optional(Type.String()),
    conditions: Type.Optional(
      Type.Array(Type.Unsafe<object>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })),
    ),
    connectionSecretRef: Type.Optional(Type.Object({ name: Type.String() })),
  }),
});

/** The configuration of the test provider. */
export const boatConfigs = defineKind({
  group,
  version: 'v1',
  kind: 'ProviderConfig',
  scope: 'Cluster',
  description: 'How boats are built.',
  spec: Type.Object({}),
});

/** The definition of a kind as the init of a provider installs it. */
export const installedBy = (
  provider: string,
  crd: KubeObject,
  annotations: Record<string, string> = {},
): KubeObject => ({
  ...crd,
  metadata: { ...crd.metadata, labels: { ...crd.metadata.labels, 'openmcp.cloud/managed-by': provider }, annotations },
});

/** A landscape with the provider `wharf`, which the test plays. */
export interface OfferingsFixture extends AsyncDisposable {
  readonly platform: Client;
  readonly onboarding: Client;
  readonly broker: InternalBroker;
  readonly serviceId: string;
  readonly planId: string;
  /** An instance, by default for a platform without a tenant. */
  readonly instance: (id: string, parameters?: JsonObject, more?: Partial<InternalInstance>) => InternalInstance;
  /** The object of an instance. */
  readonly boat: (id: string, namespace?: string) => Promise<KubeObject>;
  /** Reports the state of an instance, as the provider does. */
  readonly report: (id: string, status?: 'True' | 'False', reason?: string) => Promise<KubeObject>;
  /** Publishes a connection, as the SDK does. */
  readonly publish: (id: string, values: Readonly<Record<string, string>>) => Promise<void>;
  /** Advances the API's clock. */
  readonly wait: (ms: number) => void;
}

export const ownNamespace = 'osb-k8s';

export async function startOfferings(annotations: Record<string, string> = {}): Promise<OfferingsFixture> {
  await using stack = new AsyncDisposableStack();
  const clock = new ManualClock();
  const plane = stack.use(await startTestPlane({ clock }));
  const [platform, onboarding] = [plane.connect('platform'), plane.client];
  const fieldManager = 'test';
  await installKinds(platform, [serviceProviders.crd, installedBy('wharf', boatConfigs.crd)], { fieldManager });
  await installKinds(onboarding, [installedBy('wharf', boats.crd, annotations)], { fieldManager });
  await createProvider(platform, 'wharf', [boats]);
  const broker = stack.use(createProviderOfferings({ platform, onboarding, logger: silentLogger }));
  const [service] = await broker.catalog();
  const [serviceId, planId] = [service?.id ?? '', service?.plans[0]?.id ?? ''];
  const refOf = (id: string, namespace = ownNamespace) => ({ ...boats.ref, namespace, name: objectNameOf(id) });
  const boat: OfferingsFixture['boat'] = (id, namespace) => onboarding.get(refOf(id, namespace));
  const all = stack.move();
  return {
    platform,
    onboarding,
    broker,
    serviceId,
    planId,
    boat,
    wait: ms => clock.advance(ms),
    instance: (id, parameters = { rig: 'sloop' }, more = {}) => ({
      id,
      serviceId,
      planId,
      parameters,
      caller: { tenant: 'service-manager', platformId: 'k8s', context: {} },
      ...more,
    }),
    report: async (id, status = 'True', reason = 'ReconcileSuccess') => {
      const object = await boat(id);
      const { generation = 0 } = object.metadata;
      object['status'] = { ...(object['status'] as object), observedGeneration: generation };
      setCondition(object, { type: 'Ready', status, reason, message: `it says ${reason}` }, new Date());
      return onboarding.update({ ...refOf(id), subresource: 'status' }, object);
    },
    publish: async (id, values) => {
      const object = await boat(id);
      const secret = secretOf(`boat-${objectNameOf(id)}-connection`, values);
      setController(secret, object);
      await onboarding.create({ ...secrets, namespace: ownNamespace }, secret);
      const status = { connectionSecretRef: { name: secret.metadata.name ?? '' } };
      await onboarding.patch({ ...refOf(id), subresource: 'status' }, { type: 'merge', body: { status } });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

export const secrets = { group: '', version: 'v1', plural: 'secrets' };

export const secretOf = (name: string, values: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: ownNamespace },
  data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A provider that has reported its kinds. */
export async function createProvider(platform: Client, name: string, kinds: readonly Kind[]): Promise<void> {
  const spec = { image: name } as Provider['spec'];
  await platform.create(serviceProviders.ref, serviceProviders.object({ name }, spec));
  const resources = kinds.map(({ group, version, kind }) => ({ group, version, kind }));
  const at = { ...serviceProviders.ref, name, subresource: 'status' };
  await platform.patch(at, { type: 'merge', body: { status: { resources } } });
}

/** The error of a rejected call. */
export async function rejection(call: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  try {
    await call;
  } catch (error) {
    if (isError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'none', message: 'it was not refused' };
}
