import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestPlane } from '@chandlery/testing';
import { InstanceRecords } from '../../instances/instance-records.ts';
import { selectInstances } from '../../instances/select-instances.ts';
import { becomes, newRecords, startInstancePlane } from '../../instances/test-instances.ts';
import { everyTenant } from '../../model/mesh-instance.ts';
import { endpointsProviderContract, type ProviderUnderTest } from '../endpoints-provider-contract.ts';
import { CutLink, quickTuning } from '../test-cut-link.ts';
import { createInstanceEndpoints } from './instance-endpoints.ts';

let plane: TestPlane;
let clusters = 0;
before(async () => {
  plane = await startInstancePlane();
});
after(() => plane[Symbol.asyncDispose]());

const all = { instances: [{ tenant: everyTenant }], clusters: ['onboarding'] };

async function setUp({ isCut = false } = {}): Promise<ProviderUnderTest> {
  const written = await newRecords(plane, `i${++clusters}`);
  const link = new CutLink(written.client, isCut);
  const records = new InstanceRecords({ client: link.client, tuning: quickTuning });
  const provider = createInstanceEndpoints({ instances: selectInstances(records, all).instances, mesh: 'shop' });
  const listens = new Map<string, Parameters<typeof written.putInstance>[2]>();
  return {
    provider,
    link,
    async put({ namespace, name }, endpoints) {
      if (endpoints.length === 0) return written.removeInstance(namespace, name);
      const at = endpoints.map(({ ip, port, portName = 'http' }) => ({ address: ip, port, name: portName }));
      listens.set(name, { listens: { endpoints: at } });
      await written.putInstance(namespace, name, { listens: { endpoints: at } });
    },
    touch: ({ namespace, name }) =>
      written.putInstance(namespace, name, { ...listens.get(name), annotations: { touched: 'yes' } }),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await records[Symbol.asyncDispose]();
    },
  };
}

endpointsProviderContract('service instances', setUp, {
  hasHealth: false,
  hasZones: false,
  hasNamedPorts: true,
  isRemote: true,
});

test('an instance has an identity only if a proxy is in front of it, in the namespace of its tenant', async () => {
  const written = await newRecords(plane, `i${++clusters}`, 'acme');
  await using records = new InstanceRecords({ client: written.client, tuning: quickTuning });
  await using provider = createInstanceEndpoints({ instances: selectInstances(records, all).instances, mesh: 'shop' });
  const service = { namespace: 'acme', name: 'db' };
  const endpoints = [{ address: '10.0.0.1', port: 5432 }];
  const shown = () =>
    provider
      .listEndpointsForService(service)
      .map(({ cluster, serviceAccount = '', accountCluster = '', source = '' }) =>
        [cluster, accountCluster, serviceAccount, source].join(' '),
      )
      .join();
  await written.putInstance('acme', 'db', { listens: { endpoints } });
  await becomes(shown, 'instances   acme/db');
  await written.putInstance('acme', 'db', { listens: { endpoints, serviceAccount: 'db-proxy' } });
  await becomes(shown, 'instances onboarding db-proxy acme/db');
  await written.putInstance('acme', 'db', { listens: { endpoints, cluster: 'east', serviceAccount: 'other/root' } });
  await becomes(shown, 'east east other/root acme/db');
  assert.deepEqual(provider.listEndpointsForService({ namespace: 'other', name: 'db' }), []);
});
