import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { syncFinalizer } from './sync-ownership.ts';
import type { SyncDefinition } from './syncer.ts';
import {
  certificate,
  certificateRef,
  certificates,
  definition,
  find,
  never,
  secret,
  secretRef,
  startSyncFixture,
  type Tenant,
} from './test-sync.ts';

const create = (client: Client, object: KubeObject): Promise<KubeObject> =>
  client.create({ ...certificates.ref, namespace: object.metadata.namespace ?? '' }, object);

const sourceOf = (tenant: Tenant, name: string): Promise<KubeObject | undefined> =>
  find(tenant.mcp, certificateRef('default', name));

/** The only copy, as soon as it is there. */
const copyOf = (tenant: Tenant): Promise<KubeObject> =>
  eventually(async () => (await tenant.copies())[0], { what: 'the copy' });

const copyRef = ({ metadata }: KubeObject) => certificateRef(metadata.namespace ?? '', metadata.name ?? '');

const merge = (client: Client, object: KubeObject, body: object): Promise<KubeObject> =>
  client.patch(copyRef(object), { type: 'merge', body: body as Record<string, never> });

const writeStatus = async (client: Client, object: KubeObject, status: object): Promise<void> => {
  const live = await client.get(copyRef(object));
  await client.update({ ...copyRef(object), subresource: 'status' }, { ...live, status });
};

/** The Secret beside the copy is named after the copy; the tenant chooses its name on the control plane. */
const namedBySource: SyncDefinition = {
  kind: certificates,
  related: [
    {
      name: 'tls',
      from: 'workload',
      ref: { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' },
      locate: ({ metadata }) => ({ namespace: metadata.namespace ?? '', name: `${metadata.name}-tls` }),
      showAs: source => (source['spec'] as { secretName: string }).secretName,
    },
  ],
};

describe('The syncer', () => {
  it('carries the spec down and the status up, and nothing else', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    const source = certificate('web');
    source.metadata.labels = { team: 'shop' };
    await create(a.mcp, source);
    const copy = await copyOf(a);
    assert.deepEqual(copy['spec'], { host: 'web.example.org', days: 90 });
    assert.equal(copy.metadata.namespace, 'foo-a');
    assert.match(copy.metadata.name ?? '', /^[a-z2-7]{8}-web$/);
    assert.equal(copy.metadata.labels?.['team'], undefined);
    assert.deepEqual((await sourceOf(a, 'web'))?.metadata.finalizers, [syncFinalizer]);
    await writeStatus(fixture.workload, copy, { phase: 'Issued', observedGeneration: 1 });
    await eventually(async () => {
      assert.deepEqual((await sourceOf(a, 'web'))?.['status'], { phase: 'Issued', observedGeneration: 1 });
      return true;
    });
  });

  it('follows changes of the source, and takes back what others do to status and copy', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    const source = await create(a.mcp, certificate('web'));
    const copy = await copyOf(a);
    await merge(a.mcp, source, { spec: { host: 'new.example.org' } });
    const specOf = async () => (await copyOf(a))['spec'] as { host: string; days: number };
    await eventually(async () => (await specOf()).host === 'new.example.org');
    await merge(fixture.workload, copy, { spec: { host: 'tampered' } });
    await eventually(
      async () => (await specOf()).host === 'new.example.org' && fixture.repaired.includes('Certificate'),
    );
    await merge(fixture.workload, copy, { metadata: { labels: null, annotations: null } });
    await eventually(async () => (await copyOf(a)).metadata.labels?.['sdk.chandlery.io/synced-by'] === 'foo');
    await writeStatus(a.mcp, source, { phase: 'Forged' });
    await eventually(async () => (await sourceOf(a, 'web'))?.['status'] === undefined || undefined);
  });

  it('translates to the generation of the source in the status', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    const source = await create(a.mcp, certificate('web'));
    await merge(a.mcp, source, { spec: { days: 1 } });
    await merge(a.mcp, source, { spec: { days: 2 } });
    await eventually(async () => ((await copyOf(a))['spec'] as { days: number }).days === 2);
    await fixture.workload.delete(copyRef(await copyOf(a)));
    const { metadata } = await eventually(async () => {
      const copy = await copyOf(a);
      return copy.metadata.generation === 1 && copy;
    });
    assert.equal(metadata.generation, 1);
    await writeStatus(fixture.workload, await copyOf(a), { observedGeneration: 1 });
    await eventually(async () => {
      assert.deepEqual((await sourceOf(a, 'web'))?.['status'], { observedGeneration: 3 });
      return true;
    });
  });

  it('releases a source only after its copy is deleted', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    const source = await create(a.mcp, certificate('web'));
    const copy = await copyOf(a);
    await merge(fixture.workload, copy, { metadata: { finalizers: ['example.org/hold'] } });
    await a.mcp.delete(copyRef(source));
    await eventually(async () => (await copyOf(a)).metadata.deletionTimestamp !== undefined);
    await fixture.restart(a);
    assert.deepEqual((await sourceOf(a, 'web'))?.metadata.finalizers, [syncFinalizer]);
    await merge(fixture.workload, copy, { metadata: { finalizers: null } });
    await eventually(async () => (await sourceOf(a, 'web')) === undefined || undefined);
    assert.deepEqual(await a.copies(), []);
  });

  it('deletes a copy whose source was deleted while no process ran', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    const source = await create(a.mcp, certificate('web'));
    await copyOf(a);
    await fixture.restart();
    await merge(a.mcp, source, { metadata: { finalizers: null } });
    await a.mcp.delete(copyRef(source));
    assert.equal((await a.copies()).length, 1);
    fixture.syncer.engage(a.owner, a.connections, a.context);
    await eventually(async () => (await a.copies()).length === 0);
  });

  it('does not touch an object of another owner at the place of a copy', async () => {
    await using fixture = await startSyncFixture({
      definitions: [{ ...definition, place: () => ({ namespace: 'foo-a', name: 'same' }) }],
    });
    const a = await fixture.tenant('a', { isEngaged: false });
    const theirs = certificate('same', { host: 'theirs' });
    theirs.metadata.namespace = 'foo-a';
    await create(fixture.workload, theirs);
    await create(a.mcp, certificate('web'));
    fixture.syncer.engage(a.owner, a.connections, a.context);
    const status = await eventually(async () => (await sourceOf(a, 'web'))?.['status'] as { conditions: KubeObject[] });
    assert.match(JSON.stringify(status.conditions), /"type":"Synced","status":"False","reason":"Conflict"/);
    assert.deepEqual((await copyOf(a))['spec'], { host: 'theirs', days: 90 });
  });

  it('takes a second source for the same copy as a conflict', async () => {
    await using fixture = await startSyncFixture({
      definitions: [{ ...definition, place: () => ({ namespace: 'foo-a', name: 'same' }) }],
    });
    const a = await fixture.tenant('a');
    await Promise.all([create(a.mcp, certificate('one')), create(a.mcp, certificate('two'))]);
    const loser = await eventually(async () => {
      const sources = await Promise.all([sourceOf(a, 'one'), sourceOf(a, 'two')]);
      return sources.find(source => JSON.stringify(source?.['status'] ?? {}).includes('Conflict'));
    });
    const winner = loser.metadata.name === 'one' ? 'two' : 'one';
    assert.equal(((await copyOf(a))['spec'] as { host: string }).host, `${winner}.example.org`);
    await a.mcp.delete(copyRef(loser));
    await eventually(async () => (await sourceOf(a, loser.metadata.name ?? '')) === undefined || undefined);
    assert.equal((await a.copies()).length, 1);
  });

  it('shows related objects on the other side, keeps them equal and takes them away with the source', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    const { workload } = fixture;
    await a.mcp.create(secretRef('default', 'my-ca'), secret('default', 'my-ca', 'authority'));
    await a.mcp.create(secretRef('default', 'private'), secret('default', 'private', 'x'));
    const source = await create(a.mcp, certificate('web', { secretName: 'web-tls', caSecretName: 'my-ca' }));
    await eventually(() => find(workload, secretRef('foo-a', 'my-ca')));
    await workload.create(secretRef('foo-a', 'web-tls'), secret('foo-a', 'web-tls', 'one'));
    const shown = (text: string) =>
      eventually(async () => {
        const live = await find(a.mcp, secretRef('default', 'web-tls'));
        assert.deepEqual(live?.['data'], secret('', '', text)['data']);
        return live;
      });
    assert.equal((await shown('one'))?.metadata.ownerReferences?.[0]?.name, 'web');
    const replace = (client: Client, ns: string, text: string) =>
      client.patch(secretRef(ns, 'web-tls'), {
        type: 'merge',
        body: { data: secret('', '', text)['data'] as object as Record<string, string> },
      });
    await replace(workload, 'foo-a', 'two');
    await shown('two');
    await replace(a.mcp, 'default', 'tampered');
    await shown('two');
    await a.mcp.delete(secretRef('default', 'web-tls'));
    await shown('two');
    assert.equal(await find(workload, secretRef('foo-a', 'private')), undefined);
    await a.mcp.delete(copyRef(source));
    await eventually(async () => (await sourceOf(a, 'web')) === undefined || undefined);
    await eventually(async () => (await find(a.mcp, secretRef('default', 'web-tls'))) === undefined || undefined);
    await eventually(async () => (await find(workload, secretRef('foo-a', 'my-ca'))) === undefined || undefined);
    assert.notEqual(await find(a.mcp, secretRef('default', 'my-ca')), undefined);
  });

  it('shows a related object under the name that the source says, and follows it', async () => {
    await using fixture = await startSyncFixture({ definitions: [namedBySource] });
    const a = await fixture.tenant('a');
    const source = await create(a.mcp, certificate('web', { secretName: 'mine' }));
    const made = `${(await copyOf(a)).metadata.name}-tls`;
    await fixture.workload.create(secretRef('foo-a', made), secret('foo-a', made, 'one'));
    const shown = (name: string): Promise<KubeObject> => eventually(() => find(a.mcp, secretRef('default', name)));
    assert.deepEqual((await shown('mine'))['data'], secret('', '', 'one')['data']);
    assert.equal(await find(a.mcp, secretRef('default', made)), undefined);
    await merge(a.mcp, source, { spec: { secretName: 'renamed' } });
    await shown('renamed');
    await eventually(async () => (await find(a.mcp, secretRef('default', 'mine'))) === undefined || undefined);
    await merge(a.mcp, source, { spec: { secretName: '' } });
    await eventually(async () => (await find(a.mcp, secretRef('default', 'renamed'))) === undefined || undefined);
    assert.deepEqual((await a.mcp.list({ ...secretRef('default', ''), namespace: 'default' })).items, []);
  });

  it('reports when a related object cannot have its name: it was retried without a report', async () => {
    await using fixture = await startSyncFixture({ definitions: [namedBySource] });
    const a = await fixture.tenant('a');
    await create(a.mcp, certificate('web', { secretName: 'Not a name' }));
    const made = `${(await copyOf(a)).metadata.name}-tls`;
    await fixture.workload.create(secretRef('foo-a', made), secret('foo-a', made, 'one'));
    await eventually(async () => JSON.stringify((await sourceOf(a, 'web'))?.['status'] ?? {}).includes('"Invalid"'));
  });

  it('shows nothing that a provider manages, and overwrites no Secret of a tenant', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    const own = secret('foo-a', 'admin', 'root');
    own.metadata.labels = { 'openmcp.cloud/managed-by': 'foo' };
    await fixture.workload.create(secretRef('foo-a', 'admin'), own);
    await fixture.workload.create(secretRef('foo-a', 'mine'), secret('foo-a', 'mine', 'theirs'));
    await a.mcp.create(secretRef('default', 'mine'), secret('default', 'mine', 'tenant'));
    await create(a.mcp, certificate('greedy', { secretName: 'admin' }));
    await create(a.mcp, certificate('clumsy', { secretName: 'mine' }));
    await eventually(async () => JSON.stringify((await sourceOf(a, 'clumsy'))?.['status'] ?? {}).includes('Conflict'));
    await eventually(async () => (await a.copies()).length === 2);
    assert.deepEqual((await a.mcp.get(secretRef('default', 'mine')))['data'], secret('', '', 'tenant')['data']);
    assert.equal(await find(a.mcp, secretRef('default', 'admin')), undefined);
  });
});

describe('Disengaging', () => {
  it('takes copies and finalizers away and leaves the sources', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    await create(a.mcp, certificate('web'));
    const copy = await copyOf(a);
    await merge(fixture.workload, copy, { metadata: { finalizers: ['example.org/hold'] } });
    const waiting = await fixture.syncer.disengage('project/a', never);
    assert.deepEqual([waiting.isClean, waiting.message.includes('1 copies of certificates')], [false, true]);
    await merge(fixture.workload, copy, { metadata: { finalizers: null } });
    await eventually(() => fixture.told.includes('project/a'));
    assert.deepEqual(await fixture.syncer.disengage('project/a', never), { isClean: true, message: '' });
    assert.deepEqual((await sourceOf(a, 'web'))?.metadata.finalizers ?? [], []);
  });

  it('works after a restart, and needs to know the owner', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    await create(a.mcp, certificate('web'));
    await copyOf(a);
    const syncer = await fixture.restart();
    assert.equal((await syncer.disengage('project/a', never)).isClean, false);
    const { owner, connections, context } = a;
    await eventually(
      async () => (await syncer.disengage('project/a', never, { resume: { owner, connections, context } })).isClean,
    );
    assert.deepEqual(await a.copies(), []);
  });

  it('with the policy Orphan leaves everything, without our marks', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a');
    await create(a.mcp, certificate('web'));
    await copyOf(a);
    assert.equal((await fixture.syncer.disengage('project/a', never, { policy: 'Orphan' })).isClean, true);
    const [copy] = await a.copies();
    assert.deepEqual([copy?.metadata.labels ?? {}, copy?.metadata.annotations ?? {}], [{}, {}]);
    assert.deepEqual((await sourceOf(a, 'web'))?.metadata.finalizers ?? [], []);
  });
});
