import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { accessRequests, clusterRequests, clusters, hash8 } from '@chandlery/clusters/kinds';
import { silentLogger } from '@chandlery/platform';
import { findCondition, installKinds, SharedInformers } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { type RetainedService, retainedNames, retainedServices, sharedHolderOf } from '../../kinds/index.ts';
import { startRetainedServices } from './start-retained-services.ts';

const core = { group: '', version: 'v1' };
const home = 'home';
const holder = 'default/foo-a';
const retainedRef = { ...retainedServices.ref, namespace: 'default', name: 'foo-a' };
const { handedOverLabel, formerObjectAnnotation, keptKindsAnnotation, retainedByAnnotation } = retainedNames;

const isThere = (client: Client, ref: ObjectRef): Promise<boolean> =>
  client.get(ref).then(
    () => true,
    () => false,
  );

interface Fixture extends AsyncDisposable {
  readonly platform: Client;
  readonly onboarding: Client;
  readonly workload: Client;
  /** Creates an AccessRequest with a Secret for the workload cluster, and a ClusterRequest, with a holder. */
  request(name: string, holder: string, kinds?: string): Promise<void>;
  /** Creates a kept object on the workload cluster. */
  keep(plural: string, object: KubeObject): Promise<void>;
  retain(name: string, spec?: Partial<RetainedService['spec']>): Promise<void>;
}

async function startFixture(): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ clusters: ['workload'] }));
  const [platform, onboarding, workload] = [plane.connect('platform'), plane.client, plane.connect('workload')];
  const kinds = [accessRequests, clusterRequests, clusters].map(({ crd }) => crd);
  await installKinds(platform, kinds, { fieldManager: 'test' });
  await installKinds(onboarding, [retainedServices.crd], { fieldManager: 'test' });
  await platform.create({ ...core, plural: 'namespaces' }, namespace(home));
  const spec = { profile: 'x', purposes: ['workload'], tenancy: 'Shared' as const };
  await platform.create({ ...clusters.ref, namespace: home }, clusters.object({ name: 'work', namespace: home }, spec));
  const informers = stack.use(new SharedInformers());
  const connect = (): Client => plane.connect('workload');
  stack.use(startRetainedServices({ platform, onboarding, informers, connect, logger: silentLogger }));
  const all = stack.move();
  return {
    platform,
    onboarding,
    workload,
    request: async (name, by, text = '') => {
      const metadata = {
        name,
        namespace: home,
        labels: { [handedOverLabel]: 'true' },
        annotations: { [retainedByAnnotation]: by, [keptKindsAnnotation]: text },
      };
      const clusterRef = { name: 'work', namespace: home };
      await platform.create(
        { ...clusterRequests.ref, namespace: home },
        clusterRequests.object(metadata, { purpose: 'x' }),
      );
      await platform.create(
        { ...accessRequests.ref, namespace: home },
        accessRequests.object(metadata, { clusterRef, token: {} }),
      );
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}.kubeconfig`, namespace: home } };
      await platform.create({ ...core, plural: 'secrets', namespace: home }, secret);
      const granted = { phase: 'Granted' };
      const at = { namespace: home, name, subresource: 'status' };
      const status = { ...granted, secretRef: { name: `${name}.kubeconfig` } };
      await platform.patch({ ...accessRequests.ref, ...at }, { type: 'merge', body: { status } });
      await platform.patch({ ...clusterRequests.ref, ...at }, { type: 'merge', body: { status: granted } });
    },
    keep: async (plural, object) => void (await workload.create({ ...core, plural, ...at(object) }, object)),
    retain: async (name, given = {}) => {
      const place = (kind: 'AccessRequest' | 'ClusterRequest') => ({ kind, namespace: home, name: `foo--${name}--wl` });
      const service = { group: 'foo.example.org', kind: 'Foo', name };
      const requests = [place('AccessRequest'), place('ClusterRequest')];
      const labels = { [retainedNames.providerLabel]: 'foo' };
      const metadata = { name: `foo-${name}`, namespace: 'default', labels, finalizers: [retainedNames.finalizer] };
      const object = retainedServices.object(metadata, { provider: 'foo', service, requests, ...given });
      await onboarding.create({ ...retainedServices.ref, namespace: 'default' }, object);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const at = ({ metadata: { namespace: inside } }: KubeObject) => (inside === undefined ? {} : { namespace: inside });
const namespace = (name: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...metadata },
});
const configMap = (name: string, ns: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: ns, ...metadata },
});
const keptBy = (order: string) => ({
  labels: { [handedOverLabel]: 'true' },
  annotations: { [formerObjectAnnotation]: `foo/${order}` },
});
const says = (client: Client, reason: string): Promise<string> =>
  eventually(
    async () => {
      const ready = findCondition(await client.get<RetainedService>(retainedRef), 'Ready');
      return ready?.reason === reason && { text: ready.message ?? '' };
    },
    { what: `RetainedService to say ${reason}` },
  ).then(({ text }) => text);
const gone = (client: Client, ref: ObjectRef): Promise<unknown> =>
  eventually(async () => !(await isThere(client, ref)), { what: `${ref.plural} ${ref.name} to go` });

describe('A retained service', () => {
  it('says that it runs on, and how it ends', async () => {
    await using fixture = await startFixture();
    await fixture.request('foo--a--wl', holder);
    await fixture.retain('a');
    assert.match(await says(fixture.onboarding, 'Retained'), /Deleting this object ends it; a new Foo of this name/);
    await fixture.platform.delete({ ...accessRequests.ref, namespace: home, name: 'foo--a--wl' });
    assert.match(await says(fixture.onboarding, 'RequestsMissing'), /AccessRequest home\/foo--a--wl/);
  });

  it('takes its own objects, access and clusters along at its end, and nothing of others', async () => {
    await using fixture = await startFixture();
    await fixture.request('foo--a--wl', holder, 'configmaps.v1.,namespaces.v1.');
    await fixture.keep('namespaces', namespace('foo-a', keptBy('default/a')));
    await fixture.keep('configmaps', configMap('own', 'foo-a', keptBy('default/a')));
    await fixture.keep('configmaps', configMap('of-b', 'default', keptBy('default/b')));
    const users = (...ids: string[]) => Object.fromEntries(ids.map(id => [`user.sdk.chandlery.io/${id}`, id]));
    const own = hash8('default', 'a');
    const shared = { labels: { [handedOverLabel]: 'true' }, annotations: users(own, 'other') };
    await fixture.keep('configmaps', configMap('shared', 'default', shared));
    await fixture.retain('a');
    await says(fixture.onboarding, 'Retained');
    await fixture.onboarding.delete(retainedRef);
    await gone(fixture.onboarding, retainedRef);
    const maps = { ...core, plural: 'configmaps', namespace: 'default' };
    assert.equal(await isThere(fixture.workload, { ...core, plural: 'namespaces', name: 'foo-a' }), false);
    assert.equal(await isThere(fixture.workload, { ...maps, name: 'of-b' }), true);
    assert.deepEqual(
      Object.keys((await fixture.workload.get({ ...maps, name: 'shared' })).metadata.annotations ?? {}),
      ['user.sdk.chandlery.io/other'],
    );
    for (const ref of [accessRequests.ref, clusterRequests.ref])
      assert.equal(await isThere(fixture.platform, { ...ref, namespace: home, name: 'foo--a--wl' }), false);
  });

  it('that was forged, or taken over, ends nothing of others', async () => {
    await using fixture = await startFixture();
    await fixture.request('foo--a--wl', 'default/foo-b', 'configmaps.v1.');
    await fixture.keep('configmaps', configMap('kept', 'default', keptBy('default/a')));
    await fixture.retain('a');
    await says(fixture.onboarding, 'RequestsMissing');
    await fixture.onboarding.delete(retainedRef);
    await gone(fixture.onboarding, retainedRef);
    assert.equal(
      await isThere(fixture.workload, { ...core, plural: 'configmaps', namespace: 'default', name: 'kept' }),
      true,
    );
    assert.equal(await isThere(fixture.platform, { ...accessRequests.ref, namespace: home, name: 'foo--a--wl' }), true);
  });

  it('waits for an order that has not handed over yet', async () => {
    await using fixture = await startFixture();
    await fixture.request('foo--a--wl', holder);
    const ref = { ...clusterRequests.ref, namespace: home, name: 'foo--a--wl' };
    await fixture.platform.patch(ref, { type: 'merge', body: { metadata: { labels: null } } });
    await fixture.retain('a');
    assert.match(await says(fixture.onboarding, 'HandingOver'), /ClusterRequest home\/foo--a--wl/);
    await fixture.onboarding.delete(retainedRef);
    await says(fixture.onboarding, 'Ending');
    const labels = { [handedOverLabel]: 'true' };
    await fixture.platform.patch(ref, { type: 'merge', body: { metadata: { labels } } });
    await gone(fixture.onboarding, retainedRef);
    assert.equal(await isThere(fixture.platform, ref), false);
  });

  it('of several takes along what all used when it is the last', async () => {
    await using fixture = await startFixture();
    await fixture.request('foo--wl', sharedHolderOf('foo'), 'configmaps.v1.');
    await fixture.keep('configmaps', configMap('issuer', 'default', keptBy('~shared/foo')));
    const sharedRequests = [
      { kind: 'AccessRequest' as const, namespace: home, name: 'foo--wl' },
      { kind: 'ClusterRequest' as const, namespace: home, name: 'foo--wl' },
    ];
    for (const name of ['a', 'b']) await fixture.retain(name, { requests: [], sharedRequests });
    const issuer = { ...core, plural: 'configmaps', namespace: 'default', name: 'issuer' };
    await fixture.onboarding.delete(retainedRef);
    await gone(fixture.onboarding, retainedRef);
    assert.equal(await isThere(fixture.workload, issuer), true);
    await fixture.onboarding.delete({ ...retainedRef, name: 'foo-b' });
    await gone(fixture.onboarding, { ...retainedRef, name: 'foo-b' });
    assert.equal(await isThere(fixture.workload, issuer), false);
    assert.equal(await isThere(fixture.platform, { ...clusterRequests.ref, namespace: home, name: 'foo--wl' }), false);
  });
});
