import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offer, setEndpoints, setService } from '../support/declare-service.ts';
import { type MeshLandscape, namespace, portName, refs } from '../support/mesh-landscape.ts';
import { ips, tcp } from '../support/samples.ts';
import { namesOf } from '../support/test-proxy.ts';

/** Meaning of names, and content of responses. */
export function describeSubscribing(mesh: () => MeshLandscape): void {
  describe('State of the world: subscriptions', () => {
    test('8. follows the wildcard of old: [] all, [*,A] all, [A] only A, [] nothing', async () => {
      const a = { name: 'a-8', endpoints: ips(1) };
      const nameA = await offer(mesh(), { ...a, from: ['web-8'] });
      const nameB = await offer(mesh(), { name: 'b-8', from: ['web-8'], endpoints: ips(2) });
      await using proxy = await mesh().proxy({ account: 'web-8' });
      proxy.ask('cluster', []);
      const all = await proxy.next('cluster');
      assert.deepEqual(namesOf(all), [nameA, nameB]);

      proxy.ack(all, ['*', nameA]);
      const nameC = await offer(mesh(), { name: 'c-8', from: ['web-8'], endpoints: ips(3) });
      const allAndA = await proxy.until(
        'cluster',
        response => namesOf(response).includes(nameC) || (proxy.ack(response), false),
      );
      assert.deepEqual(namesOf(allAndA), [nameA, nameB, nameC], 'both the wildcard and the name hold');

      proxy.ack(allAndA, [nameA]);
      await proxy.handled();
      const leaving = proxy.responses('cluster').at(-1);
      if (leaving && leaving !== allAndA) proxy.ack(await proxy.until('cluster', response => response === leaving));
      await setService(mesh().client, { ...a, ports: tcp });
      assert.deepEqual(namesOf(await proxy.accept('cluster')), [nameA], 'only the name is told');

      const last = proxy.responses('cluster').at(-1) ?? assert.fail();
      proxy.ack(last, []);
      await proxy.handled();
      const count = proxy.responses('cluster').length;
      await using witness = await mesh().proxy({ account: 'web-8', nodeId: 'witness-8' });
      witness.ask('cluster', []);
      await witness.accept('cluster');
      await setService(mesh().client, a);
      await witness.next('cluster');
      await proxy.handled();
      assert.equal(proxy.responses('cluster').length, count, 'nothing is told to who asks for nothing');
    });

    test('9. does not treat an empty list of a gRPC client as a wildcard', async () => {
      const name = await offer(mesh(), { name: 'books-9', from: ['web-9'], endpoints: ips(1) });
      await offer(mesh(), { name: 'pens-9', from: ['web-9'], endpoints: ips(2) });
      await using proxy = await mesh().proxy({ account: 'web-9', dialect: 'grpc' });
      for (const type of ['cluster', 'listener'] as const) proxy.ask(type, []);
      await proxy.handled();
      for (const type of ['cluster', 'listener'] as const) assert.deepEqual(proxy.responses(type), []);
      proxy.ask('cluster', [name]);
      assert.deepEqual(namesOf(await proxy.next('cluster')), [name]);
    });

    test('10. always sends all clusters; one that is removed is missing alone', async () => {
      const a = await offer(mesh(), { name: 'a-10', from: ['web-10'], endpoints: ips(1) });
      await using proxy = await mesh().proxy({ account: 'web-10' });
      proxy.ask('cluster', ['*']);
      assert.deepEqual(namesOf(await proxy.accept('cluster')), [a]);
      const b = await offer(mesh(), { name: 'b-10', from: ['web-10'], endpoints: ips(2) });
      assert.deepEqual(namesOf(await proxy.accept('cluster')), [a, b]);
      const c = await offer(mesh(), { name: 'c-10', from: ['web-10'], endpoints: ips(3) });
      assert.deepEqual(namesOf(await proxy.accept('cluster')), [a, b, c]);
      await mesh().client.delete({ ...refs.services, namespace, name: 'b-10' });
      assert.deepEqual(namesOf(await proxy.accept('cluster')), [a, c]);
    });

    test('11. sends only the routes and endpoints that changed, and no empty response', async () => {
      const a = await offer(mesh(), { name: 'a-11', from: ['web-11'], endpoints: ips(1) });
      const b = await offer(mesh(), { name: 'b-11', from: ['web-11'], endpoints: ips(2) });
      await using proxy = await mesh().proxy({ account: 'web-11' });
      proxy.ask('endpoints', [a, b]);
      proxy.ask('route', [portName('nobody-11')]);
      assert.deepEqual(namesOf(await proxy.accept('endpoints')), [a, b]);
      await setEndpoints(mesh().client, { name: 'b-11', endpoints: ips(2, 3) });
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

    test('15. delivers a resource that is created after it was requested', async () => {
      await using proxy = await mesh().proxy({ account: 'web-15' });
      const name = portName('books-15');
      for (const type of ['cluster', 'endpoints', 'route'] as const) proxy.ask(type, [name]);
      await proxy.handled();
      for (const type of ['endpoints', 'route'] as const) assert.deepEqual(proxy.responses(type), []);
      await offer(mesh(), { name: 'books-15', from: ['web-15'], endpoints: ips(1) });
      const isThere = (response: { resources: readonly unknown[] }): boolean => response.resources.length > 0;
      const empty = proxy.responses('cluster').at(0);
      if (empty && !isThere(empty)) proxy.ack(empty);
      for (const type of ['cluster', 'endpoints', 'route'] as const) {
        assert.deepEqual(namesOf(await proxy.until(type, isThere)), [name]);
      }
    });
  });
}
