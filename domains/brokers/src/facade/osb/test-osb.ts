import { createHash } from 'node:crypto';
import type { JsonObject } from '@chandlery/api';
import { createHttpHost } from '@chandlery/http';
import { createLogger } from '@chandlery/platform';
import { createBrokerActions } from '../../actions/broker-actions.ts';
import { createBrokerConnections } from '../../adapters/broker-connections/broker-connections.ts';
import { globalTenant, type InternalBroker, ownPlatformId } from '../../kinds/index.ts';
import { lastOperationOf } from '../../model/operations/last-operation.ts';
import { createContextSigner } from '../../model/osb/context-signature.ts';
import type { OperationRow, PlanRow, PlatformRow, Registry } from '../../model/rows.ts';
import type { BrokerAudit, FindUser } from '../../ports.ts';
import { createRegistry } from '../../registry/create-registry.ts';
import { type BrokerSettings, defaultBrokerSettings } from '../../settings.ts';
import {
  type ScriptedBroker,
  type ScriptedBrokerOptions,
  startScriptedBroker,
} from '../../test-broker/scripted-broker.ts';
import {
  type Seed,
  seedPlatform,
  seedTenant,
  seedVisibility,
  startTestRegistry,
  type TestRegistry,
} from '../../test-registry.ts';
import { createAuthenticator } from '../authentication/create-authenticator.ts';
import { CatalogCache } from './catalog-cache.ts';
import { createOsbFacade } from './osb-facade.ts';

/** The response that a platform receives. */
export interface TestResponse {
  readonly status: number;
  readonly body: JsonObject;
  readonly text: string;
  readonly headers: Headers;
}

/** How a platform asks. */
export interface Ask {
  /** Default: `k8s`. */
  readonly platform?: string;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  /** Undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Default: the scripted one. */
  readonly broker?: string;
}

/** A registry, a registered broker whose plans are public, platforms, and the façade over HTTP. */
export interface TestOsb extends AsyncDisposable {
  readonly registry: Registry;
  readonly test: TestRegistry;
  readonly broker: ScriptedBroker;
  readonly audits: readonly BrokerAudit[];
  readonly logLines: readonly string[];
  readonly url: string;
  /** Asks as a platform: `ask('PUT', '/service_instances/i', {…})`. */
  ask(method: string, path: string, ask?: Ask): Promise<TestResponse>;
  /** The same at another process on the same store. */
  askSecond(method: string, path: string, ask?: Ask): Promise<TestResponse>;
  /** The next commit of the first process is not made, and rejects with this. */
  failNextCommit(error: Error): void;
  /** A plan by the broker's id. */
  plan(catalogId: string): PlanRow;
  /** The last operation of an instance or binding. */
  last(id: string): OperationRow | undefined;
}

/** The id under which the scripted broker is registered. */
export const brokerId = 'broker-1';

/** Starts one: `await using world = await startOsbWorld()`. Platforms: `k8s`, `other`, `cf`, and `foreign` of tenant `acme`. */
export async function startTestOsb(
  options: {
    readonly settings?: Partial<BrokerSettings>;
    readonly broker?: ScriptedBrokerOptions;
    readonly internalBrokers?: ReadonlyMap<string, InternalBroker>;
  } = {},
): Promise<TestOsb> {
  await using stack = new AsyncDisposableStack();
  const test = stack.use(await startTestRegistry());
  const { registry } = test;
  const broker = stack.use(await startScriptedBroker(options.broker));
  const settings = { ...defaultBrokerSettings, mitigationIntervalMs: 5, ...options.settings };
  const logLines: string[] = [];
  const logger = createLogger({ level: 'debug', write: line => void logLines.push(line) });
  const { internalBrokers = new Map<string, InternalBroker>() } = options;
  const connections = stack.use(createBrokerConnections({ registry, internalBrokers, settings, logger }));
  await seedPlatforms(test);
  const actions = createBrokerActions({ registry, connections, settings, logger });
  await actions.register({
    tenant: globalTenant,
    id: brokerId,
    name: 'scripted',
    url: broker.url,
    credentials: { username: 'admin', password: 'broker-password' },
    limits: { timeoutMs: 300, breakAfterFailures: 0 },
    correlationId: 'set-up',
  });
  for (const plan of registry.plans.by('brokerId', brokerId))
    await seedVisibility(registry, { spec: { planId: plan.id } });
  broker.forgetRequests();
  const audits: BrokerAudit[] = [];
  const serve = async (own: Registry): Promise<string> => {
    const host = stack.adopt(createHttpHost({ logger, readiness: async () => [] }), each => each.close({ graceMs: 0 }));
    const facade = stack.use(
      createOsbFacade({
        host,
        registry: own,
        connections,
        authenticator: createAuthenticator({ registry: own, findUser, logger }),
        catalogCache: stack.use(new CatalogCache(own)),
        signer: createContextSigner(settings),
        settings,
        audit: entry => void audits.push(entry),
        logger,
      }),
    );
    host.handleUnder('/', (request, response) => facade.handle(request, response, {}));
    const { port } = await host.listenPlain({ port: 0 });
    return `http://127.0.0.1:${port}`;
  };
  const faults: Error[] = [];
  const url = await serve(withFaults(registry, faults));
  const second = stack.use(createRegistry({ client: test.client }));
  await second.synced;
  const secondUrl = await serve(second);
  const all = stack.move();
  return {
    registry,
    test,
    broker,
    audits,
    logLines,
    url,
    failNextCommit: error => void faults.push(error),
    askSecond: (method, path, ask = {}) => askAt(secondUrl, method, path, ask),
    ask: (method, path, ask = {}) => askAt(url, method, path, ask),
    plan: catalogId => [...registry.plans.by('catalogId', catalogId)][0] as PlanRow,
    last: id =>
      lastOperationOf(registry, '/v1/service_instances', id) ?? lastOperationOf(registry, '/v1/service_bindings', id),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function seedPlatforms({ registry, client }: TestRegistry): Promise<void> {
  await seedTenant(client, 'acme');
  await seedPlatform(registry, { id: ownPlatformId, spec: { name: ownPlatformId, type: ownPlatformId } });
  await seedCaller(registry, { id: 'k8s' });
  await seedCaller(registry, { id: 'other' });
  await seedCaller(registry, { id: 'cf', spec: { type: 'cloudfoundry' } });
  await seedCaller(registry, { id: 'foreign', tenant: 'acme' });
}

/** A platform that calls by its id and the password `secret`. */
export function seedCaller(
  registry: Registry,
  seed: Seed<'platforms'> & { readonly id: string },
): Promise<PlatformRow> {
  const passwordHash = createHash('sha256').update('secret').digest('hex');
  const credentials = { username: seed.id, passwordHash, isActive: true };
  return seedPlatform(registry, { ...seed, status: { credentials } });
}

/** The registry, except that commits fail when the test says so. */
const withFaults = (registry: Registry, faults: Error[]): Registry =>
  new Proxy(registry, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      const [fault] = faults;
      if (name === 'commit' && fault !== undefined) {
        return () => {
          faults.shift();
          return Promise.reject(fault);
        };
      }
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

/** The operator calls by the name of the own platform. */
const findUser: FindUser = ({ authorization = '' }) => {
  const [username] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
  return Promise.resolve(username === ownPlatformId ? { type: 'operator', username: 'root' } : undefined);
};

async function askAt(url: string, method: string, path: string, ask: Ask): Promise<TestResponse> {
  const { platform = 'k8s', body, headers = {}, broker = brokerId } = ask;
  const all: Record<string, string | undefined> = {
    authorization: `Basic ${Buffer.from(`${platform}:secret`).toString('base64')}`,
    'x-broker-api-version': '2.17',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  const sent = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const response = await fetch(`${url}/v1/osb/${broker}/v2${path}`, {
    method,
    headers: sent,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: text === '' ? {} : (JSON.parse(text) as JsonObject),
    headers: response.headers,
  };
}

/** The body of a provision of a plan of `database`. */
export const provisionBody = (plan = 'sync', more: JsonObject = {}): JsonObject => ({
  service_id: 'database-id',
  plan_id: `database-${plan}`,
  organization_guid: 'org',
  space_guid: 'space',
  context: { platform: 'kubernetes', instance_name: 'my-database' },
  parameters: { size: 1 },
  ...more,
});

/** The query of a deletion or poll. */
export const idsOf = (plan = 'sync'): string => `service_id=database-id&plan_id=database-${plan}`;
