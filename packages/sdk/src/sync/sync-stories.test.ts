import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { Fuse } from './test-fuse.ts';
import {
  certificate,
  certificateRef,
  certificates,
  find,
  never,
  type SyncFixture,
  secret,
  secretRef,
  startSyncFixture,
  type Tenant,
} from './test-sync.ts';

const namespaced = { ...certificates.ref, namespace: 'default' };

/** The tenant with clients that stop after some writes. */
function fused(tenant: Tenant, fuse: Fuse): Tenant {
  const { mcp, workload } = tenant.connections;
  return {
    ...tenant,
    connections: {
      mcp: { ...mcp, client: fuse.guard(mcp.client) },
      workload: { ...workload, client: fuse.guard(workload.client) },
    },
  };
}

/** Works until all is done or the fuse blows, then restarts without a fuse. */
async function workThenRestart(fixture: SyncFixture, tenant: Tenant, writes: number, isDone: () => Promise<boolean>) {
  const fuse = new Fuse(writes);
  await fixture.restart(fused(tenant, fuse));
  await eventually(async () => fuse.isBlown || (await isDone()));
  await fixture.restart(tenant);
  await eventually(isDone);
}

describe('A syncer that is killed', () => {
  it('after any of its writes is recovered from the clusters alone', async () => {
    await using fixture = await startSyncFixture();
    const a = await fixture.tenant('a', { isEngaged: false });
    await a.mcp.create(secretRef('default', 'ca'), secret('default', 'ca', 'authority'));
    for (let writes = 0; writes < 5; writes++) {
      const name = `web-${writes}`;
      const [tls, source] = [secretRef('default', `tls-${writes}`), certificateRef('default', name)];
      await a.mcp.create(namespaced, certificate(name, { secretName: tls.name, caSecretName: 'ca' }));
      await fixture.workload.create(secretRef('foo-a', tls.name), secret('foo-a', tls.name, 'key'));
      const isShown = async () => (await find(a.mcp, tls)) !== undefined && (await a.copies()).length === 1;
      await workThenRestart(fixture, a, writes, isShown);
      await a.mcp.delete(source);
      const isRemoved = async () =>
        (await find(a.mcp, source)) === undefined &&
        (await find(a.mcp, tls)) === undefined &&
        (await find(fixture.workload, secretRef('foo-a', 'ca'))) === undefined;
      await workThenRestart(fixture, a, writes, isRemoved);
      assert.deepEqual(await a.copies(), []);
    }
  });
});

describe('A syncer of many', () => {
  it('carries five objects for each of fifty owners, and restores all that is tampered with', async () => {
    await using fixture = await startSyncFixture();
    const names = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const tenants = await Promise.all(names.map(name => fixture.tenant(name)));
    const objects = Array.from({ length: 5 }, (_, index) => certificate(`web-${index}`));
    await Promise.all(tenants.flatMap(({ mcp }) => objects.map(object => mcp.create(namespaced, object))));
    const all = async (): Promise<readonly KubeObject[]> => (await fixture.workload.list(certificates.ref)).items;
    await eventually(async () => (await all()).length === 250, { timeoutMs: 60_000 });
    const isRight = (copy: KubeObject): boolean => (copy['spec'] as { days: number }).days === 90;
    await Promise.all(
      (await all()).map(({ metadata: { namespace = '', name = '' } }) =>
        fixture.workload.patch(certificateRef(namespace, name), { type: 'merge', body: { spec: { days: 1 } } }),
      ),
    );
    await eventually(async () => (await all()).every(isRight), { timeoutMs: 60_000 });
    for (const tenant of tenants) {
      const hosts = (await tenant.copies()).map(copy => (copy['spec'] as { host: string }).host).sort();
      assert.deepEqual(hosts, [
        'web-0.example.org',
        'web-1.example.org',
        'web-2.example.org',
        'web-3.example.org',
        'web-4.example.org',
      ]);
    }
  });
});

describe('Owners with clients of their own on the same workload cluster', () => {
  it('share one watch of each kind, which continues when its reader leaves', async () => {
    await using fixture = await startSyncFixture();
    const watches: string[] = [];
    const kubeconfig = JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k' } }],
      clusters: [{ name: 'k', cluster: { server: 'https://workload' } }],
    });
    const engage = async (name: string): Promise<Tenant> => {
      const tenant = await fixture.tenant(name, { isEngaged: false });
      const client = noteWatches(fixture.workload, plural => watches.push(`${name} ${plural}`));
      const connections = { ...tenant.connections, workload: { id: `access-${name}`, client, kubeconfig } };
      fixture.syncer.engage(tenant.owner, connections, tenant.context);
      return { ...tenant, connections };
    };
    const [a, b] = [await engage('a'), await engage('b')];
    await Promise.all([a, b].map(({ mcp }) => mcp.create(namespaced, certificate('web'))));
    await eventually(async () => (await a.copies()).length + (await b.copies()).length === 2);
    assert.deepEqual(
      watches.filter(each => each.endsWith('certificates')),
      ['a certificates'],
    );
    await eventually(async () => (await fixture.syncer.disengage('project/a', never)).isClean);
    await b.mcp.create(namespaced, certificate('second'));
    await eventually(async () => (await b.copies()).length === 2);
    const [copy] = await b.copies();
    await fixture.workload.delete(certificateRef('foo-b', copy?.metadata.name ?? ''));
    await eventually(async () => (await b.copies()).length === 2);
    assert.ok(watches.includes('b certificates'));
  });
});

const noteWatches = (client: Client, note: (plural: string) => void): Client =>
  new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        if (property === 'watch') note((given[0] as { plural: string }).plural);
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
