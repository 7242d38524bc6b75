import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReceivedResponse } from '../../../../domains/mesh/src/test-xds-client/test-messages.ts';
import { offer, setEndpoints, setService, setSplit } from '../support/declare-service.ts';
import { type MeshLandscape, namespace, portName, refs } from '../support/mesh-landscape.ts';
import { at, ips, tcp, toldEndpoints } from '../support/samples.ts';
import { addressesIn, namesOf } from '../support/test-proxy.ts';

/** Order and frequency of pushes. */
export function describePushing(mesh: () => MeshLandscape): void {
  describe('State of the world: pushes', () => {
    test('12. sends clusters, endpoints, listeners, routes in this order', async () => {
      await using proxy = await mesh().proxy({ account: 'web-12', stream: { autoAck: true } });
      const name = portName('books-12');
      proxy.ask('cluster', ['*']);
      proxy.ask('listener', ['*']);
      proxy.ask('endpoints', [name]);
      proxy.ask('route', [name]);
      await proxy.handled();
      const mark = proxy.stream.responses.length;
      await offer(mesh(), { name: 'books-12', from: ['web-12'], address: '10.96.0.12', endpoints: ips(1) });
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
      const name = await offer(mesh(), { ...service, from: ['web-13'] });
      await using proxy = await mesh().proxy({ account: 'web-13' });
      proxy.ask('cluster', ['*']);
      const cluster = await proxy.accept('cluster');
      proxy.ask('endpoints', [name]);
      const endpoints = await proxy.accept('endpoints');
      await setService(mesh().client, { ...service, ports: tcp });
      const changed = await proxy.accept('cluster');
      assert.notDeepEqual(changed.resources, cluster.resources);
      const again = await proxy.accept('endpoints');
      assert.deepEqual(again.resources, endpoints.resources);
      const [one, other] = [changed, again].map(response => proxy.stream.responses.indexOf(response));
      assert.ok((one ?? 0) < (other ?? 0));
    });

    test('14. retains a cluster until the routes without it are acknowledged', async () => {
      const from = ['web-14'];
      const root = await offer(mesh(), { name: 'root-14', from, endpoints: ips(1) });
      for (const [index, name] of ['old-14', 'new-14'].entries()) {
        await offer(mesh(), { name, from, endpoints: ips(2 + index) });
      }
      await setSplit(mesh().client, 'root-14', { 'old-14': 1, 'new-14': 1 });
      await using proxy = await mesh().proxy({ account: 'web-14' });
      proxy.ask('cluster', ['*']);
      await proxy.accept('cluster');
      proxy.ask('route', [root]);
      await proxy.until('route', response => {
        proxy.ack(response);
        return leadsTo(response, portName('old-14'));
      });
      const before = proxy.responses('cluster').length;

      await mesh().client.delete({ ...refs.services, namespace, name: 'old-14' });
      const routes = await proxy.until('route', response => !leadsTo(response, portName('old-14')));
      await proxy.handled();
      for (const response of proxy.responses('cluster').slice(before)) {
        assert.ok(namesOf(response).includes(portName('old-14')), 'it is still there');
        proxy.ack(response);
      }
      proxy.ack(routes);
      const left = await proxy.until('cluster', response => !namesOf(response).includes(portName('old-14')));
      assert.deepEqual(namesOf(left), [portName('new-14'), root]);
    });

    test('16. keeps one response of a type in flight, and sends the latest state after its ACK', async () => {
      const told = await toldEndpoints(mesh(), 16);
      await using proxy = told.proxy;
      await using witness = await mesh().proxy({
        account: told.account,
        nodeId: 'witness-16',
        stream: { autoAck: true },
      });
      const first = await proxy.next('endpoints');
      witness.ask('endpoints', [told.name]);
      for (const last of [2, 3, 4, 5]) {
        await setEndpoints(mesh().client, { name: told.service, endpoints: ips(last) });
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
  });
}

const leadsTo = ({ resources }: ReceivedResponse, cluster: string): boolean =>
  resources.some(({ value }) => value.includes(cluster));
