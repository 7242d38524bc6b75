import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { findCondition } from '@chandlery/runtime';
import { eventually, startTestPlane, type TestPlane } from '@chandlery/testing';
import { startMachineSetController } from '../../controllers/machine-sets/start-machine-set-controller.ts';
import { type VirtualMachineSet, virtualMachineSets } from '../../kinds/virtual-machine-set.ts';
import type { ServiceName } from '../../model/service-name.ts';
import { endpointsProviderContract, type ProviderUnderTest } from '../endpoints-provider-contract.ts';
import { CutLink, quickTuning } from '../test-cut-link.ts';
import { createVirtualMachineEndpoints } from './virtual-machine-endpoints.ts';

let plane: TestPlane;
let clusters = 0;
before(async () => {
  plane = await startTestPlane({ kinds: [virtualMachineSets.declaration] });
});
after(() => plane[Symbol.asyncDispose]());

const nextClient = (): Promise<Client> => plane.createCluster(`v${++clusters}`);
const refOf = (name: string) => ({ ...virtualMachineSets.ref, namespace: 'default', name });

/** Fields with defaults may be left out. */
async function putSet(client: Client, name: string, spec: object): Promise<void> {
  const body = { ...virtualMachineSets.object({ name, namespace: 'default' }, {}), spec };
  await client.patch(refOf(name), { type: 'apply', body, force: true }, { fieldManager: 'test' });
}

describe('A machine whose proxy has disconnected', () => {
  const identity = { namespace: 'default', serviceAccount: 'web' };

  it('is unhealthy, unless no healthy one would be left, and healthy when it is back', async () => {
    const client = await nextClient();
    const presence = { graceMs: 1 };
    await using provider = createVirtualMachineEndpoints({ client, tuning: quickTuning, presence });
    await putSet(client, 'web', {
      machines: [1, 2].map(no => ({ id: `vm-${no}`, addresses: [`10.0.0.${no}`] })),
      services: [
        { name: 'web', ports: [{ name: 'http', port: 80 }], machines: ['vm-1', 'vm-2'], serviceAccount: 'web' },
      ],
    });
    const service = { namespace: 'default', name: 'web' };
    const healths = () => provider.listEndpointsForService(service).map(({ health }) => health);
    const become = (...wanted: string[]) =>
      eventually(() => JSON.stringify(healths()) === JSON.stringify(wanted), { what: wanted.join() });
    const connect = (no: number) =>
      provider.presence.connect({ identity: { ...identity, proxyId: `vm-${no}` }, peer: `10.0.0.${no}:1` });
    await become('healthy', 'healthy');
    const [first, second] = [connect(1), connect(2)];
    first[Symbol.dispose]();
    await become('unhealthy', 'healthy');
    second[Symbol.dispose]();
    await become('healthy', 'healthy');
    connect(2);
    await become('unhealthy', 'healthy');
    connect(1);
    await become('healthy', 'healthy');
  });
});

const stateOf = { healthy: 'Running', draining: 'Draining', unhealthy: 'Stopped' } as const;

async function setUp({ isCut = false } = {}): Promise<ProviderUnderTest> {
  const client = await nextClient();
  const link = new CutLink(client, isCut);
  const provider = createVirtualMachineEndpoints({ client: link.client, tuning: quickTuning });
  return {
    provider,
    link,
    async put({ name }, endpoints) {
      if (endpoints.length === 0)
        return void (await client
          .delete(refOf(name))
          .catch((thrown: unknown) => assert.ok(isError(thrown, 'NotFound'))));
      const machines = endpoints.map(({ ip, health = 'healthy', zone }, index) => ({
        id: `/machines/${name}/${index}`,
        addresses: [ip],
        state: stateOf[health],
        ...(zone && { zone }),
      }));
      const ports = [...new Map(endpoints.map(({ portName = 'http', port }) => [portName, port]))];
      const named = ports.map(([portName, port]) => ({ name: portName, port }));
      await putSet(client, name, {
        machines,
        services: [{ name, ports: named, machines: machines.map(({ id }) => id) }],
      });
    },
    async touch({ name }) {
      await client.patch(refOf(name), { type: 'merge', body: { metadata: { annotations: { touched: 'yes' } } } });
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

endpointsProviderContract('virtual machines', setUp, {
  hasHealth: true,
  hasZones: true,
  hasNamedPorts: true,
  isRemote: true,
});

const web: ServiceName = { namespace: 'default', name: 'web' };
const scaleSet = '/subscriptions/e3f0/resourceGroups/mesh-rg/providers/Microsoft.Compute/virtualMachineScaleSets/baz';
const served = {
  name: 'web',
  ports: [{ name: 'http', port: 8080 }],
  machines: [scaleSet],
  serviceAccount: 'shopkeeper',
};

async function start() {
  const client = await nextClient();
  const provider = createVirtualMachineEndpoints({ client, cluster: 'onboarding', tuning: quickTuning });
  await provider.synced;
  return { client, provider, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
}

describe('Endpoints on machines', () => {
  it('are all addresses behind a resource id, with what is known of it', async () => {
    await using test = await start();
    const machine = { id: scaleSet, addresses: ['10.1.0.4', '10.1.0.5'], zone: '1', weight: 3 };
    await putSet(test.client, 'azure', {
      cloud: 'azure-west',
      region: 'westeurope',
      machines: [machine],
      services: [served],
    });
    await eventually(() => test.provider.listEndpointsForService(web).length === 2);
    assert.deepEqual(test.provider.listEndpointsForService(web)[0], {
      ip: '10.1.0.4',
      port: 8080,
      portName: 'http',
      health: 'healthy',
      cluster: 'azure-west',
      region: 'westeurope',
      zone: '1',
      weight: 3,
      serviceAccount: 'shopkeeper',
      accountCluster: 'onboarding',
      source: scaleSet,
    });
  });

  it('may be on machines of another set of the namespace', async () => {
    await using test = await start();
    await putSet(test.client, 'services', { services: [served] });
    await putSet(test.client, 'machines', { machines: [{ id: scaleSet, addresses: ['10.1.0.4'] }] });
    await eventually(() => test.provider.listEndpointsForService(web).length === 1);
    await test.client.delete(refOf('machines'));
    await eventually(() => test.provider.listEndpointsForService(web).length === 0);
  });
});

describe('The status of a VirtualMachineSet', () => {
  const readyOf = async (client: Client, name: string) => {
    const set = await client.get<VirtualMachineSet>(refOf(name));
    const { status, reason, message } = findCondition(set, 'Ready') ?? {};
    return { status, reason, message, endpoints: set.status?.endpoints };
  };
  const becomes = (client: Client, name: string, expected: object) =>
    eventually(async () => {
      assert.deepEqual(await readyOf(client, name), expected);
      return true;
    });

  it('names unknown machines, until they are declared', async () => {
    const client = await nextClient();
    await using _controller = startMachineSetController({ client });
    await putSet(client, 'services', { services: [{ ...served, machines: ['b', 'a'] }] });
    const message = 'no machine has the id "a", "b"; see spec.machines of the sets in this namespace';
    await becomes(client, 'services', { status: 'False', reason: 'UnknownMachines', message, endpoints: 0 });
    const machines = ['a', 'b'].map((id, index) => ({ id, addresses: [`10.1.0.${index + 1}`] }));
    await putSet(client, 'machines', { machines });
    await becomes(client, 'services', { status: 'True', reason: 'Resolved', message: '', endpoints: 2 });
  });

  it('names what cannot be as it is', async () => {
    const client = await nextClient();
    await using _controller = startMachineSetController({ client });
    await putSet(client, 'bad', { machines: [{ id: 'a', addresses: ['web.test'] }] });
    const message = 'spec.machines[0].addresses[0]: "web.test" is not the IP address of a machine';
    await becomes(client, 'bad', { status: 'False', reason: 'InvalidSet', message, endpoints: 0 });
  });

  it('is validated by the schema first', async () => {
    const client = await nextClient();
    const twice = [
      { id: 'a', addresses: ['10.0.0.1'] },
      { id: 'a', addresses: ['10.0.0.2'] },
    ];
    await assert.rejects(putSet(client, 'bad', { machines: twice }));
    await assert.rejects(putSet(client, 'bad', { machines: [{ id: 'a', addresses: [], state: 'Asleep' }] }));
    await assert.rejects(putSet(client, 'bad', { services: [{ ...served, ports: [{ name: 'http', port: 0 }] }] }));
  });
});
