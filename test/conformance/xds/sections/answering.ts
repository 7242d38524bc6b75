import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offer, setEndpoints } from '../support/declare-service.ts';
import { type MeshLandscape } from '../support/mesh-landscape.ts';
import { at, ips, toldEndpoints } from '../support/samples.ts';
import { addressesIn, namesOf } from '../support/test-proxy.ts';
import { typeStatus } from '../support/type-status.ts';

/** Responses of a stream. */
export function describeAnswering(mesh: () => MeshLandscape): void {
  describe('State of the world: responses', () => {
    test('1. responds to the first request for endpoints without waiting for a change', async () => {
      const name = await offer(mesh(), { name: 'books-1', from: ['web-1'], endpoints: ips(2, 1) });
      await using single = await mesh().proxy({ account: 'web-1', stream: { only: 'endpoints' } });
      single.ask('endpoints', [name]);
      const response = await single.next('endpoints');
      assert.deepEqual(namesOf(response), [name]);
      assert.deepEqual(addressesIn(single, response), at(1, 2));
      await using aggregated = await mesh().proxy({ account: 'web-1' });
      aggregated.ask('endpoints', [name]);
      assert.deepEqual((await aggregated.next('endpoints')).resources, response.resources);
    });

    test('2. does not respond to an ACK', async () => {
      const told = await toldEndpoints(mesh(), 2);
      await using proxy = told.proxy;
      await proxy.accept('endpoints');
      await proxy.handled();
      assert.equal(proxy.responses('endpoints').length, 1);
    });

    test('3. does not respond to a NACK, and shows it with its message', async () => {
      const told = await toldEndpoints(mesh(), 3);
      await using proxy = told.proxy;
      proxy.stream.nack(await proxy.next('endpoints'), 'no room for them');
      await proxy.handled();
      assert.equal(proxy.responses('endpoints').length, 1);
      const { state, error } = await typeStatus(mesh(), told.account, 'endpoints');
      assert.equal(state, 'ERROR');
      assert.equal(error?.message, 'no room for them');
    });

    test('4. sends the next change after a NACK, and its ACK clears the error', async () => {
      const told = await toldEndpoints(mesh(), 4);
      await using proxy = told.proxy;
      const first = await proxy.next('endpoints');
      proxy.stream.nack(first, 'no room for them');
      await setEndpoints(mesh().client, { name: told.service, endpoints: ips(1, 2) });
      const second = await proxy.accept('endpoints');
      assert.deepEqual(addressesIn(proxy, second), at(1, 2));
      assert.notEqual(second.version, first.version);
      await proxy.handled();
      const { state, error, ackedVersion } = await typeStatus(mesh(), told.account, 'endpoints');
      assert.deepEqual(
        { state, error, ackedVersion },
        { state: 'SYNCED', error: undefined, ackedVersion: second.version },
      );
    });

    test('5. ignores a request with a stale nonce', async () => {
      const told = await toldEndpoints(mesh(), 5);
      await using proxy = told.proxy;
      const other = await offer(mesh(), { name: 'pens-5', from: [told.account], endpoints: ips(9) });
      const first = await proxy.accept('endpoints');
      await setEndpoints(mesh().client, { name: told.service, endpoints: ips(2) });
      const second = await proxy.next('endpoints');
      proxy.ask('endpoints', [told.name, other], { nonce: first.nonce, version: first.version });
      await proxy.handled();
      assert.equal(proxy.responses('endpoints').length, 2, 'the stale request is not answered');
      assert.ok((await typeStatus(mesh(), told.account, 'endpoints')).isInFlight, 'nor does it count as an answer');
      proxy.ack(second, [told.name, other]);
      assert.deepEqual(namesOf(await proxy.next('endpoints')), [other]);
    });

    test('6. sends an added name at the same version', async () => {
      const told = await toldEndpoints(mesh(), 6);
      await using proxy = told.proxy;
      const other = await offer(mesh(), { name: 'pens-6', from: [told.account], endpoints: ips(9) });
      await proxy.accept('endpoints');
      // On a second stream, so that all declared objects have been read.
      await using again = await mesh().proxy({ account: told.account, nodeId: 'again-6' });
      again.ask('endpoints', [told.name]);
      const first = await again.next('endpoints');
      again.ack(first, [told.name, other]);
      const second = await again.next('endpoints');
      assert.deepEqual(namesOf(second), [other]);
      assert.equal(second.version, first.version);
      assert.notEqual(second.nonce, first.nonce);
    });

    test('7. sends a name again that was removed and added', async () => {
      const told = await toldEndpoints(mesh(), 7);
      await using proxy = told.proxy;
      const first = await proxy.next('endpoints');
      proxy.ack(first, []);
      proxy.ack(first, [told.name]);
      const second = await proxy.next('endpoints');
      assert.deepEqual(second.resources, first.resources);
    });
  });
}
