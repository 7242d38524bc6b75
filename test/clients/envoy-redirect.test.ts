import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, findEnvoy, whyNoNetworks } from '@chandlery/testing';
import { portName } from '../conformance/xds/support/mesh-landscape.ts';
import type { NetworkHost } from './support/network/start-network.ts';
import {
  booksUrl,
  mailAddress,
  papersUrl,
  ports,
  type RedirectMesh,
  setHealthCheck,
  startRedirectMesh,
  tapAddress,
} from './support/redirect-mesh.ts';

const found = await findEnvoy();
const skip = (found.path === undefined ? found.reason : await whyNoNetworks()) ?? false;
const patience = { timeoutMs: 60_000, pauseMs: 50 };

describe('Behind the documented redirect', { skip }, () => {
  let world: RedirectMesh;
  before(async () => {
    world = await startRedirectMesh(found.path ?? '');
    await becomes(world.hosts.web, `${booksUrl}/open`, '200');
  });
  after(() => world?.[Symbol.asyncDispose]());

  const becomes = (host: NetworkHost, url: string, outcome: string): Promise<true> =>
    eventually(
      async () => {
        assert.equal((await host.get(url)).outcome, outcome);
        return true as const;
      },
      { ...patience, what: `${url} to give ${outcome}` },
    );
  const outsideUrl = (): string => `http://${world.hosts.outside.address}:${ports.outside}/`;
  const urlOf = (host: NetworkHost, port: number): string => `http://${host.address}:${port}/open`;
  const closed = 'ECONNRESET';

  test('a call of a service is TLS in between, and policies know the caller', async () => {
    const { web, outside, books1 } = world.hosts;
    const viaTap = async (): Promise<boolean> => (await web.get(`${booksUrl}/open?wire-mark`)).text === 'books1';
    await eventually(viaTap, { ...patience, what: 'a call to go through the tap' });
    const sent = await outside.tapped(tapAddress.port);
    assert.deepEqual([...sent.subarray(0, 2)], [0x16, 0x03], 'it begins with a handshake of TLS');
    assert.doesNotMatch(sent.toString('latin1'), /wire-mark|GET /);
    assert.equal((await web.get(`${booksUrl}/closed`)).outcome, '404');
    assert.equal((await books1.get(`${booksUrl}/open`)).outcome, closed, 'an account without a policy');
  });

  test('a service that speaks first is reachable for callers of a policy only', async () => {
    const { web, outside, books1, books2 } = world.hosts;
    const isHeard = async (): Promise<boolean> => /^220 books[12]$/.test((await web.hear(mailAddress)).text);
    await eventually(isHeard, { ...patience, what: 'the greeting' });
    assert.equal((await books1.hear(mailAddress)).text, '', 'an account without a policy');
    assert.equal((await outside.hear({ host: books2.address, port: ports.mail })).text, '', 'without TLS');
  });

  test('what is outside the mesh is reached, also by an account that may call nothing in it', async () => {
    for (const host of [world.hosts.web, world.hosts.books1])
      assert.deepEqual(await host.get(outsideUrl()), { outcome: '200', text: 'outside' });
  });

  test('what is outside the mesh is out of reach where the mesh denies egress, and services are not', async () => {
    const { web } = world.hosts;
    await world.setTraffic({ egress: 'deny' });
    await becomes(web, outsideUrl(), closed);
    await becomes(web, `${booksUrl}/open`, '200');
    await world.setTraffic({ egress: 'passthrough' });
    await becomes(web, outsideUrl(), '200');
  });

  test('plaintext is rejected, and accepted while the mesh is permissive', async () => {
    const { web, outside, books2 } = world.hosts;
    const url = urlOf(books2, ports.books);
    assert.equal((await outside.get(url)).outcome, closed);
    await world.setTraffic({ mtls: 'permissive' });
    await becomes(outside, url, '200');
    await becomes(web, `${booksUrl}/open`, '200');
    await world.setTraffic({ mtls: 'strict' });
    await becomes(outside, url, closed);
    await becomes(web, `${booksUrl}/open`, '200');
  });

  test('declared ports for probes and metrics are open to all callers, others are not', async () => {
    const { outside, books1, books2 } = world.hosts;
    assert.deepEqual(await outside.get(urlOf(books1, ports.probe)), { outcome: '200', text: 'alive' });
    assert.deepEqual(await outside.get(urlOf(books1, ports.metrics)), { outcome: '200', text: 'up 1\n' });
    const banner = await outside.hear({ host: books1.address, port: ports.banner });
    assert.deepEqual(banner, { outcome: 'closed', text: 'welcome' }, 'also where the workload speaks first');
    assert.equal((await outside.get(urlOf(books1, ports.undeclared))).outcome, closed);
    assert.equal((await outside.get(urlOf(books1, ports.books))).outcome, closed);
    assert.equal((await outside.get(urlOf(books2, ports.probe))).outcome, closed, 'declared by another workload');
  });

  const failing = (addresses: readonly string[]): Promise<true> =>
    eventually(
      async () => {
        assert.deepEqual(await world.envoys.web.failingEndpoints(portName('books')), addresses);
        return true as const;
      },
      { ...patience, what: `health checks to fail on ${addresses.join() || 'nobody'}` },
    );

  test('an endpoint whose workload hangs fails its health check, gets no calls, and gets them again when it recovers', async () => {
    const { web, books2 } = world.hosts;
    await failing([]);
    await books2.hang(ports.books, true);
    await failing([`${books2.address}:${ports.books}`]);
    for (let call = 0; call < 10; call += 1)
      assert.deepEqual(await web.get(`${booksUrl}/open`), { outcome: '200', text: 'books1' });
    await books2.hang(ports.books, false);
    await failing([]);
    const isCalled = async (): Promise<boolean> => (await web.get(`${booksUrl}/open`)).text === 'books2';
    await eventually(isCalled, { ...patience, what: 'books2 to be called again' });
  });

  test('endpoints whose proxies respond pass a health check by connection', async () => {
    await setHealthCheck(world.mesh, 'tcp');
    const isUsed = async (): Promise<boolean> => {
      const { text, unfinished } = await world.envoys.web.config();
      return text.includes('tcp_health_check') && unfinished.length === 0;
    };
    await eventually(isUsed, { ...patience, what: 'the other health check' });
    await failing([]);
    await becomes(world.hosts.web, `${booksUrl}/open`, '200');
  });

  test('what an Envoy announces is served for as long as it runs', async () => {
    const { web, books2 } = world.hosts;
    const endpoints = (): Promise<readonly string[]> => world.envoys.web.endpoints(portName('papers'));
    await becomes(web, `${papersUrl}/open`, '200');
    assert.equal((await web.get(`${papersUrl}/open`)).text, 'books2');
    assert.deepEqual(await endpoints(), [`${books2.address}:${ports.books}`]);
    await world.envoys.books2.kill();
    const isGone = async (): Promise<boolean> => (await endpoints()).length === 0;
    await eventually(isGone, { ...patience, what: 'the endpoint to go' });
    assert.equal((await web.get(`${papersUrl}/open`)).outcome, '503');
    await becomes(web, `${booksUrl}/open`, '200');
  });
});
