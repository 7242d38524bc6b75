import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { offer, setEndpoints, setService } from './support/declare-service.ts';
import { type MeshLandscape, namespace, portName, refs, startMeshLandscape } from './support/mesh-landscape.ts';
import { addressesIn, namesOf, type TestProxy } from './support/test-proxy.ts';
import { typeStatus } from './support/type-status.ts';

const ips = (...last: readonly number[]) => last.map(each => ({ ip: `10.0.0.${each}` }));
const at = (...last: readonly number[]) => last.map(each => `10.0.0.${each}:8080`);

describe('State of the world', () => {
  let mesh: MeshLandscape;
  before(async () => {
    mesh = await startMeshLandscape();
  });
  after(() => mesh?.[Symbol.asyncDispose]());

  /** A proxy that has been told the endpoints of a service of its own, and has not answered yet. */
  async function toldEndpoints(
    no: number,
  ): Promise<{ proxy: TestProxy; service: string; name: string; account: string }> {
    const [service, account] = [`books-${no}`, `web-${no}`];
    const name = await offer(mesh, { name: service, from: [account], endpoints: ips(1) });
    const proxy = await mesh.proxy({ account });
    proxy.ask('endpoints', [name]);
    return { proxy, service, name, account };
  }

  test('1. answers the first request for endpoints without waiting for a change', async () => {
    const name = await offer(mesh, { name: 'books-1', from: ['web-1'], endpoints: ips(2, 1) });
    await using single = await mesh.proxy({ account: 'web-1', stream: { only: 'endpoints' } });
    single.ask('endpoints', [name]);
    const response = await single.next('endpoints');
    assert.deepEqual(namesOf(response), [name]);
    assert.deepEqual(addressesIn(single, response), at(1, 2));
    await using aggregated = await mesh.proxy({ account: 'web-1' });
    aggregated.ask('endpoints', [name]);
    assert.deepEqual((await aggregated.next('endpoints')).resources, response.resources);
  });

  test('2. says nothing to an ACK', async () => {
    const told = await toldEndpoints(2);
    await using proxy = told.proxy;
    await proxy.accept('endpoints');
    await proxy.handled();
    assert.equal(proxy.responses('endpoints').length, 1);
  });

  test('3. says nothing to a NACK, and shows it with its message', async () => {
    const told = await toldEndpoints(3);
    await using proxy = told.proxy;
    proxy.stream.nack(await proxy.next('endpoints'), 'no room for them');
    await proxy.handled();
    assert.equal(proxy.responses('endpoints').length, 1);
    const { state, error } = await typeStatus(mesh, told.account, 'endpoints');
    assert.equal(state, 'ERROR');
    assert.equal(error?.message, 'no room for them');
  });

  test('4. sends the next change after a NACK, and its ACK clears the error', async () => {
    const told = await toldEndpoints(4);
    await using proxy = told.proxy;
    const first = await proxy.next('endpoints');
    proxy.stream.nack(first, 'no room for them');
    await setEndpoints(mesh.client, { name: told.service, endpoints: ips(1, 2) });
    const second = await proxy.accept('endpoints');
    assert.deepEqual(addressesIn(proxy, second), at(1, 2));
    assert.notEqual(second.version, first.version);
    await proxy.handled();
    const { state, error, ackedVersion } = await typeStatus(mesh, told.account, 'endpoints');
    assert.deepEqual(
      { state, error, ackedVersion },
      { state: 'SYNCED', error: undefined, ackedVersion: second.version },
    );
  });

  test('5. ignores a request with a stale nonce', async () => {
    const told = await toldEndpoints(5);
    await using proxy = told.proxy;
    const other = await offer(mesh, { name: 'pens-5', from: [told.account], endpoints: ips(9) });
    const first = await proxy.accept('endpoints');
    await setEndpoints(mesh.client, { name: told.service, endpoints: ips(2) });
    const second = await proxy.next('endpoints');
    proxy.ask('endpoints', [told.name, other], { nonce: first.nonce, version: first.version });
    await proxy.handled();
    assert.equal(proxy.responses('endpoints').length, 2, 'the stale request is not answered');
    assert.ok((await typeStatus(mesh, told.account, 'endpoints')).isInFlight, 'nor does it count as an answer');
    proxy.ack(second, [told.name, other]);
    assert.deepEqual(namesOf(await proxy.next('endpoints')), [other]);
  });

  test('6. answers an added name at the same version', async () => {
    const told = await toldEndpoints(6);
    await using proxy = told.proxy;
    const other = await offer(mesh, { name: 'pens-6', from: [told.account], endpoints: ips(9) });
    await proxy.accept('endpoints');
    // Asked for again, so that nothing of what was just declared is still on its way.
    await using again = await mesh.proxy({ account: told.account, nodeId: 'again-6' });
    again.ask('endpoints', [told.name]);
    const first = await again.next('endpoints');
    again.ack(first, [told.name, other]);
    const second = await again.next('endpoints');
    assert.deepEqual(namesOf(second), [other]);
    assert.equal(second.version, first.version);
    assert.notEqual(second.nonce, first.nonce);
  });

  test('7. answers a name again that was removed and added', async () => {
    const told = await toldEndpoints(7);
    await using proxy = told.proxy;
    const first = await proxy.next('endpoints');
    proxy.ack(first, []);
    proxy.ack(first, [told.name]);
    const second = await proxy.next('endpoints');
    assert.deepEqual(second.resources, first.resources);
  });

  test('8. follows the wildcard of old: [] all, [*,A] all, [A] only A, [] nothing', async () => {
    const a = { name: 'a-8', endpoints: ips(1) };
    const nameA = await offer(mesh, { ...a, from: ['web-8'] });
    const nameB = await offer(mesh, { name: 'b-8', from: ['web-8'], endpoints: ips(2) });
    await using proxy = await mesh.proxy({ account: 'web-8' });
    proxy.ask('cluster', []);
    const all = await proxy.next('cluster');
    assert.deepEqual(namesOf(all), [nameA, nameB]);

    proxy.ack(all, ['*', nameA]);
    const nameC = await offer(mesh, { name: 'c-8', from: ['web-8'], endpoints: ips(3) });
    const allAndA = await proxy.until(
      'cluster',
      response => namesOf(response).includes(nameC) || (proxy.ack(response), false),
    );
    assert.deepEqual(namesOf(allAndA), [nameA, nameB, nameC], 'both the wildcard and the name hold');

    proxy.ack(allAndA, [nameA]);
    await proxy.handled();
    const leaving = proxy.responses('cluster').at(-1);
    if (leaving && leaving !== allAndA) proxy.ack(await proxy.until('cluster', response => response === leaving));
    await setService(mesh.client, { ...a, ports: tcp });
    assert.deepEqual(namesOf(await proxy.accept('cluster')), [nameA], 'only the name is told');

    const last = proxy.responses('cluster').at(-1) ?? assert.fail();
    proxy.ack(last, []);
    await proxy.handled();
    const count = proxy.responses('cluster').length;
    await using witness = await mesh.proxy({ account: 'web-8', nodeId: 'witness-8' });
    witness.ask('cluster', []);
    await witness.accept('cluster');
    await setService(mesh.client, a);
    await witness.next('cluster');
    await proxy.handled();
    assert.equal(proxy.responses('cluster').length, count, 'nothing is told to who asks for nothing');
  });

  test('9. does not take an empty list of a gRPC client for a wildcard', async () => {
    const name = await offer(mesh, { name: 'books-9', from: ['web-9'], endpoints: ips(1) });
    await offer(mesh, { name: 'pens-9', from: ['web-9'], endpoints: ips(2) });
    await using proxy = await mesh.proxy({ account: 'web-9', dialect: 'grpc' });
    for (const type of ['cluster', 'listener'] as const) proxy.ask(type, []);
    await proxy.handled();
    for (const type of ['cluster', 'listener'] as const) assert.deepEqual(proxy.responses(type), []);
    proxy.ask('cluster', [name]);
    assert.deepEqual(namesOf(await proxy.next('cluster')), [name]);
  });

  test('10. always sends all clusters; one that is removed is missing alone', async () => {
    const a = await offer(mesh, { name: 'a-10', from: ['web-10'], endpoints: ips(1) });
    await using proxy = await mesh.proxy({ account: 'web-10' });
    proxy.ask('cluster', ['*']);
    assert.deepEqual(namesOf(await proxy.accept('cluster')), [a]);
    const b = await offer(mesh, { name: 'b-10', from: ['web-10'], endpoints: ips(2) });
    assert.deepEqual(namesOf(await proxy.accept('cluster')), [a, b]);
    const c = await offer(mesh, { name: 'c-10', from: ['web-10'], endpoints: ips(3) });
    assert.deepEqual(namesOf(await proxy.accept('cluster')), [a, b, c]);
    await mesh.client.delete({ ...refs.services, namespace, name: 'b-10' });
    assert.deepEqual(namesOf(await proxy.accept('cluster')), [a, c]);
  });

  test('11. sends only the routes and endpoints that changed, and no empty response', async () => {
    const a = await offer(mesh, { name: 'a-11', from: ['web-11'], endpoints: ips(1) });
    const b = await offer(mesh, { name: 'b-11', from: ['web-11'], endpoints: ips(2) });
    await using proxy = await mesh.proxy({ account: 'web-11' });
    proxy.ask('endpoints', [a, b]);
    proxy.ask('route', [portName('nobody-11')]);
    assert.deepEqual(namesOf(await proxy.accept('endpoints')), [a, b]);
    await setEndpoints(mesh.client, { name: 'b-11', endpoints: ips(2, 3) });
    const part = await proxy.next('endpoints');
    assert.deepEqual(namesOf(part), [b]);
    proxy.ack(part, []);
    await proxy.handled();
    assert.equal(proxy.responses('endpoints').length, 2, 'leaving is not answered');
    assert.deepEqual(proxy.responses('route'), [], 'what does not exist is not answered');
    proxy.ask('route', [portName('nobody-11'), a]);
    assert.deepEqual(namesOf(await proxy.next('route')), [a]);
    for (const { resources } of proxy.stream.responses) assert.ok(resources.length > 0);
  });

  test('12. sends clusters, endpoints, listeners, routes in this order', async () => {
    await using proxy = await mesh.proxy({ account: 'web-12', stream: { autoAck: true } });
    const name = portName('books-12');
    proxy.ask('cluster', ['*']);
    proxy.ask('listener', ['*']);
    proxy.ask('endpoints', [name]);
    proxy.ask('route', [name]);
    await proxy.handled();
    const mark = proxy.stream.responses.length;
    await offer(mesh, { name: 'books-12', from: ['web-12'], address: '10.96.0.12', endpoints: ips(1) });
    await proxy.until('route', response => namesOf(response).includes(name));
    const order = ['cluster', 'endpoints', 'listener', 'route'] as const;
    const news = proxy.stream.responses.slice(mark).filter(({ resources }) => resources.length > 0);
    const firsts = order.map(type => news.findIndex(response => proxy.responses(type).includes(response)));
    assert.ok(
      firsts.every(index => index >= 0),
      `all types are told: ${firsts}`,
    );
    assert.deepEqual(
      firsts,
      firsts.toSorted((one, other) => one - other),
    );
  });

  test('13. sends endpoints again after a changed cluster, though they are equal', async () => {
    const service = { name: 'books-13', endpoints: ips(1) };
    const name = await offer(mesh, { ...service, from: ['web-13'] });
    await using proxy = await mesh.proxy({ account: 'web-13' });
    proxy.ask('cluster', ['*']);
    const cluster = await proxy.accept('cluster');
    proxy.ask('endpoints', [name]);
    const endpoints = await proxy.accept('endpoints');
    await setService(mesh.client, { ...service, ports: tcp });
    const changed = await proxy.accept('cluster');
    assert.notDeepEqual(changed.resources, cluster.resources);
    const again = await proxy.accept('endpoints');
    assert.deepEqual(again.resources, endpoints.resources);
    const [one, other] = [changed, again].map(response => proxy.stream.responses.indexOf(response));
    assert.ok((one ?? 0) < (other ?? 0));
  });

  test('15. delivers what appears after it was asked for', async () => {
    await using proxy = await mesh.proxy({ account: 'web-15' });
    const name = portName('books-15');
    for (const type of ['cluster', 'endpoints', 'route'] as const) proxy.ask(type, [name]);
    await proxy.handled();
    for (const type of ['endpoints', 'route'] as const) assert.deepEqual(proxy.responses(type), []);
    await offer(mesh, { name: 'books-15', from: ['web-15'], endpoints: ips(1) });
    const isThere = (response: { resources: readonly unknown[] }): boolean => response.resources.length > 0;
    const empty = proxy.responses('cluster').at(0);
    if (empty && !isThere(empty)) proxy.ack(empty);
    for (const type of ['cluster', 'endpoints', 'route'] as const) {
      assert.deepEqual(namesOf(await proxy.until(type, isThere)), [name]);
    }
  });

  test('16. keeps one response of a type in flight, and sends the latest state after its ACK', async () => {
    const told = await toldEndpoints(16);
    await using proxy = told.proxy;
    await using witness = await mesh.proxy({ account: told.account, nodeId: 'witness-16', stream: { autoAck: true } });
    const first = await proxy.next('endpoints');
    witness.ask('endpoints', [told.name]);
    for (const last of [2, 3, 4, 5]) {
      await setEndpoints(mesh.client, { name: told.service, endpoints: ips(last) });
      await witness.until('endpoints', response => addressesIn(witness, response)[0] === at(last)[0]);
    }
    await proxy.handled();
    assert.equal(proxy.responses('endpoints').length, 1);
    proxy.ack(first);
    const second = await proxy.accept('endpoints');
    assert.deepEqual(addressesIn(proxy, second), at(5));
    await proxy.handled();
    assert.equal(proxy.responses('endpoints').length, 2, 'what was in between is left out');
  });

  test('17. answers a client that reconnects with an old version and no nonce', async () => {
    const told = await toldEndpoints(17);
    await using proxy = told.proxy;
    const first = await proxy.accept('endpoints');
    await using again = await mesh.proxy({ account: told.account, nodeId: 'again-17' });
    again.ask('endpoints', [told.name], { version: first.version });
    assert.deepEqual((await again.next('endpoints')).resources, first.resources);
    await using remembers = await mesh.proxy({ account: told.account, nodeId: 'remembers-17' });
    remembers.ask('endpoints', [told.name], { version: first.version, nonce: first.nonce });
    assert.deepEqual((await remembers.next('endpoints')).resources, first.resources, 'nor does an old nonce matter');
  });

  test('18. never takes an old version for the present one after a restart', async () => {
    const told = await toldEndpoints(18);
    const seen = new Map<string, string>();
    {
      await using proxy = told.proxy;
      proxy.ask('cluster', ['*']);
      for (const last of [2, 3]) {
        const response = await proxy.accept('endpoints');
        seen.set(response.version, addressesIn(proxy, response).join());
        await setEndpoints(mesh.client, { name: told.service, endpoints: ips(last) });
      }
    }
    const versions = [...seen.keys()];
    await mesh.landscape.restart();
    await setEndpoints(mesh.client, { name: told.service, endpoints: ips(4) });
    await using proxy = await eventually(() => mesh.proxy({ account: told.account }));
    for (const [index, version] of versions.entries()) {
      await using old = await mesh.proxy({ account: told.account, nodeId: `old-${index}` });
      old.ask('endpoints', [told.name], { version });
      const response = await old.until(
        'endpoints',
        each => addressesIn(old, each).join() === at(4).join() || (old.ack(each), false),
      );
      assert.ok(!seen.has(response.version), 'other content has another version');
    }
    proxy.ask('cluster', ['*'], { version: versions[0] ?? '' });
    assert.deepEqual(namesOf(await proxy.next('cluster')), [told.name]);
  });
});

/** The same port, and so the same endpoints, but another way to speak to it. */
const tcp = [{ name: 'http', port: 80, targetPort: 8080, appProtocol: 'tcp' }];
