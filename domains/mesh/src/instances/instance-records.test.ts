import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestPlane } from '@chandlery/testing';
import { quickTuning } from '../endpoints/test-cut-link.ts';
import { everyTenant, type InstanceSelection } from '../model/mesh-instance.ts';
import { serviceKey } from '../model/service-name.ts';
import { InstanceRecords } from './instance-records.ts';
import { selectInstances } from './select-instances.ts';
import { becomes, newRecords, startInstancePlane, type TestRecords } from './test-instances.ts';

let plane: TestPlane;
let count = 0;
before(async () => {
  plane = await startInstancePlane();
});
after(() => plane[Symbol.asyncDispose]());

interface World extends AsyncDisposable {
  readonly written: TestRecords;
  /** The accounts with access to a service, `source=account@cluster`. */
  readonly access: (service?: string) => string;
  /** Services in notifications since the last call, and `service>accounts` for changed access. */
  readonly news: () => string;
}

async function start(instances: readonly InstanceSelection[] = [{ tenant: everyTenant }]): Promise<World> {
  const written = await newRecords(plane, `r${++count}`, 'acme', 'umbrella');
  const records = new InstanceRecords({ client: written.client, tuning: quickTuning });
  await records.synced;
  const selected = selectInstances(records, { instances, clusters: ['onboarding', 'east'] });
  const told: string[] = [];
  selected.instances.subscribe(services => told.push(...services));
  selected.grants.subscribe(changes => {
    for (const [service, accounts] of changes) told.push(`${service}>${[...accounts].sort().join('+')}`);
  });
  return {
    written,
    access: (service = 'acme/db') => {
      const [namespace = '', name = ''] = service.split('/');
      return selected.grants
        .grantsTo({ namespace, name })
        .map(({ source, consumer, cluster = '*' }) => `${source}=${serviceKey(consumer)}@${cluster}`)
        .join();
    },
    news: () => told.splice(0).sort().join(' '),
    [Symbol.asyncDispose]: () => records[Symbol.asyncDispose](),
  };
}

const listens = { endpoints: [{ address: '10.0.0.1', port: 5432, name: 'postgres' }] };
const web = { service_account: 'acme/web' };

describe('access by binding', () => {
  test('begins when the binding is ready and ends with it, and only this service is announced', async () => {
    await using world = await start();
    const { written } = world;
    await written.putInstance('acme', 'db', { listens });
    await written.putInstance('acme', 'queue', { listens });
    await written.putBinding('acme', 'q', { instanceId: 'queue', bindResource: web });
    await becomes(() => world.access('acme/queue'), 'acme/q=acme/web@*');
    assert.equal(world.news(), 'acme/db acme/queue acme/queue>acme/web');
    await written.putBinding('acme', 'b', { instanceId: 'db', bindResource: web, isReady: false });
    await written.putBinding('acme', 'c', { instanceId: 'db', bindResource: { service_account: 'acme/cron' } });
    await becomes(world.access, 'acme/c=acme/cron@*');
    await written.putBinding('acme', 'b', { instanceId: 'db', bindResource: { ...web, cluster: 'east' } });
    await becomes(world.access, 'acme/b=acme/web@east,acme/c=acme/cron@*');
    await written.removeBinding('acme', 'b');
    await becomes(world.access, 'acme/c=acme/cron@*');
    assert.equal(world.news(), 'acme/db>acme/cron acme/db>acme/web acme/db>acme/web');
    await written.removeInstance('acme', 'db');
    await becomes(world.access, '');
    assert.equal(world.news(), 'acme/db acme/db>acme/cron');
  });

  test('to a shared instance comes with bindings of its references too', async () => {
    await using world = await start();
    const { written } = world;
    await written.putInstance('acme', 'db', { listens });
    await written.putBinding('acme', 'b', { instanceId: 'ref', bindResource: web });
    await written.putInstance('acme', 'ref', { spec: { referencedInstanceId: 'db' } });
    await becomes(world.access, 'acme/b=acme/web@*');
    await written.putInstance('acme', 'ref', { spec: { referencedInstanceId: 'db' }, isReady: false });
    await becomes(world.access, '');
  });

  test('is never given by another tenant, nor to another tenant', async () => {
    await using world = await start();
    const { written } = world;
    await written.putInstance('acme', 'db', { listens });
    // Ids of instances can be guessed: neither a binding nor a reference of another tenant leads there.
    await written.putBinding('umbrella', 'thief', {
      instanceId: 'db',
      bindResource: { service_account: 'umbrella/web' },
    });
    await written.putInstance('umbrella', 'ref', { spec: { referencedInstanceId: 'db' } });
    await written.putBinding('umbrella', 'by-ref', {
      instanceId: 'ref',
      bindResource: { service_account: 'umbrella/web' },
    });
    // A tenant adds nothing to the configuration of another tenant's proxies.
    await written.putBinding('acme', 'gift', { instanceId: 'db', bindResource: { service_account: 'umbrella/web' } });
    await written.putBinding('acme', 'own', { instanceId: 'db', bindResource: web });
    await becomes(world.access, 'acme/own=acme/web@*');
    assert.equal(world.access('umbrella/db'), '');
  });

  test('is in meshes that take the tenant, to accounts in the namespaces that the mesh names, on its clusters', async () => {
    await using world = await start([{ tenant: 'acme', namespaces: ['default'] }]);
    const { written } = world;
    await written.putInstance('umbrella', 'theirs', { spec: { name: 'db' }, listens });
    await written.putInstance('acme', 'db', { listens });
    const context = { platform: 'kubernetes', namespace: 'default' };
    await written.putBinding('acme', 'a', { instanceId: 'db', bindResource: { service_account: 'web' }, context });
    await written.putBinding('acme', 'b', { instanceId: 'db', bindResource: web });
    await written.putBinding('acme', 'c', {
      instanceId: 'db',
      bindResource: { service_account: 'web', cluster: 'x' },
      context,
    });
    await becomes(world.access, 'acme/a=default/web@*');
    assert.equal(world.access('umbrella/db'), '');
    assert.equal(world.news().includes('umbrella'), false);
  });
});
