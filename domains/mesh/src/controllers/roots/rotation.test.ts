import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '@chandlery/client';
import { createInformer, findCondition, reconcileAnnotation } from '@chandlery/runtime';
import { eventually, longRun } from '@chandlery/testing';
import { rootChangeProblem } from '../../admission/admit-root-change.ts';
import { rootSecretName, rootSecrets } from '../../certificates/roots/root-secret.ts';
import { startRootRotation } from '../../certificates/start-root-rotation.ts';
import { startTestAuthority } from '../../certificates/test-authority.ts';
import { type MeshRootCertificate, meshRootCertificates } from '../../kinds/mesh-root-certificate.ts';
import type { ProxyAcknowledgements } from '../../ports.ts';
import { startRootController } from './start-root-controller.ts';
import { createMortalClient, getRoot, listRoles, untilRotation } from './test-rotation.ts';

const pollMs = 2;

/** No proxy is connected, or all acknowledge immediately. */
const nobody: ProxyAcknowledgements = {
  haveAllAcknowledged: async () => ({ done: true, waitingFor: [] }),
  listCertifiedBy: async () => [],
};

/** Asserts that admission allows every change of a root. */
async function watchRules(client: Client): Promise<AsyncDisposable & { readonly refusals: readonly string[] }> {
  const informer = createInformer<MeshRootCertificate>({ client, ref: meshRootCertificates.ref });
  let stored: readonly MeshRootCertificate[] = [];
  const refusals: string[] = [];
  const judge = (before: MeshRootCertificate | undefined, after: MeshRootCertificate | undefined): void => {
    const refusal = rootChangeProblem(stored, { ...(before && { before }), ...(after && { after }) });
    if (refusal !== undefined) refusals.push(refusal);
    stored = informer.list();
  };
  informer.listen({
    added: after => judge(undefined, after),
    updated: (after, before) => judge(before, after),
    deleted: before => judge(before, undefined),
  });
  informer.start();
  await informer.synced;
  return { refusals, [Symbol.asyncDispose]: () => informer.stop() };
}

const requestPass = (client: Client, name: string, value: string) =>
  client.patch(
    { ...meshRootCertificates.ref, name },
    { type: 'merge', body: { metadata: { annotations: { [reconcileAnnotation]: value } } } },
  );

describe('The controller of roots', () => {
  it('shows the certificate of a root and gives a new one a key', async () => {
    await using mesh = await startTestAuthority();
    await using _ = startRootController({ client: mesh.client, acknowledgements: nobody, settleMs: () => 0, pollMs });
    const spec = { role: 'inactive', trustDomain: 'other.example', validityDays: 30 } as const;
    await mesh.client.create(meshRootCertificates.ref, meshRootCertificates.object({ name: 'spare' }, spec));
    const [first, spare] = await Promise.all(
      ['root-1', 'spare'].map(name =>
        eventually(async () => {
          const root = await getRoot(mesh.client, name);
          return findCondition(root, 'Ready')?.status === 'True' ? root : undefined;
        }),
      ),
    );
    assert.equal(first?.status?.certificate, mesh.authority.trustBundle);
    assert.match(spare?.status?.fingerprint ?? '', /^[0-9a-f]{64}$/);
    assert.equal(findCondition(spare ?? assert.fail(), 'Ready')?.reason, 'Inactive');
    await mesh.client.delete({ ...meshRootCertificates.ref, name: 'spare' });
    const isKeyGone = () =>
      mesh.client.get({ ...rootSecrets, name: rootSecretName('spare') }).then(
        () => false,
        () => true,
      );
    await eventually(isKeyGone, { what: 'the key to go with its root' });
  });

  it('reports a lost key', async () => {
    await using mesh = await startTestAuthority();
    await using _ = startRootController({ client: mesh.client, acknowledgements: nobody, settleMs: () => 0, pollMs });
    await eventually(async () => (await getRoot(mesh.client, 'root-1')).status?.fingerprint);
    await mesh.client.delete({ ...rootSecrets, name: rootSecretName('root-1') });
    const message = await eventually(async () => {
      const condition = findCondition(await getRoot(mesh.client, 'root-1'), 'Ready');
      return condition?.reason === 'RootKeyLost' ? condition.message : undefined;
    });
    assert.match(message, /Restore the Secret "mesh-root-root-1"/);
  });
});

describe('A rotation of the root', () => {
  it('ends with the new root alone', async () => {
    await using mesh = await startTestAuthority();
    await using rules = await watchRules(mesh.client);
    const oldBundle = mesh.authority.trustBundle;
    await using _ = startRootController({ client: mesh.client, acknowledgements: nobody, settleMs: () => 0, pollMs });
    const created = await startRootRotation(mesh.client, { trustDomain: 'new.example' });
    assert.equal(created.metadata.name, 'root-2');
    const done = await untilRotation(mesh.client, 'root-2', 'Complete');
    assert.equal(done.status?.rotation, undefined);
    assert.deepEqual(await listRoles(mesh.client), ['root-2 active']);
    await eventually(() => mesh.authority.trustDomains.join() === 'new.example');
    assert.notEqual(mesh.authority.trustBundle, oldBundle);
    assert.deepEqual(rules.refusals, []);
  });

  it('is finished by another process, wherever the first one died', async () => {
    await using mesh = await startTestAuthority();
    await using rules = await watchRules(mesh.client);
    let lifetime = 0;
    for (let hasDied = true; hasDied; lifetime += longRun(1, 3)) {
      const mortal = createMortalClient(mesh.client, lifetime);
      const name = (await startRootRotation(mesh.client)).metadata.name ?? '';
      {
        await using _ = startRootController({
          client: mortal.client,
          acknowledgements: nobody,
          settleMs: () => 0,
          pollMs,
        });
        await eventually(
          async () => mortal.isDead || findCondition(await getRoot(mesh.client, name), 'Rotated')?.status === 'True',
          { pauseMs: 2 },
        );
        hasDied = mortal.isDead;
      }
      await using _ = startRootController({ client: mesh.client, acknowledgements: nobody, settleMs: () => 0, pollMs });
      await untilRotation(mesh.client, name, 'Complete');
      assert.deepEqual(await listRoles(mesh.client), [`${name} active`]);
    }
    assert.ok(lifetime > 8, `a rotation takes only ${lifetime} writes`);
    assert.deepEqual(rules.refusals, []);
  });

  it('stops when proxies do not follow, reports it, and continues only on request', async () => {
    await using mesh = await startTestAuthority();
    let behind: readonly string[] = ['proxy-b', 'proxy-a'];
    const acknowledgements: ProxyAcknowledgements = {
      ...nobody,
      haveAllAcknowledged: async () => ({ done: behind.length === 0, waitingFor: behind }),
    };
    await using _ = startRootController({
      client: mesh.client,
      acknowledgements,
      settleMs: () => 0,
      pollMs,
      stepTimeoutMs: 20,
    });
    await startRootRotation(mesh.client);
    const stopped = await untilRotation(mesh.client, 'root-2', 'TimedOut', 'Introduce');
    const { message } = findCondition(stopped, 'Rotated') ?? {};
    assert.match(message ?? '', /stopped before the step Introduce.*: proxy-a, proxy-b\. .*reconcile-requested-at/);
    assert.deepEqual(stopped.status?.rotation?.waitingFor, ['proxy-a', 'proxy-b']);
    behind = [];
    assert.deepEqual(await listRoles(mesh.client), ['root-1 active', 'root-2 inactive']);
    let requests = 0;
    await eventually(async () => {
      const reason = findCondition(await getRoot(mesh.client, 'root-2'), 'Rotated')?.reason;
      // On a slow machine, later steps may exceed their short timeout as well.
      if (reason === 'TimedOut') await requestPass(mesh.client, 'root-2', `${requests++}`);
      return reason === 'Complete';
    });
    assert.ok(requests > 0);
  });

  it('does not give up the old root while a proxy has a certificate of it', async () => {
    await using mesh = await startTestAuthority();
    let staying: readonly string[] = ['proxy-a'];
    const acknowledgements: ProxyAcknowledgements = { ...nobody, listCertifiedBy: async () => staying };
    await using _ = startRootController({ client: mesh.client, acknowledgements, settleMs: () => 0, pollMs });
    await startRootRotation(mesh.client);
    const waiting = await untilRotation(mesh.client, 'root-2', 'Waiting', 'Retire');
    assert.match(findCondition(waiting, 'Rotated')?.message ?? '', /certificates of the new root: proxy-a/);
    assert.deepEqual(await listRoles(mesh.client), ['root-1 passive', 'root-2 active']);
    staying = [];
    await untilRotation(mesh.client, 'root-2', 'Complete');
  });

  it('is not begun twice', async () => {
    await using mesh = await startTestAuthority();
    const [first, second] = await Promise.allSettled([startRootRotation(mesh.client), startRootRotation(mesh.client)]);
    const failed = [first, second].filter(result => result.status === 'rejected');
    assert.deepEqual(
      failed.map(({ reason }) => (reason as { code: string }).code),
      ['RotationInProgress'],
    );
    await assert.rejects(startRootRotation(mesh.client), { code: 'RotationInProgress' });
  });
});
