import assert from 'node:assert/strict';
import { defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import {
  type ScriptedBroker,
  type ScriptedBrokerOptions,
  startScriptedBroker,
} from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { assertStatus, type BasicLogin, type Body, itemsOf, textAt, withQuery } from './http.ts';
import type { Stage } from './stage.ts';

/** Credentials that a scripted broker takes. */
export const brokerCredentials = { basic: { username: 'admin', password: 'broker-password' } };

/** A broker that is registered, and its catalog by the names that the broker uses. */
export interface Shop {
  readonly id: string;
  readonly name: string;
  readonly broker: ScriptedBroker;
  /** Ids of offerings by their names, without the suffix. */
  readonly offerings: Readonly<Record<string, string>>;
  /** Ids of plans by `offering/plan`, without the suffix. */
  readonly plans: Readonly<Record<string, string>>;
  readonly plan: (name: string) => string;
}

/** Starts a scripted broker. Its asynchronous plans end with the first poll. */
export async function startBroker(stage: Stage, options: ScriptedBrokerOptions = {}): Promise<ScriptedBroker> {
  return stage.stack.use(await startScriptedBroker({ asyncPolls: 0, ...options }));
}

/** Starts a scripted broker and registers it. */
export async function openShop(stage: Stage, options: ScriptedBrokerOptions = {}): Promise<Shop> {
  const suffix = stage.name('');
  const broker = await startBroker(stage, { catalog: defaultCatalog(suffix), ...options });
  const name = stage.name('broker');
  const created = await stage.post('/v1/service_brokers', {
    name,
    broker_url: broker.url,
    credentials: brokerCredentials,
  });
  assertStatus(created, 201);
  return { id: textAt(created, 'id'), name, broker, ...(await readCatalog(stage, textAt(created, 'id'), suffix)) };
}

async function readCatalog(
  stage: Stage,
  brokerId: string,
  suffix: string,
): Promise<Pick<Shop, 'offerings' | 'plans' | 'plan'>> {
  const offerings = itemsOf(
    await stage.get(withQuery('/v1/service_offerings', { fieldQuery: `broker_id eq '${brokerId}'` })),
  );
  const ids = offerings.map(({ id }) => `'${id}'`).join(',');
  const plans = itemsOf(
    await stage.get(withQuery('/v1/service_plans', { fieldQuery: `service_offering_id in (${ids})` })),
  );
  const short = (text: unknown) => String(text).replace(suffix, '');
  const nameOfOffering = (id: unknown) => short(offerings.find(offering => offering['id'] === id)?.['name']);
  const plansByName = Object.fromEntries(
    plans.map(plan => [`${nameOfOffering(plan['service_offering_id'])}/${plan['name']}`, String(plan['id'])]),
  );
  return {
    offerings: Object.fromEntries(offerings.map(({ id, name }) => [short(name), String(id)])),
    plans: plansByName,
    plan: name => {
      const id = plansByName[name];
      assert.ok(id, `no plan ${name} in ${Object.keys(plansByName).join(', ')}`);
      return id;
    },
  };
}

/** A platform and its credentials. */
export interface RegisteredPlatform {
  readonly id: string;
  readonly name: string;
  readonly login: BasicLogin;
}

/** Registers a platform. */
export async function registerPlatform(stage: Stage, more: Body = {}): Promise<RegisteredPlatform> {
  const name = stage.name('platform');
  const created = await stage.post('/v1/platforms', { name, type: 'kubernetes', ...more });
  assertStatus(created, 201);
  return {
    id: textAt(created, 'id'),
    name: textAt(created, 'name'),
    login: {
      username: textAt(created, 'credentials', 'basic', 'username'),
      password: textAt(created, 'credentials', 'basic', 'password'),
    },
  };
}

/** Opens a plan to a platform, or to all. Answers the visibility's id. */
export async function openPlan(stage: Stage, planId: string, more: Body = {}): Promise<string> {
  const created = await stage.post('/v1/visibilities', { service_plan_id: planId, ...more });
  assertStatus(created, 201);
  return textAt(created, 'id');
}

/** Makes an instance and waits for it. */
export async function provision(stage: Stage, planId: string, more: Body = {}): Promise<string> {
  const body = { name: stage.name('instance'), service_plan_id: planId, ...more };
  const created = await stage.post('/v1/service_instances?async=false', body);
  assertStatus(created, 201);
  return textAt(created, 'id');
}

/** Makes a binding and waits for it. */
export async function bind(stage: Stage, instanceId: string, more: Body = {}): Promise<string> {
  const body = { name: stage.name('binding'), service_instance_id: instanceId, ...more };
  const created = await stage.post('/v1/service_bindings?async=false', body);
  assertStatus(created, 201);
  return textAt(created, 'id');
}

/** Makes an instance as a platform does, over OSB. */
export async function provisionOverOsb(
  stage: Stage,
  shop: Shop,
  { platform, planId, id = stage.name('osb-instance'), more = {} }: OsbProvision,
): Promise<string> {
  const plan = await stage.get(`/v1/service_plans/${planId}`);
  const offering = await stage.get(`/v1/service_offerings/${textAt(plan, 'service_offering_id')}`);
  const made = await stage.put(
    `/v1/osb/${shop.id}/v2/service_instances/${id}?accepts_incomplete=true`,
    {
      service_id: textAt(offering, 'catalog_id'),
      plan_id: textAt(plan, 'catalog_id'),
      organization_guid: 'org',
      space_guid: 'space',
      context: { platform: 'kubernetes', namespace: 'default' },
      ...more,
    },
    { as: platform.login, headers: { 'x-broker-api-version': '2.17' } },
  );
  assert.ok(made.status < 300, made.text);
  return id;
}

/** Which instance for which platform. */
export interface OsbProvision {
  readonly platform: RegisteredPlatform;
  readonly planId: string;
  readonly id?: string;
  readonly more?: Body;
}
