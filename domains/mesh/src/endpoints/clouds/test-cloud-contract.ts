import { isIPv6 } from 'node:net';
import { after, before } from 'node:test';
import type { Client } from '@chandlery/client';
import type { TestPlane } from '@chandlery/testing';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { MachineState } from '../../model/clouds/cloud-machine.ts';
import type { EndpointHealth } from '../../model/endpoint.ts';
import type { Cloud } from '../../ports/clouds.ts';
import {
  endpointsProviderContract,
  type PlatformEndpoint,
  type ProviderUnderTest,
} from '../endpoints-provider-contract.ts';
import type { CloudConnectOptions } from './cloud-options.ts';
import { type AccountUnderTest, cloudAccountContract, type Throttled } from './test-account-contract.ts';
import { fastRate, startCloudPlane, startCloudWorld, startFaults, startRelay } from './test-cloud-world.ts';

/** A machine of a test server. */
export interface TestMachine {
  readonly name: string;
  /** Value of the tag or label `app`. */
  readonly service: string;
  readonly ip: string;
  readonly zone: string;
  readonly health: EndpointHealth;
  /** Default: running, or stopping while it drains. */
  readonly phase?: 'starting' | 'stopped';
}

/** A server that speaks the protocol of a cloud. */
export interface TestCloudServer extends AsyncDisposable {
  readonly url: string;
  /** Replaces the machines of a service. */
  setMachines(service: string, machines: readonly TestMachine[]): void;
}

export interface TestCloud {
  readonly name: string;
  readonly create: (options: CloudConnectOptions) => Cloud;
  readonly account: Partial<CloudAccount['spec']>;
  readonly secret: Readonly<Record<string, string>>;
  readonly start: () => Promise<TestCloudServer>;
  /** Selects the machines of a service. */
  readonly select: (service: string) => object;
  /** Where machines are. */
  readonly place: { readonly region: string; readonly zone: string };
  readonly throttled: Throttled;
}

/** Runs the contracts of endpoints providers and of accounts on a test server of a cloud. */
export function cloudContract(cloud: TestCloud): void {
  let plane: TestPlane;
  let clusters = 0;
  before(async () => {
    plane = await startCloudPlane(cloud.create({}));
  });
  after(() => plane[Symbol.asyncDispose]());
  const setUp = async ({ isCut = false } = {}): Promise<ProviderUnderTest> =>
    underTest(cloud, await plane.createCluster(`c${++clusters}`), isCut);
  endpointsProviderContract(cloud.name, setUp, {
    ...{ hasHealth: true, hasZones: true, hasNamedPorts: true, isRemote: true, isStored: true },
  });
  cloudAccountContract(cloud.name, async () => accountUnderTest(cloud, await plane.createCluster(`c${++clusters}`)));
}

const machineStates: Readonly<Record<MachineState, Pick<TestMachine, 'health' | 'phase'>>> = {
  Running: { health: 'healthy' },
  Starting: { health: 'healthy', phase: 'starting' },
  Draining: { health: 'draining' },
  Unhealthy: { health: 'unhealthy' },
  Stopped: { health: 'healthy', phase: 'stopped' },
};

async function accountUnderTest(cloud: TestCloud, client: Client): Promise<AccountUnderTest> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await cloud.start());
  const faults = stack.use(await startFaults(server.url));
  const link = stack.use(await startRelay(faults.url));
  const { account, secret, place, throttled } = cloud;
  const owned = stack.move();
  return {
    ...{ client, account, secret, place, throttled, faults, link, select: cloud.select('web') },
    states: ['Running', 'Starting', 'Draining', 'Unhealthy', 'Stopped'],
    connect: onRequest => cloud.create({ endpoint: link.url, rateLimit: fastRate, onRequest }),
    setMachines: async states => {
      const machines = states.map((state, no) => ({ ...machineStates[state], ip: `10.0.0.${no + 1}` }));
      server.setMachines(
        'web',
        machines.map((machine, no) => ({ ...machine, name: `web-${no}`, service: 'web', zone: place.zone })),
      );
      return machines.map(({ ip }) => ip);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function underTest(
  cloud: TestCloud,
  client: Awaited<ReturnType<TestPlane['createCluster']>>,
  isCut: boolean,
): Promise<ProviderUnderTest> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await cloud.start());
  const link = stack.use(await startRelay(server.url, isCut));
  const options = {
    client,
    cloud: cloud.create({ endpoint: link.url, rateLimit: fastRate }),
    account: cloud.account,
    secret: cloud.secret,
  };
  const world = stack.use(await startCloudWorld(options));
  stack.use(world.startControllers());
  const resources = new Set<string>();
  const put = async (service: string, endpoints: readonly PlatformEndpoint[], address: 'private' | 'ipv6') => {
    const name = `${service}-${address}`;
    server.setMachines(
      name,
      endpoints.map((endpoint, index) => machineOf(name, endpoint, index)),
    );
    if (endpoints.length === 0) return void (resources.delete(name) && (await world.deleteResource(name)));
    const ports = [...new Map(endpoints.map(({ portName = 'http', port }) => [portName, port]))];
    const named = ports.map(([portName, port]) => ({ name: portName, port }));
    await world.putResource(name, { service, ports: named, address, ...cloud.select(name) });
    resources.add(name);
  };
  const owned = stack.move();
  return {
    provider: world.provider,
    link,
    async put({ name }, endpoints) {
      const { true: ipv6 = [], false: ipv4 = [] } = Object.groupBy(endpoints, ({ ip }) => `${isIPv6(ip)}`);
      await put(name, ipv4, 'private');
      await put(name, ipv6, 'ipv6');
    },
    touch: async ({ name }) => void (await world.touchResource(`${name}-private`)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const machineOf = (
  service: string,
  { ip, zone = 'z', health = 'healthy' }: PlatformEndpoint,
  index: number,
): TestMachine => ({
  ...{ name: `${service}-${index}`, service, ip, zone, health },
});
