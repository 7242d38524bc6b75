import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { request } from 'node:https';
import { eventually, freePort, startTestLandscape, type TestLandscape } from '@chandlery/testing';

/** An instance as the public API shows it. */
export interface PublicInstance {
  readonly id: string;
  readonly status: string;
  readonly host?: string;
  readonly admin_api_server_url?: string;
  readonly failed_reason?: string;
  readonly version?: string;
}

/** A landscape whose fleet has a DNS server on a port of its own, and what users and operators do with it. */
export interface FleetLandscape extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly dnsPort: number;
  /** Puts a document into force, with the DNS server of the test. */
  configure(document: Readonly<Record<string, unknown>>): Promise<void>;
  /** Sends a request as a user of the organisation acme, or with another token. */
  ask(method: string, path: string, options?: { readonly body?: unknown; readonly token?: string }): Promise<Reply>;
  order(collection: string, name: string): Promise<PublicInstance>;
  /** Waits for the state of an instance. */
  untilState(collection: string, id: string, state: string): Promise<PublicInstance>;
  untilGone(collection: string, id: string): Promise<void>;
  /** The addresses that the landscape's DNS server has for a name. */
  resolve(host: string): Promise<readonly string[]>;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const stateTimeoutMs = 90_000;

/** Starts a landscape and configures the built-in product. */
export async function startFleetLandscape(): Promise<FleetLandscape> {
  const landscape = await startTestLandscape();
  const dnsPort = await freePort();
  const body = { username: 'ann', organisation: 'acme' };
  const { token } = (await landscape.request('/api/fleet_mgmt/v1/tokens', { body })).json<{ token: string }>();
  const ask: FleetLandscape['ask'] = async (method, path, options = {}) => {
    const answer = await landscape.request(path, { method, token, ...options });
    return { status: answer.status, body: answer.text === '' ? undefined : answer.json<unknown>() };
  };
  const path = (collection: string, id = ''): string =>
    `/api/${collection}_mgmt/v1/${collection}/${id}`.replace(/\/$/, '');
  return {
    landscape,
    dnsPort,
    configure: async document => {
      const { id } = document['product'] as { id: string };
      const dns = { type: 'embedded', port: dnsPort, domain: `${id}.fleet.internal` };
      const whole = { ...document, dns };
      const { status, text } = await landscape.request('/api/fleet_mgmt/v1/configuration', {
        method: 'PUT',
        body: whole,
      });
      assert.equal(status, 200, text);
    },
    ask,
    order: async (collection, name) => {
      const { status, body: instance } = await ask('POST', `${path(collection)}?async=true`, {
        body: { name, multi_az: true },
      });
      assert.equal(status, 202, JSON.stringify(instance));
      return instance as PublicInstance;
    },
    untilState: async (collection, id, state) => {
      let last: PublicInstance | undefined;
      try {
        return await eventually(
          async () => {
            last = (await ask('GET', path(collection, id))).body as PublicInstance;
            return last.status === state && last;
          },
          { what: `${id} to be ${state}`, timeoutMs: stateTimeoutMs },
        );
      } catch (error) {
        throw new Error(`the instance was ${JSON.stringify(last)}\n${landscape.process.output().slice(-4000)}`, {
          cause: error,
        });
      }
    },
    untilGone: async (collection, id) => {
      await eventually(async () => (await ask('GET', path(collection, id))).status === 404, {
        timeoutMs: stateTimeoutMs,
      });
    },
    resolve: host => {
      const resolver = new Resolver();
      resolver.setServers([`127.0.0.1:${dnsPort}`]);
      return resolver.resolve4(host);
    },
    [Symbol.asyncDispose]: () => landscape[Symbol.asyncDispose](),
  };
}

/** Asks an instance at its address, as a client does whom DNS sends to 127.0.0.1. */
export const getFrom = (url: string, ca: string, path = '/'): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const options = {
      host: '127.0.0.1',
      port,
      path,
      servername: hostname,
      ca,
      agent: false,
      headers: { host: hostname },
    };
    request(options, response => {
      let text = '';
      response.on('data', chunk => (text += String(chunk))).on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
