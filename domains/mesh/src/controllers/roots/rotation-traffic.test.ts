import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { startRootRotation } from '../../certificates/start-root-rotation.ts';
import { startTestAuthority } from '../../certificates/test-authority.ts';
import { callOnce, serveOnce } from '../../certificates/test-handshake.ts';
import { startRootController } from './start-root-controller.ts';
import { acknowledgementsOf, Follower } from './test-follower.ts';
import { getRoot, listRoles, untilRotation } from './test-rotation.ts';

const identity = (serviceAccount: string) => ({
  trustDomain: 'old.example',
  tenant: 'acme',
  cluster: 'eu-1',
  namespace: 'shop',
  serviceAccount,
});

/** A client and a server of the mesh with replicas of their own, which connect over TLS. */
async function startTraffic() {
  await using stack = new AsyncDisposableStack();
  const mesh = stack.use(await startTestAuthority({ trustDomain: 'old.example' }));
  const [web, books] = [
    new Follower(mesh.authority, identity('web')),
    new Follower(await mesh.addReplica(), identity('books')),
  ];
  const followers = [web, books];
  for (const follower of followers) follower.follow();
  const server = stack.use(await serveOnce(books.context));
  const call = async () => {
    server.setContext(books.context);
    return callOnce(server.port, web.context);
  };
  const parts = stack.move();
  return { mesh, web, books, followers, call, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

describe('Traffic during a rotation of the root', () => {
  it('flows at each step, in any order of followers', async () => {
    await using traffic = await startTraffic();
    const { mesh, web, books, followers, call } = traffic;
    const acknowledgements = acknowledgementsOf(followers);
    await using _ = startRootController({ client: mesh.client, acknowledgements, settleMs: () => 0, pollMs: 2 });
    await startRootRotation(mesh.client, { trustDomain: 'new.example' });
    const states = new Set<string>();
    const domains = new Set<string>();
    for (let round = 0, isDone = false; !isDone; round++) {
      const order = round % 2 === 0 ? [web, books] : [books, web];
      for (const follower of order) {
        const seen = await call();
        for (const name of Object.values(seen)) domains.add(new URL(name.slice('URI:'.length)).host);
        assert.ok(follower.rootFingerprint, `${follower.name} is known to its control plane`);
        states.add((await listRoles(mesh.client)).join());
        follower.follow();
        await call();
      }
      isDone = findCondition(await getRoot(mesh.client, 'root-2'), 'Rotated')?.status === 'True';
    }
    assert.deepEqual([...domains].sort(), ['new.example', 'old.example']);
    assert.deepEqual(await call(), {
      server: 'URI:spiffe://new.example/tenant/acme/cluster/eu-1/ns/shop/sa/books',
      client: 'URI:spiffe://new.example/tenant/acme/cluster/eu-1/ns/shop/sa/web',
    });
    for (const state of ['active,root-2 passive', 'active,root-2 active', 'inactive,root-2 active']) {
      assert.ok(states.has(`root-1 ${state}`), `calls were made while root-1 was ${state}`);
    }
  });

  it('would stop if steps did not wait for proxies', async () => {
    await using traffic = await startTraffic();
    const { mesh, books, call } = traffic;
    const careless = {
      haveAllAcknowledged: async () => ({ done: true, waitingFor: [] }),
      listCertifiedBy: async () => [],
    };
    await using _ = startRootController({
      client: mesh.client,
      acknowledgements: careless,
      settleMs: () => 0,
      pollMs: 2,
    });
    await call();
    await startRootRotation(mesh.client);
    await untilRotation(mesh.client, 'root-2', 'Complete');
    await eventually(async () => {
      books.follow();
      return call().then(
        () => false,
        () => true,
      );
    });
  });
});
