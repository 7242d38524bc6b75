import { randomBytes } from 'node:crypto';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { defaultCatalog } from '../../../domains/brokers/src/test-broker/default-catalog.ts';
import { type ScriptedBroker, startScriptedBroker } from '../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { type Answer, type Caller, type CallOptions, createCaller } from './caller.ts';
import { expectStatus } from './objects.ts';
import {
  createPerson,
  createReady,
  member,
  project,
  projectsPath,
  secretsPath,
  untilStatus,
  workspace,
  workspacesPath,
} from './tenants.ts';

/** The tenant of Wendy (admin) and Vera (viewer). Bob has another one. */
export const tenant = 'project-sea--ws-north';

/** All callers that the tests try. `credential` is the pair of platform A for the broker `shop`. */
export const brokerIdentities = [
  'nobody',
  'wrong password',
  'wrong token',
  'credential',
  'A',
  'B',
  'T',
  'wendy',
  'vera',
  'bob',
  'operator',
] as const;
export type BrokerIdentity = (typeof brokerIdentities)[number];

/** Secret texts that only their owners may read. */
export interface Planted {
  readonly brokerPassword: string;
  readonly brokerToken: string;
  readonly clientKey: string;
  readonly contextKey: string;
  readonly osbParameters: string;
  readonly restParameters: string;
  readonly bindParameters: string;
  readonly platformPasswords: readonly string[];
  readonly credentialPassword: string;
}

/** Ids by the names that tests use; `instance-of-a` is on platform A, `wi` and `wb` are the tenant's, made over REST. */
export type Ids = Readonly<Record<string, string>>;

/** Three brokers, three platforms, two tenants, and what they made. Platforms A and B are the landscape's, T is the tenant's. */
export interface BrokersWorld extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly callers: Readonly<Record<BrokerIdentity, Caller>>;
  readonly brokers: { readonly shop: ScriptedBroker; readonly depot: ScriptedBroker; readonly vault: ScriptedBroker };
  readonly ids: Ids;
  readonly planted: Planted;
}

export const marker = (): string => `marker-${randomBytes(18).toString('hex')}`;
export const inTenant = { 'x-chandlery-tenant': tenant };
export const osbHeaders = { 'x-broker-api-version': '2.17' };
const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

/** What platforms send to make an instance; a repeat is answered as the first was. */
export const provision = (suffix: string, parameters: object): CallOptions => ({
  method: 'PUT',
  headers: osbHeaders,
  body: {
    service_id: `database${suffix}-id`,
    plan_id: `database${suffix}-sync`,
    organization_guid: 'o',
    space_guid: 's',
    context: { platform: 'kubernetes', clusterid: 'c', namespace: 'n' },
    parameters,
  },
});
export const bind = (suffix: string, parameters: object): CallOptions => ({
  method: 'PUT',
  headers: osbHeaders,
  body: { service_id: `database${suffix}-id`, plan_id: `database${suffix}-sync`, parameters },
});

/** Starts it, with the server's log at its most talkative. */
export async function startBrokersWorld(contextKey: string): Promise<BrokersWorld> {
  await using stack = new AsyncDisposableStack();
  const secrets = { brokerPassword: marker(), brokerToken: marker() };
  const shop = stack.use(
    await startScriptedBroker({ auth: { type: 'basic', username: 'shop-user', password: secrets.brokerPassword } }),
  );
  const depot = stack.use(
    await startScriptedBroker({ auth: { type: 'bearer', token: secrets.brokerToken }, catalog: defaultCatalog('2') }),
  );
  const vault = stack.use(
    await startScriptedBroker({ auth: { type: 'certificate' }, isSecure: true, catalog: defaultCatalog('3') }),
  );
  const settings = { pollingIntervalMs: 50, mitigationIntervalMs: 50, contextPrivateKey: contextKey };
  const env = { CHANDLERY_LOG_LEVEL: 'debug', CHANDLERY_SERVICE_MANAGER: JSON.stringify(settings) };
  const landscape = stack.use(await startTestLandscape({ env }));
  const parts = { landscape, stack, brokers: { shop, depot, vault }, secrets };
  const { callers, ids, passwords } = await furnish(parts);
  const { clientKeyPem = '' } = vault.tls ?? {};
  const clientKey = lineOf(clientKeyPem);
  const own = {
    ...secrets,
    clientKey,
    contextKey: lineOf(contextKey),
    credentialPassword,
    platformPasswords: passwords,
  };
  const made = await makeThings(callers, ids);
  const all = stack.move();
  return {
    landscape,
    callers,
    brokers: parts.brokers,
    ids: { ...ids, ...made.ids },
    planted: { ...own, ...made.planted },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** What platform A has made for `shop`, and its bcrypt hash. */
const credentialPassword = 'marker-of-the-credential-that-platform-a-has-made';
const credentialHash = '$2b$04$Et/yMk1ahKhS4kWpnnL1LOenCCLQfmLkl8MvAm2brjQ3392896mda';

/** A line of a key that says nothing else. */
const lineOf = (pem: string): string => pem.split('\n')[1] ?? '';

interface Parts {
  readonly landscape: TestLandscape;
  readonly stack: AsyncDisposableStack;
  readonly brokers: BrokersWorld['brokers'];
  readonly secrets: Pick<Planted, 'brokerPassword' | 'brokerToken'>;
}

async function furnish({ landscape, stack, brokers, secrets }: Parts) {
  const caller = (headers?: Record<string, string>) =>
    stack.use(createCaller(landscape, headers === undefined ? {} : { headers }));
  const operator = stack.use(createCaller(landscape, { token: landscape.token }));
  const people = await makeTenants(landscape, stack);
  const ids: Record<string, string> = {};
  Object.assign(ids, await registerBrokers(operator, brokers, secrets));
  const passwords: string[] = [];
  const platforms: Record<string, Caller> = {};
  const names: Record<string, string> = {};
  for (const name of ['A', 'B', 'T']) {
    const headers = name === 'T' ? inTenant : {};
    const body = { name: `platform-${name}`, type: 'kubernetes' };
    const created = expectStatus(await operator.send('/v1/platforms', { body, headers }), 201).json<PlatformAnswer>();
    const { username, password } = created.credentials.basic;
    ids[name] = created.id;
    names[name] = username;
    passwords.push(password);
    platforms[name] = caller(basic(username, password));
  }
  const { A, B, T } = platforms as Record<'A' | 'B' | 'T', Caller>;
  Object.assign(ids, await openPlans(operator, ids));
  ids['credential'] = await makeCredential(A, ids['shop'] ?? '');
  const callers: Record<BrokerIdentity, Caller> = {
    nobody: caller(),
    'wrong password': caller(basic(names['A'] ?? '', 'wrong')),
    'wrong token': stack.use(createCaller(landscape, { token: 'wrong' })),
    credential: caller(basic('a-at-shop', credentialPassword)),
    A,
    B,
    T,
    ...people,
    operator,
  };
  return { callers, ids, passwords };
}

interface PlatformAnswer {
  readonly id: string;
  readonly credentials: { readonly basic: { readonly username: string; readonly password: string } };
}

async function makeTenants(landscape: TestLandscape, stack: AsyncDisposableStack) {
  const person = (name: string): Caller => stack.use(createPerson(landscape, name));
  const people = { wendy: person('wendy'), vera: person('vera'), bob: person('bob') };
  const { wendy, vera, bob } = people;
  const members = [member('wendy', 'admin'), member('vera', 'view')];
  await createReady(wendy, projectsPath, project({ name: 'sea' }, members));
  await createReady(wendy, workspacesPath('project-sea'), workspace({ name: 'north' }, members));
  await createReady(bob, projectsPath, project({ name: 'bobs' }));
  await createReady(bob, workspacesPath('project-bobs'), workspace({ name: 'north' }));
  await untilStatus(wendy, secretsPath(tenant), 200);
  await untilStatus(
    vera,
    `/clusters/onboarding/apis/brokers.chandlery.io/v1alpha1/namespaces/${tenant}/operations`,
    200,
  );
  return people;
}

async function registerBrokers(
  operator: Caller,
  { shop, depot, vault }: BrokersWorld['brokers'],
  secrets: Parts['secrets'],
): Promise<Ids> {
  const { caPem, clientCertificatePem, clientKeyPem } = vault.tls ?? { caPem: '' };
  const tls = { client_certificate: clientCertificatePem, client_key: clientKeyPem };
  const bodies = {
    shop: { broker_url: shop.url, credentials: { basic: { username: 'shop-user', password: secrets.brokerPassword } } },
    depot: { broker_url: depot.url, credentials: { token: secrets.brokerToken } },
    vault: { broker_url: vault.url, credentials: { tls }, ca_bundle: caPem },
  };
  const ids: Record<string, string> = {};
  for (const [name, body] of Object.entries(bodies)) {
    const headers = name === 'vault' ? inTenant : {};
    ids[name] = idOf(await operator.send('/v1/service_brokers', { body: { name, ...body }, headers }), 201);
  }
  return ids;
}

/** `shop` is public, `depot` for B alone, `vault` for T alone. */
async function openPlans(operator: Caller, ids: Ids): Promise<Ids> {
  const plans: Record<string, string> = {};
  const grants = [
    { broker: 'shop', catalogId: 'database-sync', platform: undefined },
    { broker: 'depot', catalogId: 'database2-sync', platform: ids['B'] },
    { broker: 'vault', catalogId: 'database3-sync', platform: ids['T'] },
  ];
  for (const { broker, catalogId, platform } of grants) {
    const plan = await only(operator, 'service_plans', `catalog_id eq '${catalogId}'`);
    plans[`${broker} plan`] = String(plan['id']);
    plans[`${broker} offering`] = String(plan['service_offering_id']);
    const body = { service_plan_id: plan['id'], ...(platform === undefined ? {} : { platform_id: platform }) };
    const headers = broker === 'vault' ? inTenant : {};
    plans[`${broker} visibility`] = idOf(await operator.send('/v1/visibilities', { body, headers }), 201);
  }
  return plans;
}

async function makeCredential(platform: Caller, broker_id: string): Promise<string> {
  const body = { broker_id, username: 'a-at-shop', password_hash: credentialHash };
  const id = idOf(await platform.send('/v1/credentials', { method: 'PUT', body }), 200);
  expectStatus(await platform.send(`/v1/credentials/${id}/activate`, { method: 'PUT', body: {} }), 200);
  return id;
}

/** The only thing of a type that matches. */
export async function only(caller: Caller, type: string, fieldQuery: string): Promise<Record<string, unknown>> {
  const answer = await caller.send(`/v1/${type}?fieldQuery=${encodeURIComponent(fieldQuery)}`);
  const { items } = expectStatus(answer, 200).json<{ items: Record<string, unknown>[] }>();
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error(`${items.length} ${type} with ${fieldQuery}`);
  return item;
}

const idOf = (answer: Answer, status: number): string => expectStatus(answer, status).json<{ id: string }>().id;

/** Instances and bindings of the platforms over OSB, and of the tenant over REST. */
async function makeThings(callers: BrokersWorld['callers'], ids: Ids) {
  const planted = { osbParameters: marker(), restParameters: marker(), bindParameters: marker() };
  const { credential, B, T, wendy, operator } = callers;
  const owners = [
    { who: credential, broker: 'shop', suffix: '', of: 'a' },
    { who: B, broker: 'depot', suffix: '2', of: 'b' },
    { who: T, broker: 'vault', suffix: '3', of: 't' },
  ];
  const made: Record<string, string> = {};
  for (const { who, broker, suffix, of } of owners) {
    const [instance, binding] = [`instance-of-${of}`, `binding-of-${of}`];
    const path = `/v1/osb/${ids[broker]}/v2/service_instances/${instance}`;
    expectStatus(await who.send(path, provision(suffix, { secret: planted.osbParameters })), 201, instance);
    const bound = await who.send(
      `${path}/service_bindings/${binding}`,
      bind(suffix, { secret: planted.bindParameters }),
    );
    expectStatus(bound, 201, binding);
    Object.assign(made, { [instance]: instance, [binding]: binding });
  }
  const parameters = { secret: planted.restParameters };
  const instance = { name: 'wi', service_plan_id: ids['shop plan'], parameters };
  const wi = idOf(await wendy.send('/v1/service_instances', { body: instance, headers: inTenant }), 201);
  const binding = { name: 'wb', service_instance_id: wi, parameters: { secret: planted.bindParameters } };
  const wb = idOf(await wendy.send('/v1/service_bindings', { body: binding, headers: inTenant }), 201);
  Object.assign(made, { wi, wb });
  const resources = { ...made, A: ids['A'], shop: ids['shop'], 'depot visibility': ids['depot visibility'] };
  for (const [name, id] of Object.entries(resources)) {
    const operation = await only(operator, 'operations', `resource_id eq '${id}' and type eq 'create'`);
    made[`operation of ${name}`] = String(operation['id']);
  }
  return { ids: made, planted };
}
