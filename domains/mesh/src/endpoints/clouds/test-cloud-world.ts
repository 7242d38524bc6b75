import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Clock } from '@chandlery/platform';
import { findCondition, systemTimers, type Timers } from '@chandlery/runtime';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import { request } from 'undici';
import { startCloudControllers } from '../../controllers/cloud-accounts/start-cloud-controllers.ts';
import { type CloudAccount, cloudAccounts } from '../../kinds/clouds/cloud-account.ts';
import { type EndpointSet, endpointSets } from '../../kinds/endpoint-set.ts';
import type { Cloud } from '../../ports/clouds.ts';
import { createEndpointSetEndpoints } from '../endpoint-sets/endpoint-set-endpoints.ts';
import { quickTuning } from '../test-cut-link.ts';
import { RawBody, startTestHttpServer, type TestRequest, type TestResponse } from './test-http-server.ts';

/** Time that passes a hundred times faster: the shortest pause between two polls is 50 ms. */
const speed = 100;

export function fastTime(): { readonly clock: Clock; readonly timers: Timers } {
  const startMs = Date.now();
  return {
    clock: { now: () => new Date(startMs + (Date.now() - startMs) * speed) },
    timers: { after: (ms, call) => systemTimers.after(ms / speed, call) },
  };
}

/** For pauses between polls that are much shorter than in production. */
export const fastRate = { perSecond: 100_000, burst: 1000 };

/** Starts a plane with the kinds that the tests of a cloud need. */
export const startCloudPlane = (cloud: Pick<Cloud, 'resources'>): Promise<TestPlane> =>
  startTestPlane({
    kinds: [endpointSets.declaration, cloudAccounts.declaration, cloud.resources.declaration],
  });

export interface CloudWorldOptions {
  readonly client: Client;
  readonly cloud: Cloud;
  readonly account: Partial<CloudAccount['spec']>;
  /** Entries of the Secret `cloud-key`. */
  readonly secret: Readonly<Record<string, string>>;
  /** Accounts that may be read with the credentials of the server. Default none. */
  readonly serverCredentials?: readonly string[];
}

/** A cluster with one CloudAccount, `prod`, its controllers and the endpoints that they maintain. */
export async function startCloudWorld(options: CloudWorldOptions) {
  const { client, cloud, account, secret, serverCredentials = [] } = options;
  await using stack = new AsyncDisposableStack();
  const put = (ref: { group: string; version: string; plural: string }, object: KubeObject): Promise<KubeObject> =>
    client.patch(
      { ...ref, namespace: 'default', name: object.metadata.name ?? '' },
      { type: 'apply', body: object, force: true },
      { fieldManager: 'test' },
    );
  const putSecret = (stringData: object) =>
    put(
      { group: '', version: 'v1', plural: 'secrets' },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'cloud-key' }, stringData },
    );
  const putAccount = (spec: object) =>
    put(cloudAccounts.ref, { ...kindOf(cloudAccounts), metadata: { name: 'prod' }, spec });
  await putSecret(secret);
  await putAccount({ pollSeconds: 5, credentialsSecret: 'cloud-key', ...account });
  const startControllers = (time = fastTime()): AsyncDisposable =>
    startCloudControllers({
      ...{ client, clouds: [cloud], ...time },
      mayUseServerCredentials: id => serverCredentials.includes(id),
    });
  const provider = stack.use(createEndpointSetEndpoints({ client, cluster: 'onboarding', tuning: quickTuning }));
  const owned = stack.move();
  return {
    provider,
    startControllers,
    putSecret,
    putAccount,
    /** Fields with defaults may be left out. */
    putResource: (name: string, spec: object) =>
      put(cloud.resources.ref, { ...kindOf(cloud.resources), metadata: { name }, spec: { account: 'prod', ...spec } }),
    touchResource: (name: string) =>
      client.patch(
        { ...cloud.resources.ref, namespace: 'default', name },
        { type: 'merge', body: { metadata: { annotations: { touched: 'yes' } } } },
      ),
    deleteResource: (name: string) => client.delete({ ...cloud.resources.ref, namespace: 'default', name }),
    /** The EndpointSets that the controllers have written. */
    listSets: async () =>
      (await client.list<EndpointSet>({ ...endpointSets.ref, namespace: 'default' })).items.map(({ spec }) => spec),
    readyOf: async () =>
      findCondition(await client.get({ ...cloudAccounts.ref, namespace: 'default', name: 'prod' }), 'Ready'),
    accountIs: (reason: string) => conditionIs(client, { ...cloudAccounts.ref, name: 'prod' }, reason),
    resourceIs: (name: string, reason: string) => conditionIs(client, { ...cloud.resources.ref, name }, reason),
    shows: (service: string, wanted: readonly string[]) =>
      eventually(
        () => {
          const shown = provider.listEndpointsForService({ namespace: 'default', name: service });
          return JSON.stringify(shown.map(({ ip, health }) => `${ip} ${health}`)) === JSON.stringify(wanted);
        },
        { what: `${service} at ${wanted.join(', ') || 'no address'}` },
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const kindOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) => ({ apiVersion, kind });

/** Waits for the reason of the condition `Ready`, and resolves with its message. */
const conditionIs = (
  client: Client,
  ref: { readonly group: string; readonly version: string; readonly plural: string; readonly name: string },
  reason: string,
): Promise<string> =>
  eventually(
    async () => {
      const condition = findCondition(await client.get({ ...ref, namespace: 'default' }), 'Ready');
      return condition?.reason === reason ? (condition.message ?? '') || reason : undefined;
    },
    { what: `${ref.plural} ${ref.name} with the reason ${reason}` },
  );

/** A TCP relay to a server that can be cut. */
export async function startRelay(target: string, isCut = false) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const state = { isCut };
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    return socket;
  };
  const server = createServer(socket => {
    track(socket);
    if (state.isCut) return void socket.destroy();
    const upstream = track(connect(Number(port), hostname));
    socket.pipe(upstream).pipe(socket);
    socket.once('close', () => upstream.destroy());
    upstream.once('close', () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      state.isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    heal: () => {
      state.isCut = false;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>(resolve => void server.close(() => resolve()));
    },
  };
}

/** A proxy in front of a server, which can change requests and respond in its place. */
export interface Faults extends AsyncDisposable {
  readonly url: string;
  /** Default: all requests reach the server. */
  respond?: ((request: TestRequest) => TestResponse | undefined) | undefined;
  /** Changes the body of a request. Default: as it is. */
  rewrite?: (body: string) => string;
}

export async function startFaults(target: string): Promise<Faults> {
  const forward = async ({ method, url, headers, body }: TestRequest): Promise<TestResponse> => {
    // The host is kept: links to next pages are below it.
    const { connection: _connection, 'content-length': _length, ...sent } = headers;
    const response = await request(new URL(`${url.pathname}${url.search}`, target), {
      ...{ method: method as 'GET' | 'POST', headers: sent },
      ...(method !== 'GET' && { body: faults.rewrite?.(body) ?? body }),
    });
    const type = String(response.headers['content-type'] ?? 'text/plain');
    return {
      status: response.statusCode,
      headers: { 'content-type': type },
      body: new RawBody(await response.body.text()),
    };
  };
  const server = await startTestHttpServer(async asked => faults.respond?.(asked) ?? forward(asked));
  const faults: Faults = { ...server };
  return faults;
}
