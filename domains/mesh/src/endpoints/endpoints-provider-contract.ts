import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { Endpoint, EndpointHealth } from '../model/endpoint.ts';
import { type ServiceKey, type ServiceName, serviceKey } from '../model/service-name.ts';
import type { EndpointsProvider } from '../ports/endpoints.ts';

/** An endpoint on the platform. */
export interface PlatformEndpoint {
  readonly ip: string;
  readonly port: number;
  /** Default `http`. */
  readonly portName?: string;
  /** Default `healthy`. */
  readonly health?: EndpointHealth;
  readonly zone?: string;
}

/** A provider and its platform. */
export interface ProviderUnderTest extends AsyncDisposable {
  readonly provider: EndpointsProvider;
  /** Sets the endpoints of a service on the platform; none: deletes the service. */
  put(service: ServiceName, endpoints: readonly PlatformEndpoint[]): Promise<void>;
  /** Changes something unrelated to the endpoints of the service. */
  touch(service: ServiceName): Promise<void>;
  /** Disconnects and reconnects the platform, if it is remote. */
  readonly link?: { cut(): void; heal(): void };
}

/** Capabilities of a platform. */
export interface PlatformAbilities {
  readonly hasHealth: boolean;
  /** Whether endpoints can drain. Default: as `hasHealth`. */
  readonly hasDraining?: boolean;
  readonly hasZones: boolean;
  /** One of its zones. Default `eu-a`. */
  readonly zone?: string;
  /** Whether a service can have two named ports on one address. */
  readonly hasNamedPorts: boolean;
  /** Whether it can be disconnected, see `link`. */
  readonly isRemote: boolean;
  /**
   * Whether the last endpoints are stored, so that a mesh is served while the platform was not read in this process yet.
   * Default false.
   */
  readonly isStored?: boolean;
}

const web: ServiceName = { namespace: 'default', name: 'web' };
const api: ServiceName = { namespace: 'default', name: 'api' };

interface Announcement {
  readonly services: readonly ServiceKey[];
  /** The endpoints at the time of the notification. */
  readonly shown: readonly string[];
}

const addressOf = ({ ip, port }: Endpoint): string => `${ip}:${port}`;
const shownBy = (provider: EndpointsProvider, service: ServiceName): readonly string[] =>
  provider.listEndpointsForService(service).map(addressOf);

function record(provider: EndpointsProvider, service = web): Announcement[] {
  const heard: Announcement[] = [];
  provider.subscribe(services => heard.push({ services, shown: shownBy(provider, service) }));
  return heard;
}

const shows = (provider: EndpointsProvider, service: ServiceName, addresses: readonly string[]): Promise<true> =>
  eventually(
    () => {
      assert.deepEqual(shownBy(provider, service), addresses);
      return true;
    },
    { what: `${serviceKey(service)} at ${addresses.join(', ') || 'no address'}` },
  );

/** Creates a provider, optionally with the platform disconnected. */
type SetUp = (options?: { readonly isCut?: boolean }) => Promise<ProviderUnderTest>;

/** The contract of endpoints providers. */
export function endpointsProviderContract(name: string, setUp: SetUp, can: PlatformAbilities): void {
  describe(`Endpoints from ${name}`, () => {
    answersContract(setUp);
    wordsContract(setUp, can);
    announcementsContract(setUp);
    lifeContract(setUp);
    if (can.isRemote) distanceContract(setUp, can);
  });
}

function answersContract(setUp: SetUp): void {
  it('are none for a service that is not known', async () => {
    await using test = await setUp();
    await test.provider.synced;
    assert.deepEqual(test.provider.listEndpointsForService(web), []);
    assert.deepEqual([...test.provider.listServices()], []);
  });

  it('are those that are there from the start', async () => {
    await using test = await setUp();
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await test.provider.synced;
    assert.ok(test.provider.isSynced);
    await shows(test.provider, web, ['10.0.0.1:8080']);
    assert.equal(test.provider.staleReason, undefined);
  });

  it('are added and removed, sorted and without duplicates', async () => {
    await using test = await setUp();
    const { provider } = test;
    await provider.synced;
    const first = { ip: '10.0.0.1', port: 8080 };
    const second = { ip: '10.0.0.2', port: 8080 };
    const third = { ip: 'FD00:0::3', port: 8080 };
    await test.put(web, [third, second, first, second]);
    await shows(provider, web, ['10.0.0.1:8080', '10.0.0.2:8080', 'fd00::3:8080']);
    assert.deepEqual([...provider.listServices()], ['default/web']);
    await test.put(web, [second]);
    await shows(provider, web, ['10.0.0.2:8080']);
    await test.put(web, []);
    await shows(provider, web, []);
    assert.deepEqual([...provider.listServices()], []);
  });

  it('are called by the name of their port', async () => {
    await using test = await setUp();
    await test.put(web, [{ ip: '10.0.0.1', port: 8080, portName: 'grpc' }]);
    await shows(test.provider, web, ['10.0.0.1:8080']);
    assert.equal(test.provider.listEndpointsForService(web)[0]?.portName, 'grpc');
  });
}

function wordsContract(setUp: SetUp, can: PlatformAbilities): void {
  if (can.hasNamedPorts)
    it('serve two ports of a service on one address', async () => {
      await using test = await setUp();
      const address = { ip: '10.0.0.1', port: 8080 };
      await test.put(web, [
        { ...address, portName: 'http' },
        { ...address, portName: 'grpc' },
      ]);
      await shows(test.provider, web, ['10.0.0.1:8080', '10.0.0.1:8080']);
      const names = test.provider.listEndpointsForService(web).map(({ portName }) => portName);
      assert.deepEqual(names, ['grpc', 'http']);
    });

  if (can.hasHealth)
    it('have their health', async () => {
      await using test = await setUp();
      const healthIs = (health: EndpointHealth) =>
        eventually(() => test.provider.listEndpointsForService(web)[0]?.health === health, { what: health });
      for (const health of ['healthy', 'draining', 'unhealthy', 'healthy'] as const) {
        if (health === 'draining' && can.hasDraining === false) continue;
        await test.put(web, [{ ip: '10.0.0.1', port: 8080, health }]);
        await healthIs(health);
      }
    });

  if (can.hasZones)
    it('have their place', async () => {
      await using test = await setUp();
      const { zone = 'eu-a' } = can;
      await test.put(web, [{ ip: '10.0.0.1', port: 8080, zone }]);
      await shows(test.provider, web, ['10.0.0.1:8080']);
      assert.equal(test.provider.listEndpointsForService(web)[0]?.zone, zone);
    });
}

function announcementsContract(setUp: SetUp): void {
  it('are announced to all listeners after reads show them', async () => {
    await using test = await setUp();
    await test.provider.synced;
    const [one, other] = [record(test.provider), record(test.provider)];
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await eventually(() => one.length > 0 && other.length > 0);
    assert.deepEqual(one.at(-1), { services: ['default/web'], shown: ['10.0.0.1:8080'] });
    assert.deepEqual(other, one);
  });

  it('are announced only for what changed', async () => {
    await using test = await setUp();
    const { provider } = test;
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await shows(provider, web, ['10.0.0.1:8080']);
    const heard = record(provider);
    const before = provider.listEndpointsForService(web);
    await test.touch(web);
    await test.put(api, [{ ip: '10.0.1.1', port: 8080 }]);
    await shows(provider, api, ['10.0.1.1:8080']);
    assert.deepEqual(
      heard.flatMap(({ services }) => services),
      ['default/api'],
    );
    assert.equal(provider.listEndpointsForService(web), before, 'the list is not even made anew');
  });

  it('stay the same objects while others are added and removed', async () => {
    await using test = await setUp();
    const kept = { ip: '10.0.0.1', port: 8080 };
    await test.put(web, [kept]);
    await shows(test.provider, web, ['10.0.0.1:8080']);
    const [before] = test.provider.listEndpointsForService(web);
    await test.put(web, [kept, { ip: '10.0.0.2', port: 8080 }]);
    await shows(test.provider, web, ['10.0.0.1:8080', '10.0.0.2:8080']);
    assert.equal(test.provider.listEndpointsForService(web)[0], before);
  });

  it('are announced to others when a listener throws', async () => {
    await using test = await setUp();
    await test.provider.synced;
    test.provider.subscribe(() => {
      throw new Error('a bad listener');
    });
    const heard = record(test.provider);
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await eventually(() => heard.length > 0);
  });

  it('are not announced to a listener that unsubscribed', async () => {
    await using test = await setUp();
    await test.provider.synced;
    const left: unknown[] = [];
    const unsubscribe = test.provider.subscribe(services => left.push(services));
    unsubscribe();
    unsubscribe();
    const heard = record(test.provider);
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await eventually(() => heard.length > 0);
    assert.deepEqual(left, []);
  });
}

function lifeContract(setUp: SetUp): void {
  it('are no longer announced once the provider is disposed of', async () => {
    await using test = await setUp();
    await test.provider.synced;
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await shows(test.provider, web, ['10.0.0.1:8080']);
    const heard = record(test.provider);
    await test.provider[Symbol.asyncDispose]();
    await test.put(web, []);
    assert.deepEqual(heard, []);
    assert.deepEqual(shownBy(test.provider, web), ['10.0.0.1:8080'], 'the last answer stays');
    await test.provider[Symbol.asyncDispose]();
  });
}

function distanceContract(setUp: SetUp, { isStored = false }: PlatformAbilities): void {
  const start = async (isCut = false) => {
    const test = await setUp({ isCut });
    const { link } = test;
    assert.ok(link !== undefined);
    return { ...test, link };
  };

  it('stay unchanged while the platform is not reachable, with a stale reason', async () => {
    await using test = await start();
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await shows(test.provider, web, ['10.0.0.1:8080']);
    test.link.cut();
    await eventually(() => (test.provider.staleReason ?? '') !== '', { what: 'the provider to notice' });
    await test.put(web, [{ ip: '10.0.0.2', port: 8080 }]);
    assert.deepEqual(shownBy(test.provider, web), ['10.0.0.1:8080']);
    test.link.heal();
    await shows(test.provider, web, ['10.0.0.2:8080']);
    await eventually(() => test.provider.staleReason === undefined, { what: 'the provider to be fresh again' });
  });

  it('are fresh again once the platform is back, also when nothing has changed', async () => {
    await using test = await start();
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await shows(test.provider, web, ['10.0.0.1:8080']);
    const heard = record(test.provider);
    test.link.cut();
    await eventually(() => (test.provider.staleReason ?? '') !== '', { what: 'the provider to notice' });
    test.link.heal();
    await eventually(() => test.provider.staleReason === undefined, { what: 'the provider to be fresh again' });
    assert.deepEqual(heard, []);
  });

  if (isStored) {
    it('do not delay a mesh while the platform was never read', async () => {
      await using test = await start(true);
      await test.provider.synced;
      assert.deepEqual([...test.provider.listServices()], []);
      await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
      test.link.heal();
      await shows(test.provider, web, ['10.0.0.1:8080']);
    });
    return;
  }

  it('are not synced before the platform was read once', async () => {
    await using test = await start(true);
    await eventually(() => (test.provider.staleReason ?? '') !== '', { what: 'the provider to notice' });
    assert.ok(!test.provider.isSynced);
    await test.provider[Symbol.asyncDispose]();
    await assert.rejects(test.provider.synced, { code: 'Stopped' });
  });

  it('become synced when the platform is reachable at last', async () => {
    await using test = await start(true);
    await test.put(web, [{ ip: '10.0.0.1', port: 8080 }]);
    await eventually(() => (test.provider.staleReason ?? '') !== '', { what: 'the provider to notice' });
    test.link.heal();
    await test.provider.synced;
    assert.deepEqual(shownBy(test.provider, web), ['10.0.0.1:8080']);
    await eventually(() => test.provider.staleReason === undefined, { what: 'the provider to be fresh' });
  });
}
