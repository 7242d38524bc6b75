import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { setEndpoints } from '../support/declare-service.ts';
import { type MeshLandscape } from '../support/mesh-landscape.ts';
import { at, ips, toldEndpoints } from '../support/samples.ts';
import { addressesIn, namesOf } from '../support/test-proxy.ts';

/** Clients that reconnect, and a server that restarts. */
export function describeReconnecting(mesh: () => MeshLandscape): void {
  describe('State of the world: reconnecting', () => {
    test('17. responds to a client that reconnects with an old version and no nonce', async () => {
      const told = await toldEndpoints(mesh(), 17);
      await using proxy = told.proxy;
      const first = await proxy.accept('endpoints');
      await using again = await mesh().proxy({ account: told.account, nodeId: 'again-17' });
      again.ask('endpoints', [told.name], { version: first.version });
      assert.deepEqual((await again.next('endpoints')).resources, first.resources);
      await using remembers = await mesh().proxy({ account: told.account, nodeId: 'remembers-17' });
      remembers.ask('endpoints', [told.name], { version: first.version, nonce: first.nonce });
      assert.deepEqual((await remembers.next('endpoints')).resources, first.resources, 'nor does an old nonce matter');
    });

    test('18. never mistakes an old version for the current one after a restart', async () => {
      const told = await toldEndpoints(mesh(), 18);
      const seen = new Map<string, string>();
      {
        await using proxy = told.proxy;
        proxy.ask('cluster', ['*']);
        for (const last of [2, 3]) {
          const response = await proxy.accept('endpoints');
          seen.set(response.version, addressesIn(proxy, response).join());
          await setEndpoints(mesh().client, { name: told.service, endpoints: ips(last) });
        }
      }
      const versions = [...seen.keys()];
      await mesh().landscape.restart();
      await setEndpoints(mesh().client, { name: told.service, endpoints: ips(4) });
      await using proxy = await eventually(() => mesh().proxy({ account: told.account }));
      for (const [index, version] of versions.entries()) {
        await using old = await mesh().proxy({ account: told.account, nodeId: `old-${index}` });
        old.ask('endpoints', [told.name], { version });
        const response = await old.until(
          'endpoints',
          each => addressesIn(old, each).join() === at(4).join() || (old.ack(each), false),
        );
        assert.ok(!seen.has(response.version), 'other content has another version');
      }
      proxy.ask('cluster', ['*'], { version: versions[0] ?? '' });
      assert.ok(namesOf(await proxy.next('cluster')).includes(told.name));
    });
  });
}
