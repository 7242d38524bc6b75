import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCertificateAuthority, issueCertificate } from '@chandlery/platform';
import { spiffeId } from '../../../../domains/mesh/src/model/identity.ts';
import { offer } from '../support/declare-service.ts';
import { type Caller, type MeshLandscape, namespace, portName, tenant } from '../support/mesh-landscape.ts';
import { ips } from '../support/samples.ts';
import { namesOf } from '../support/test-proxy.ts';

const permissionDenied = 7;
const unauthenticated = 16;

/** Authentication and access of clients. */
export function describeAccess(mesh: () => MeshLandscape): void {
  describe('Access', () => {
    test('28. a certificate of one tenant gets nothing under the names of another', async () => {
      const name = await offer(mesh(), { name: 'books-28', from: ['web-28'], endpoints: ips(1) });
      await using own = await mesh().proxy({ account: 'web-28' });
      own.ask('endpoints', [name]);
      assert.equal((await own.next('endpoints')).resources.length, 1, 'its own tenant is told');

      const stranger: Caller = { account: 'web-28', cluster: 'other-mesh' };
      await using proxy = await mesh().proxy(stranger);
      for (const type of ['endpoints', 'route', 'cluster', 'listener'] as const) proxy.ask(type, [name]);
      await proxy.handled();
      const told = proxy.stream.responses.flatMap(({ resources }) => resources.map(resource => resource.name));
      assert.ok(!told.includes(name), `told ${told.join()}`);
      await using delta = await mesh().proxy({ ...stranger, stream: { mode: 'delta' } });
      delta.askDelta('endpoints', { subscribe: [name] });
      const { resources, removed } = await delta.next('endpoints');
      assert.deepEqual([resources, removed], [[], [name]], 'as if it did not exist');
      await using everything = await mesh().proxy({ ...stranger, nodeId: 'all' });
      everything.ask('cluster', ['*']);
      await everything.handled();
      assert.deepEqual(everything.responses('cluster').flatMap(namesOf), []);
    });

    test('28b. a node whose id differs from its certificate is rejected', async () => {
      for (const key of ['tenant', 'cluster']) {
        const metadata = { [key]: 'other-mesh' };
        await using proxy = await mesh().proxy({ account: 'web-28b', metadata });
        proxy.ask('endpoints', [portName('books-28')]);
        assert.equal((await proxy.stream.ended()).code, permissionDenied);
      }
    });

    test('31. a node without a client certificate is rejected, as is one with a foreign one', async () => {
      const { ca } = await mesh().certificate({ account: 'web-31' });
      for (const tls of [{ ca }, { ca, ...foreignCertificate() }]) {
        await using connection = await mesh().connect({ account: 'web-31' }, tls);
        const stream = connection.open();
        stream.send({ names: ['a'] });
        const { code } = await stream.ended();
        assert.equal(code, unauthenticated);
        assert.deepEqual(stream.responses, []);
      }
    });
  });
}

/** A certificate of another authority, with a valid identity. */
function foreignCertificate(): { cert: string; key: string } {
  const now = new Date();
  const authority = createCertificateAuthority({ commonName: 'somebody else', now });
  const trustDomain = 'cluster.local';
  const uris = [spiffeId({ trustDomain, tenant, cluster: tenant, namespace, serviceAccount: 'web-31' })];
  const { certificatePem: cert, privateKeyPem: key } = issueCertificate(authority, {
    commonName: 'web-31',
    uris,
    usages: ['client'],
    now,
  });
  return { cert, key };
}
