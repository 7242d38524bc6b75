import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually, freePort } from '@chandlery/testing';
import { Client, credentials } from '@grpc/grpc-js';
import { spiffeId } from '../../../../domains/mesh/src/model/identity.ts';
import type { EncodedResource } from '../../../../domains/mesh/src/model/resource.ts';
import { decodeResource } from '../../../../domains/mesh/src/resources/test-decode.ts';
import { judge, type Verdict } from '../../../../domains/mesh/src/resources/test-envoy.ts';
import { encodedOf } from '../support/checked-connection.ts';
import { allowCalls, declareService, offer, setMachine } from '../support/declare-service.ts';
import { type MeshLandscape, namespace, tenant } from '../support/mesh-landscape.ts';
import { startMeshThread } from '../support/mesh-thread.ts';
import { ips } from '../support/samples.ts';
import { otherPath, whoPath } from '../support/who-service.ts';

const permissionDenied = 7;

/** Enforcement of access policies. */
export function describeEnforcement(mesh: () => MeshLandscape): void {
  describe('Enforcement', () => {
    test('26a. a gRPC server rejects a caller that is not listed with code 7', async () => {
      const port = await freePort();
      const ports = [{ name: 'grpc', port: 80, targetPort: port }];
      const service = { name: 'guarded-26', ports, endpoints: [{ ip: '127.0.0.1' }] };
      await offer(mesh(), { ...service, from: ['listed-26'] });
      await allowCalls(mesh().client, {
        name: 'guarded-26',
        from: ['listed-26'],
        to: 'guarded-26',
        pathRegex: whoPath,
      });
      await using thread = await startMeshThread(mesh(), { account: 'guarded-26' });
      await thread.serve(`127.0.0.1:${port}`);
      const address = `127.0.0.1:${port}`;
      // It serves once it has its access rules.
      const isServed = async (): Promise<boolean> =>
        (await codeOf(mesh(), 'listed-26', { address, path: whoPath })) === 0;
      await eventually(isServed, { timeoutMs: 20_000, what: 'the listed caller to be answered' });
      assert.equal(await codeOf(mesh(), 'stranger-26', { address, path: whoPath }), permissionDenied);
      assert.equal(await codeOf(mesh(), 'listed-26', { address, path: otherPath }), permissionDenied, 'for that path');
    });

    test('26b. Envoy is configured to reject a caller that is not listed with 403', async () => {
      await offer(mesh(), { name: 'guarded-26b', from: ['one-26', 'two-26'], endpoints: ips(1) });
      const client = mesh().client;
      await allowCalls(client, { name: 'guarded-26b', from: ['one-26'], to: 'guarded-26b', pathRegex: '/one' });
      await allowCalls(client, { name: 'guarded-26c', from: ['two-26'], to: 'guarded-26b', pathRegex: '/two' });
      const ask = await envoyOf(mesh(), 'guarded-26b', 2);
      assert.equal(ask('one-26', '/one'), 200);
      assert.equal(ask('two-26', '/two'), 200);
      assert.equal(ask('two-26', '/one'), 403, 'it may connect, but not for this');
      assert.equal(ask('one-26', '/three'), 404, 'nobody may');
      assert.equal(ask('stranger-26', '/one'), 'closed', 'it may not even connect');
    });

    test('26c. so is the Envoy of a machine outside the cluster', async () => {
      await declareService(mesh().client, { name: 'guarded-26m' });
      await setMachine(mesh().client, 'guarded-26m', ['10.26.0.1']);
      await allowCalls(mesh().client, { name: 'guarded-26m', from: ['one-26'], to: 'guarded-26m', pathRegex: '/one' });
      const ask = await envoyOf(mesh(), 'guarded-26m', 1);
      assert.equal(ask('one-26', '/one'), 200);
      assert.equal(ask('stranger-26', '/one'), 'closed');
    });

    test('27. without a TrafficTarget connections are rejected', async () => {
      const ports = [{ name: 'tcp-db', port: 5432, targetPort: 8080 }];
      await declareService(mesh().client, { name: 'closed-27', ports, endpoints: ips(1) });
      const closed = await envoyOf(mesh(), 'closed-27', 0);
      assert.equal(closed('web-27', '/'), 'closed');
      await allowCalls(mesh().client, { name: 'closed-27', from: ['web-27'], to: 'closed-27' });
      const open = await envoyOf(mesh(), 'closed-27', 1);
      assert.equal(open('web-27', '/'), 200, 'and taken with one');
      assert.equal(open('stranger-27', '/'), 'closed');
    });
  });
}

/** The status code of a server for an account of the mesh that calls it directly. */
async function codeOf(
  mesh: MeshLandscape,
  account: string,
  { address, path }: { readonly address: string; readonly path: string },
): Promise<number> {
  const { ca, cert, key } = await mesh.certificate({ account });
  const [roots, ownKey, chain] = [ca, key, cert].map(pem => Buffer.from(pem));
  const secure = credentials.createSsl(roots, ownKey, chain, { checkServerIdentity: () => undefined });
  const client = new Client(address, secure, { 'grpc.ssl_target_name_override': 'guarded' });
  const asIs = (bytes: Buffer): Buffer => bytes;
  try {
    return await new Promise(resolve => {
      const deadline = Date.now() + 20_000;
      client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), { deadline }, error => resolve(error?.code ?? 0));
    });
  } finally {
    client.close();
  }
}

/**
 * The results of an account's Envoy for GET requests to port 8080, evaluated from its configuration: waits until its
 * listener has the given number of policies.
 */
async function envoyOf(
  mesh: MeshLandscape,
  account: string,
  policies: number,
): Promise<(caller: string, path: string) => Verdict> {
  await using proxy = await mesh.proxy({ account, stream: { autoAck: true } });
  const encoded = (response: { resources: readonly Parameters<typeof encodedOf>[1][] }): EncodedResource[] =>
    response.resources.map(resource => encodedOf(mesh.root, resource));
  proxy.ask('listener', ['*']);
  const listeners = await proxy.until('listener', response => {
    const [inbound] = response.resources;
    const named = inbound && JSON.stringify(proxy.decode(inbound)).match(/"shop\/(guarded|closed)-[^"]*":\{/g);
    return inbound !== undefined && new Set(named ?? []).size === policies;
  });
  proxy.ask('route', [`${tenant}/inbound|8080`]);
  await proxy.handled();
  const routes = proxy.responses('route').flatMap(encoded);
  const decode = (resource: EncodedResource): object => decodeResource(mesh.root, resource);
  return (caller, path) => {
    const peer = spiffeId({ trustDomain: 'cluster.local', tenant, cluster: tenant, namespace, serviceAccount: caller });
    const request = { port: 8080, peer, method: 'GET', path, headers: {} };
    return judge([...encoded(listeners), ...routes], decode, request);
  };
}
