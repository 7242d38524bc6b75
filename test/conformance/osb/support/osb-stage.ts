import assert from 'node:assert/strict';
import type { JsonObject } from '@chandlery/api';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import {
  type ScriptedBroker,
  type ScriptedBrokerOptions,
  startScriptedBroker,
} from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { type OsbTarget, type PlatformLogin, throughTarget } from './osb-target.ts';

/** A real server, to which brokers can be registered for one platform. */
export interface OsbStage extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly platformId: string;
  readonly login: PlatformLogin;
  /** Starts a scripted broker, registers it and makes all its plans public. */
  readonly addBroker: (name: string, options?: StagedBrokerOptions) => Promise<StagedBroker>;
  /** Asks the Service Manager API as the operator. */
  readonly ask: (method: string, path: string, body?: JsonObject) => Promise<StageAnswer>;
}

/** What the Service Manager API answered. */
export interface StageAnswer {
  readonly status: number;
  readonly body: JsonObject;
  readonly location: string;
}

export interface StagedBrokerOptions {
  readonly broker?: ScriptedBrokerOptions;
  /** As in the body of a registration. Default: the usual ones. */
  readonly limits?: JsonObject;
}

/** A broker behind Chandlery. */
export interface StagedBroker {
  readonly id: string;
  readonly broker: ScriptedBroker;
  readonly target: OsbTarget;
  /** Ids of plans by the broker's own. */
  readonly plans: ReadonlyMap<string, string>;
}

/** Starts a server whose waits are short. */
export async function startOsbStage(settings: JsonObject = {}): Promise<OsbStage> {
  await using stack = new AsyncDisposableStack();
  const quick = { pollingIntervalMs: 50, mitigationIntervalMs: 50, mitigationLongIntervalMs: 200, ...settings };
  const env = { CHANDLERY_SERVICE_MANAGER: JSON.stringify(quick) };
  const landscape = stack.use(await startTestLandscape({ env }));
  const ask: OsbStage['ask'] = async (method, path, body) => {
    const answer = await landscape.request(path, { method, ...(body === undefined ? {} : { body }) });
    const json = answer.text === '' ? {} : answer.json<JsonObject>();
    return { status: answer.status, body: json, location: answer.headers.get('location') ?? '' };
  };
  const platform = await ask('POST', '/v1/platforms', { name: 'osb-platform', type: 'kubernetes' });
  assert.equal(platform.status, 201, JSON.stringify(platform.body));
  const { id: platformId, credentials } = platform.body as unknown as {
    readonly id: string;
    readonly credentials: { readonly basic: PlatformLogin };
  };
  const login = credentials.basic;
  const all = stack.move();
  return {
    landscape,
    platformId,
    login,
    ask,
    addBroker: async (name, options = {}) => {
      const broker = all.use(await startScriptedBroker(options.broker));
      const { id, plans } = await register(ask, broker, { name, ...options });
      return { id, broker, plans, target: throughTarget(landscape, { broker, brokerId: id, name, login }) };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function register(
  ask: OsbStage['ask'],
  { url }: ScriptedBroker,
  { name, limits }: StagedBrokerOptions & { readonly name: string },
): Promise<Pick<StagedBroker, 'id' | 'plans'>> {
  const credentials = { basic: { username: 'admin', password: 'broker-password' } };
  const body = { name, broker_url: url, credentials, ...(limits === undefined ? {} : { limits }) };
  const registered = await ask('POST', '/v1/service_brokers', body);
  assert.equal(registered.status, 201, JSON.stringify(registered.body));
  const id = registered.body['id'] as string;
  const offerings = await list(ask, 'service_offerings', `broker_id eq '${id}'`);
  const offeringIds = offerings.map(offering => `'${offering['id'] as string}'`).join(',');
  const plans = await list(ask, 'service_plans', `service_offering_id in (${offeringIds})`);
  for (const plan of plans) {
    const opened = await ask('POST', '/v1/visibilities', { service_plan_id: plan['id'] as string });
    assert.equal(opened.status, 201, JSON.stringify(opened.body));
  }
  return { id, plans: new Map(plans.map(plan => [plan['catalog_id'] as string, plan['id'] as string])) };
}

/** All rows of a type that a query finds. */
export async function list(ask: OsbStage['ask'], type: string, fieldQuery: string): Promise<readonly JsonObject[]> {
  const { status, body } = await ask('GET', `/v1/${type}?max_items=500&fieldQuery=${encodeURIComponent(fieldQuery)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body['items'] as JsonObject[];
}
