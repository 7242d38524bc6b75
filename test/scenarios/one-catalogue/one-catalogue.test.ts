import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { eventually, findEnvoy } from '@chandlery/testing';
import pg from 'pg';
import { type CatalogueWorld, offerings, type Row, startCatalogueWorld, tenant } from './support/catalogue-world.ts';
import { callerAccount, startInstanceCaller } from './support/instance-caller.ts';

const patience = { timeoutMs: 120_000 };
const envoy = await findEnvoy();
const dinosaurs = '/api/dinosaurs_mgmt/v1/dinosaurs';
const postgres = 'postgres.services.open-control-plane.io/v1alpha1';

/** Three offerings of three domains, each bought through four APIs: twelve instances that every API shows. */
describe('One catalogue', () => {
  let world: CatalogueWorld;
  /** The ids of instances by how they were ordered. */
  const ordered = {
    osb: { database: '', product: '', workflow: '' },
    kubectl: { database: '', product: '', workflow: '' },
    rest: { database: '', product: '', workflow: '' },
    cli: { database: '', product: '', workflow: '' },
  };

  before(async () => {
    world = await startCatalogueWorld();
  });
  after(() => world?.[Symbol.asyncDispose]());

  const onShop = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await world.cluster.kubectl(args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const rowNamed = (name: string): Promise<Row> =>
    eventually(
      async () => (await world.instances()).find(row => row.name === name) ?? assert.fail(`there is no ${name}`),
      { ...patience, what: `the instance ${name}` },
    );
  const idsOf = (way: (typeof ordered)[keyof typeof ordered]) => Object.values(way);

  it('is sold to a proxied Kubernetes, over the Open Service Broker API', async () => {
    for (const [kind, { offering, plan, parameters }] of Object.entries(offerings)) {
      const object = {
        apiVersion: 'services.chandlery.io/v1alpha1',
        kind: 'ServiceInstance',
        metadata: { name: `${kind}-osb`, namespace: 'default' },
        spec: { offering, plan, parameters },
      };
      await eventually(
        async () => {
          const { code, stderr } = await world.cluster.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(object) });
          assert.equal(code, 0, stderr);
          return true;
        },
        { ...patience, what: 'the kinds of the proxy' },
      );
    }
    for (const kind of ['database', 'product', 'workflow'] as const) {
      const name = `serviceinstance/${kind}-osb`;
      await onShop('wait', '--for=condition=Ready', name, '--timeout=120s');
      ordered.osb[kind] = await onShop('get', name, '-o', 'jsonpath={.status.externalId}');
    }
  });

  it('is sold with kubectl, as the kind of the domain and as the one kind for all', async () => {
    const { buyer, service } = world;
    await buyer.apply({
      apiVersion: postgres,
      kind: 'PostgresDatabase',
      metadata: { name: 'database-kubectl', namespace: tenant },
      spec: { version: '17' },
    });
    await buyer.apply({
      apiVersion: 'brokers.chandlery.io/v1alpha1',
      kind: 'ServiceInstance',
      metadata: { name: 'product-kubectl', namespace: tenant },
      spec: { offeringName: 'dinosaurs', planName: 'standard.x1' },
    });
    await buyer.apply({
      apiVersion: 'orders.chandlery.io/v1alpha1',
      kind: 'Order',
      metadata: { name: randomUUID(), namespace: tenant },
      spec: { service, name: 'workflow-kubectl', parameters: [{ name: 'who', value: 'kubectl' }] },
    });
    ordered.kubectl.database = (await rowNamed('database-kubectl')).id;
    ordered.kubectl.product = 'product-kubectl';
    ordered.kubectl.workflow = (await rowNamed('workflow-kubectl')).id;
  });

  it('is sold over REST: of the service manager, of the fleet, and of orders', async () => {
    const { request, service } = world;
    const names = { service_offering_name: 'postgresdatabase', service_plan_name: 'default' };
    await request('/v1/service_instances?async=true', {
      body: { name: 'database-rest', ...names, parameters: { version: '17' } },
    });
    ordered.rest.database = (await rowNamed('database-rest')).id;
    const token = await world.fleetToken();
    const product = await request<{ id: string }>(`${dinosaurs}?async=true`, { token, body: { name: 'product-rest' } });
    ordered.rest.product = product.id;
    const body = { service, name: 'workflow-rest', parameters: [{ name: 'who', value: 'rest' }] };
    const order = await request<{ id: string }>('/1/orders', { body });
    ordered.rest.workflow = order.id.replace(/^.*:/, '');
  });

  it('is sold on the command line', async () => {
    const order = async (name: string, ...args: readonly string[]): Promise<string> => {
      const all = ['order', 'create', ...args, '-n', tenant, '--name', name, '-o', 'name'];
      return (await world.cli(...all)).trim().replace(/^.*:/, '');
    };
    ordered.cli.database = await order('database-cli', 'postgresdatabase', '-p', 'version=17');
    ordered.cli.product = await order('product-cli', 'dinosaurs', '--plan', 'standard.x1');
    ordered.cli.workflow = await order('workflow-cli', 'report', '-p', 'who=cli');
  });

  const untilTwelve = async (): Promise<readonly string[]> => {
    const twelve = Object.values(ordered).flatMap(idsOf).sort();
    assert.equal(new Set(twelve).size, 12, JSON.stringify(ordered));
    await eventually(
      async () => {
        const rows = await world.instances();
        assert.deepEqual(rows.map(({ id }) => id).sort(), twelve);
        assert.deepEqual(
          rows.filter(({ ready }) => !ready).map(({ name }) => name),
          [],
        );
        return true;
      },
      { ...patience, what: 'twelve ready instances' },
    );
    return twelve;
  };

  it('has twelve instances in the service manager, with kubectl and on the command line', async () => {
    const twelve = await untilTwelve();
    const objects = await world.buyer.list('serviceinstances.brokers.chandlery.io', '-n', tenant);
    assert.deepEqual(objects.map(({ metadata }) => metadata.name).sort(), twelve);
    const listed = JSON.parse(await world.cli('list-instances', '--tenant', tenant, '-o', 'json')) as { items: Row[] };
    assert.deepEqual(listed.items.map(({ id }) => id).sort(), twelve);
  });

  it('has four instances of each domain in its own API', async () => {
    const products = Object.values(ordered).map(({ product }) => product);
    const token = await world.fleetToken();
    const { items } = await world.request<{ items: { id: string }[] }>(dinosaurs, { token });
    assert.deepEqual(items.map(({ id }) => id).sort(), products.sort());
    const orders = await world.request<{ items: { id: string }[] }>('/1/orders');
    assert.deepEqual(
      orders.items.map(({ id }) => id.replace(/^.*:/, '')).sort(),
      Object.values(ordered)
        .map(({ workflow }) => workflow)
        .sort(),
    );
    assert.equal((await world.buyer.list('postgresdatabases', '-n', tenant)).length, 4);
  });

  it('says who ordered what was not ordered here', async () => {
    const rows = await world.instances();
    const labelsOf = (id: string) => rows.find(row => row.id === id)?.labels ?? {};
    assert.deepEqual(labelsOf(ordered.rest.product), { ordered_through: ['fleet'], ordered_by: ['alice'] });
    assert.deepEqual(labelsOf(ordered.kubectl.database), { ordered_through: ['providers'] });
    assert.deepEqual(labelsOf(ordered.rest.workflow)['ordered_through'], ['orders']);
    assert.equal(rows.filter(({ platform_id }) => platform_id === world.platformId).length, 3);
  });

  it('gives connections to bindings of every API', async () => {
    const { buyer, request, cli } = world;
    await onShop('wait', '--for=condition=Ready', 'serviceinstance/database-osb', '--timeout=60s');
    const binding = {
      apiVersion: 'services.chandlery.io/v1alpha1',
      kind: 'ServiceBinding',
      metadata: { name: 'database-osb', namespace: 'default' },
      spec: { instance: 'database-osb' },
    };
    const inMesh = { ...binding, metadata: { name: 'product-osb', namespace: 'default' } };
    await onShop('wait', '--for=condition=Ready', 'serviceinstance/product-osb', '--timeout=60s');
    const spec = { instance: 'product-osb', serviceAccountName: 'web' };
    const ofProduct = { stdin: JSON.stringify({ ...inMesh, spec }) };
    assert.equal((await world.cluster.kubectl(['apply', '-f', '-'], ofProduct)).code, 0);
    const applied = await world.cluster.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(binding) });
    assert.equal(applied.code, 0, applied.stderr);
    await onShop('wait', '--for=condition=Ready', 'servicebinding/database-osb', '--timeout=60s');
    const uri = await onShop('get', 'secret', 'database-osb', '-o', 'jsonpath={.data.uri}');
    assert.deepEqual(await query(Buffer.from(uri, 'base64').toString()), [{ answer: 7 }]);

    const body = { name: 'by-rest', service_instance_id: ordered.kubectl.database };
    await request('/v1/service_bindings?async=false', { body });
    await cli('bind', 'product-rest', 'by-cli', '--tenant', tenant, '--wait');
    const product = JSON.parse(await cli('get-binding', 'by-cli', '--tenant', tenant, '-o', 'json')) as Bound;
    assert.match(product.credentials.host ?? '', /product/);
    await buyer.apply({
      apiVersion: 'brokers.chandlery.io/v1alpha1',
      kind: 'ServiceBinding',
      metadata: { name: 'by-kubectl', namespace: tenant },
      spec: { instanceId: ordered.cli.workflow },
    });
    await buyer.run('wait', '-n', tenant, '--for=condition=Ready', 'sbd/by-kubectl', '--timeout=60s');
    const order = await buyer.find('secret', 'binding-by-kubectl', tenant);
    assert.match(Buffer.from(order?.data?.['order'] ?? '', 'base64').toString(), /^"?urn:ivcap:order:/);
  });

  it('can be called through the mesh with bindings, of tenants and of platforms', {
    skip: envoy.path === undefined && envoy.reason,
  }, async () => {
    const { buyer, cli } = world;
    await using caller = await startInstanceCaller(world, envoy.path ?? '');
    const database = { service: 'database-kubectl', port: 'postgres' };
    const product = { service: 'product-rest', port: 'https' };
    await caller.declare(database);
    await caller.declare(product);
    const uri = Buffer.from(await onShop('get', 'secret', 'database-osb', '-o', 'jsonpath={.data.uri}'), 'base64');
    const asDatabase = () => query(caller.reach(database, uri.toString()));
    const asProduct = () => caller.fetch(product);
    await assert.rejects(asDatabase(), 'it is denied without a binding');
    await assert.rejects(asProduct(), 'it is denied without a binding');

    const bindResource = { service_account: callerAccount };
    const metadata = { name: 'in-mesh', namespace: tenant };
    const spec = { instanceId: ordered.kubectl.database, bindResource };
    await buyer.apply({ apiVersion: 'brokers.chandlery.io/v1alpha1', kind: 'ServiceBinding', metadata, spec });
    await eventually(asDatabase, { ...patience, what: 'the database through the mesh' });
    await assert.rejects(asProduct(), 'access to one instance is not access to another one');
    await cli('bind', 'product-rest', 'in-mesh', '--consumer', callerAccount, '--tenant', tenant, '--wait');
    await eventually(asProduct, { ...patience, what: 'the product through the mesh' });
    const traced = await cli('trace', 'serviceinstance/product-rest', '-n', tenant, '-o', 'wide');
    assert.match(traced, /MeshAccess\/web \(acme\) +✔ ready/, traced);
    assert.match(traced, /Proxy\/acme-web +✔ ready/, traced);

    await buyer.run('delete', 'sbd', 'in-mesh', '-n', tenant, '--timeout=60s');
    await cli('unbind', 'product-rest', 'in-mesh', '--tenant', tenant, '-f', '--wait');
    for (const call of [asDatabase, asProduct])
      await eventually(
        () =>
          call().then(
            () => undefined,
            () => true,
          ),
        { ...patience, what: 'the end of access' },
      );
    const onPlatform = (account: string) => caller.verdictOnPlatform(account, ordered.osb.product);
    assert.deepEqual([await onPlatform('default/web'), await onPlatform('default/other')], ['allowed', 'denied']);
  });

  it('lets an instance be shared, whichever API has made it', async () => {
    const { request, cli } = world;
    for (const id of [ordered.kubectl.database, ordered.rest.product, ordered.cli.workflow]) {
      await request(`/v1/service_instances/${id}`, { method: 'PATCH', body: { shared: true } });
      const name = `shared-${id.slice(0, 6)}`;
      const { offering } = Object.values(offerings)[[ordered.kubectl.database, ordered.rest.product].indexOf(id)] ?? {
        offering: 'report',
      };
      const parameters = JSON.stringify({ referenced_instance_id: id });
      await cli('provision', name, offering, 'reference-instance', '--tenant', tenant, '-c', parameters, '--wait');
      await cli('bind', name, 'shared', '--tenant', tenant, '--wait');
      await cli('unbind', name, 'shared', '--tenant', tenant, '-f', '--wait');
      await cli('deprovision', name, '--tenant', tenant, '-f', '--wait');
      await request(`/v1/service_instances/${id}`, { method: 'PATCH', body: { shared: false } });
    }
  });

  it('has the same instances after the server was killed', async () => {
    await world.landscape.kill9();
    await world.landscape.restart();
    const uri = Buffer.from(await onShop('get', 'secret', 'database-osb', '-o', 'jsonpath={.data.uri}'), 'base64');
    await eventually(() => query(uri.toString()), { ...patience, what: 'the database server' });
    await untilTwelve();
  });

  it('takes everything back through another API than it was ordered with', async () => {
    const { buyer, request, cli } = world;
    // Over OSB; back with kubectl, as objects of the domains. The platform then gets 410 for them.
    const databases = await buyer.list('postgresdatabases', '-n', tenant);
    const ofShop = databases.find(
      ({ metadata }) => metadata.annotations?.['osb.chandlery.io/instance-id'] === ordered.osb.database,
    );
    assert.ok(ofShop);
    await buyer.run('delete', 'postgresdatabase', ofShop.metadata.name, '-n', tenant, '--timeout=60s');
    await buyer.run('delete', 'fleetinstance', ordered.osb.product, '-n', 'fleet', '--timeout=60s');
    await buyer.run('delete', 'orders.orders.chandlery.io', ordered.osb.workflow, '-n', tenant, '--timeout=60s');
    // With kubectl; back on the command line, with their bindings.
    for (const name of ['database-kubectl', 'workflow-kubectl'])
      await cli('deprovision', name, '--tenant', tenant, '-f', '--force-delete', '--wait');
    await cli('deprovision', 'product-kubectl', '--tenant', tenant, '-f', '--wait');
    // Over REST; back with kubectl, as the one kind for all.
    await buyer.run('delete', 'sbd', '-n', tenant, '--all', '--timeout=60s');
    for (const id of idsOf(ordered.rest)) await buyer.run('delete', 'si', id, '-n', tenant, '--timeout=60s');
    // On the command line; back over REST.
    for (const id of [ordered.cli.database, ordered.cli.workflow])
      await request(`/v1/service_instances/${id}?async=false`, { method: 'DELETE' });
    const product = await buyer.find('fleetinstance', ordered.cli.product, 'fleet');
    const token = await world.fleetToken(String(product?.spec?.['owner']));
    await request(`${dinosaurs}/${ordered.cli.product}?async=true`, { method: 'DELETE', token }, [202]);
    // The platform deletes its objects too.
    await onShop('delete', 'servicebindings,serviceinstances', '--all', '--timeout=60s');
  });

  it('leaves nothing behind', async () => {
    await eventually(
      async () => {
        assert.deepEqual(await world.instances(), []);
        for (const kind of ['si', 'sbd', 'postgresdatabases', 'orders.orders.chandlery.io'])
          assert.deepEqual(await world.buyer.list(kind, '-n', tenant), [], kind);
        assert.deepEqual(await world.buyer.list('fleetinstances', '-A'), []);
        assert.equal((await world.request<{ items: unknown[] }>('/1/orders')).items.length, 0);
        assert.equal(await onShop('get', 'serviceinstances', '-o', 'name'), '');
        return true;
      },
      { ...patience, what: 'nothing is left' },
    );
  });
});

interface Bound {
  readonly credentials: Readonly<Record<string, string>>;
}

async function query(uri: string): Promise<unknown[]> {
  const client = new pg.Client(uri);
  await client.connect();
  try {
    return (await client.query('SELECT 7 AS answer')).rows as unknown[];
  } finally {
    await client.end();
  }
}
