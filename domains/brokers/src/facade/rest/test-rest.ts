import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '@chandlery/api';
import { createHttpHost, silentLogger as silentHttpLogger } from '@chandlery/http';
import { silentLogger } from '@chandlery/platform';
import { createBrokerActions } from '../../actions/broker-actions.ts';
import { createVisibilityActions } from '../../actions/visibility-actions.ts';
import { createBrokerConnections } from '../../adapters/broker-connections/broker-connections.ts';
import { smError } from '../../errors.ts';
import type { Registry } from '../../model/rows.ts';
import type { BrokerAudit, Caller } from '../../ports.ts';
import { type BrokerSettings, defaultBrokerSettings } from '../../settings.ts';
import { seedTenant, startTestRegistry, type TestRegistry } from '../../test-registry.ts';
import { createCredentialActions } from '../credentials/credential-actions.ts';
import type { Logging } from './documents/logging-routes.ts';
import { createBindingHandler } from './resources/bindings/binding-handler.ts';
import { createInstanceHandler } from './resources/instances/instance-handler.ts';
import { createRetryOperation } from './resources/operations/retry-operation.ts';
import { createRestFacade, type RestFacadeOptions } from './rest-facade.ts';
import { createCascadeStart } from './shared/start-cascade.ts';

/** An answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** Who asks, and with what. Default: the operator. */
export interface Ask {
  readonly as?: string;
  readonly body?: JsonObject | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The REST API over HTTP, on a registry of its own. */
export interface TestRest extends AsyncDisposable {
  readonly url: string;
  readonly registry: Registry;
  readonly test: TestRegistry;
  readonly audited: readonly BrokerAudit[];
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
}

/** Starts it, with the tenants `a` and `b`. Callers are `operator`, `platform <id>` and `user <verb>@<tenant>,…`. */
export async function startTestRest(
  options: Partial<Omit<RestFacadeOptions, 'settings'>> & { readonly settings?: Partial<BrokerSettings> } = {},
): Promise<TestRest> {
  await using stack = new AsyncDisposableStack();
  const test = stack.use(await startTestRegistry());
  const { registry } = test;
  for (const tenant of ['a', 'b']) await seedTenant(test.client, tenant);
  const settings = { ...defaultBrokerSettings, ...options.settings };
  const logger = silentLogger;
  const connections = stack.use(createBrokerConnections({ registry, internalBrokers: new Map(), settings, logger }));
  const host = createHttpHost({ logger: silentHttpLogger, readiness: async () => [] });
  const audited: BrokerAudit[] = [];
  const startCascade = createCascadeStart({ registry, isConnected: ({ status }) => status.isConnected === true });
  const instanceDeps = { registry, connections, settings, startCascade };
  createRestFacade({
    host,
    registry,
    authenticator: {
      authenticate: async request => callerOf(request),
      authenticateOsb: () => Promise.reject(unknown()),
    },
    handlers: [createInstanceHandler(instanceDeps), createBindingHandler(instanceDeps)],
    brokerActions: createBrokerActions({ registry, connections, settings, logger }),
    visibilityActions: createVisibilityActions({ registry }),
    startCascade,
    retryOperation: createRetryOperation(registry),
    credentials: createCredentialActions({ registry }),
    logging: memoryLogging(),
    audit: entry => audited.push(entry),
    logger,
    ...options,
    settings,
  });
  const { port } = await host.listenPlain({ port: 0 });
  stack.defer(() => host.close({ graceMs: 0 }));
  const url = `http://127.0.0.1:${port}`;
  const all = stack.move();
  return {
    url,
    registry,
    test,
    audited,
    ask: (method, path, ask) => send(`${url}${path}`, method, ask),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function send(url: string, method: string, { as = 'operator', body, headers }: Ask = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(as === '' ? {} : { authorization: as }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as JsonObject,
  };
}

function callerOf({ headers: { authorization = '' } }: IncomingMessage): Caller {
  const [type, detail = ''] = authorization.split(' ');
  if (type === 'operator') return { type: 'operator', username: 'admin', groups: ['admins'] };
  if (type === 'platform') return { type: 'platform', platformId: detail, username: detail, usesOldCredentials: false };
  if (type === 'user') return userCaller(detail.split(','));
  throw unknown();
}

function userCaller(rights: readonly string[]): Caller {
  const may = (verb: string, _plural: string, tenant: string) =>
    rights.includes(`${verb}@${tenant}`) || rights.includes(`all@${tenant}`);
  return { type: 'user', username: 'jane', may, tenants: () => ['a', 'b'].filter(tenant => may('list', '', tenant)) };
}

const unknown = () => smError('Unauthorized', 'unknown credentials');

function memoryLogging(): Logging {
  let settings: ReturnType<Logging['get']> = { level: 'info', format: 'json' };
  return {
    get: () => settings,
    set: given => {
      settings = given;
    },
  };
}
