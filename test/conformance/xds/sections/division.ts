import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offer, setSplit } from '../support/declare-service.ts';
import { serveEndpointsOnly } from '../support/endpoints-only.ts';
import { type MeshLandscape, namespace } from '../support/mesh-landscape.ts';
import { type MeshThread, startMeshThread } from '../support/mesh-thread.ts';
import { type SecureServers, startSecureServers } from '../support/secure-servers.ts';

const calls = 1000;
const share = 0.8;
const tolerance = 3 * Math.sqrt(calls * share * (1 - share));

/** Three servers for most of the traffic, one for the rest: shares must not depend on the numbers. */
const big = { '127.0.0.2': 'big', '127.0.0.3': 'big', '127.0.0.4': 'big' };
const small = { '127.0.0.5': 'small' };

/** Passes when one of two samples is within three sigma: a single one may miss by chance. */
async function assertDivided(thread: MeshThread, target: string): Promise<void> {
  const samples: string[] = [];
  for (let round = 0; round < 2; round++) {
    const tally = await thread.call(target, calls);
    const { big: most = 0, small: rest = 0 } = tally;
    assert.equal(most + rest, calls, `all are answered: ${JSON.stringify(tally)}`);
    if (Math.abs(most - calls * share) <= tolerance) return;
    samples.push(`${most} of ${calls}`);
  }
  assert.fail(`the share is not ${share}: ${samples.join(', ')}`);
}

/** Splits with the gRPC library. */
export function describeDivision(mesh: () => MeshLandscape): void {
  const offerServers = (
    name: string,
    account: string,
    servers: SecureServers,
    ips: Readonly<Record<string, string>>,
  ) => {
    const ports = [{ name: 'grpc', port: 80, targetPort: servers.port }];
    const endpoints = Object.keys(ips).map(ip => ({ ip }));
    return offer(mesh(), { name, account, from: ['web-24'], ports, endpoints });
  };

  describe('Division', () => {
    test('24b. a split of 80 to 20 is kept by routes, with any number of endpoints', async () => {
      using bigServers = await startSecureServers(mesh(), 'big-24', big);
      using smallServers = await startSecureServers(mesh(), 'small-24', small);
      await offerServers('big-24', 'big-24', bigServers, big);
      await offerServers('small-24', 'small-24', smallServers, small);
      await offerServers('root-24', 'big-24', bigServers, big);
      await setSplit(mesh().client, 'root-24', { 'big-24': 80, 'small-24': 20 });
      await using thread = await startMeshThread(mesh(), { account: 'web-24' });
      await assertDivided(thread, `xds:///${namespace}/root-24`);
    });

    test('a service is dialled by each of its names, those of hosts without any other setting', async () => {
      using servers = await startSecureServers(mesh(), 'named-24', small);
      await offerServers('named-24', 'named-24', servers, small);
      await using thread = await startMeshThread(mesh(), { account: 'web-24' });
      for (const name of [`named-24.${namespace}`, `${namespace}/named-24`])
        for (const port of ['', ':80'])
          assert.deepEqual(await thread.call(`xds:///${name}${port}`, 20), { small: 20 }, `${name}${port}`);
    });

    test('24c. a split of 80 to 20 is kept by endpoints alone, with any number', async () => {
      using bigServers = await startSecureServers(mesh(), 'both-24', big);
      using smallServers = await startSecureServers(mesh(), 'both-24', small);
      await offerServers('large-24', 'both-24', bigServers, big);
      await offerServers('little-24', 'both-24', smallServers, small);
      const cluster = await offerServers('whole-24', 'both-24', bigServers, big);
      await setSplit(mesh().client, 'whole-24', { 'large-24': 80, 'little-24': 20 });
      const route = { account: 'web-24', name: 'own-route', cluster };
      using between = await serveEndpointsOnly(mesh(), route);
      await using thread = await startMeshThread(mesh(), { account: 'web-24', xdsServer: `127.0.0.1:${between.port}` });
      await assertDivided(thread, 'xds:///own-route');
    });
  });
}
