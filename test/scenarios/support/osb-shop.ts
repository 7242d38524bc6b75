import assert from 'node:assert/strict';
import { eventually, type LandscapeAnswer, type TestLandscape } from '@chandlery/testing';

interface Service {
  readonly id: string;
  readonly name: string;
  readonly plans: readonly { readonly id: string }[];
}

/** What a platform does with a broker of the landscape. */
export interface Shop {
  /** Waits until the catalog has it. */
  findService(name: string): Promise<Service>;
  call(method: string, path: string, body?: object): Promise<LandscapeAnswer>;
  /** Polls until the last operation has succeeded, or the instance is deleted. */
  ends(path: string): Promise<void>;
  /** Takes broker and platform away again. */
  close(): Promise<void>;
}

/** Registers the providers of a landscape as a broker, and a platform that sees all of its plans. */
export async function openShop(landscape: TestLandscape): Promise<Shop> {
  const made = async <T>(path: string, body: object): Promise<T> => {
    const answer = await landscape.request(path, { body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json<T>();
  };
  const broker = await made<{ id: string }>('/v1/service_brokers', { name: 'providers', internal: 'providers' });
  const platform = await made<Platform>('/v1/platforms', { name: 'buyer', type: 'kubernetes' });
  const plans = await landscape.request('/v1/service_plans');
  for (const { id } of plans.json<{ items: { id: string }[] }>().items) {
    await made('/v1/visibilities', { service_plan_id: id, platform_id: platform.id });
  }
  const { username, password } = platform.credentials.basic;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const headers = { authorization, 'x-broker-api-version': '2.17', 'content-type': 'application/json' };
  const call: Shop['call'] = (method, path, body) =>
    landscape.request(`/v1/osb/${broker.id}${path}`, { method, headers, token: null, ...(body && { body }) });
  return {
    call,
    findService: name =>
      eventually(async () => {
        const { services } = (await call('GET', '/v2/catalog')).json<{ services: Service[] }>();
        const found = services.find(service => service.name === name);
        assert.ok(found, `the catalog has ${services.map(service => service.name).join(', ')}`);
        return found;
      }),
    ends: async path => {
      await eventually(
        async () => {
          const { status, text } = await call('GET', path);
          assert.ok(status === 410 || /"state":"succeeded"/.test(text), text);
          return true;
        },
        { timeoutMs: 60_000 },
      );
    },
    close: async () => {
      const paths = [`/v1/service_brokers/${broker.id}`, `/v1/platforms/${platform.id}`];
      for (const path of paths) assert.equal((await landscape.request(path, { method: 'DELETE' })).status, 200);
    },
  };
}

interface Platform {
  readonly id: string;
  readonly credentials: { readonly basic: { readonly username: string; readonly password: string } };
}
