import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startClusters } from '@chandlery/clusters';
import { accessRequests, clusterRequests, tenantNamespace } from '@chandlery/clusters/kinds';
import { serviceProviders } from '@chandlery/providers/kinds';
import { installKinds } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { installProvider } from '../process/install-provider.ts';
import { startProvider } from '../process/start-provider.ts';
import { Bank, type Foo, fooConfigs, fooProvider, foos } from '../test-provider.ts';

/** The provider without a workload cluster, which would need a node. */
function definitionFor(bank: Bank): ReturnType<typeof fooProvider> {
  const { clusters, service, ...rest } = fooProvider(bank);
  const desired: NonNullable<typeof service.desired> = (object, context) =>
    service.desired?.(object, context).filter(({ cluster }) => cluster === 'mcp') ?? [];
  return { ...rest, clusters: clusters?.mcp ? { mcp: clusters.mcp } : {}, service: { ...service, desired } };
}

it('The real scheduler and the real access controller serve a provider', async () => {
  await using plane = await startTestPlane();
  const platform = plane.connect('platform');
  await installKinds(platform, [serviceProviders.crd], { fieldManager: 'test' });
  await using _clusters = await startClusters({
    platform,
    connectLogical: name => plane.connect(name),
    server: { url: 'https://127.0.0.1:1', caPem: undefined, version: 'v1.34.0' },
  });
  const connect = (kubeconfig: string) => plane.connect(/\/clusters\/([^\s"']+)/.exec(kubeconfig)?.[1] ?? '');
  await platform.create(serviceProviders.ref, serviceProviders.object({ name: 'foo' }, { image: 'foo' } as never));
  const definition = definitionFor(new Bank());
  await installProvider(definition, { provider: 'foo', platform, connect });
  await platform.create(fooConfigs.ref, fooConfigs.object({ name: 'foo' }, { versions: ['1.0'] }));
  await using _provider = await startProvider(definition, { provider: 'foo', platform, connect });
  const home = tenantNamespace('default', 'a');
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: home } };
  await platform.create({ group: '', version: 'v1', plural: 'namespaces' }, namespace);
  const request = clusterRequests.object({ name: 'a', namespace: home }, { purpose: 'mcp' });
  await platform.create({ ...clusterRequests.ref, namespace: home }, request);
  const at = { ...foos.ref, namespace: 'default' };
  await plane.client.create(at, foos.object({ name: 'a', namespace: 'default' }, { version: '1.0' }));
  const get = (): Promise<Foo> => plane.client.get<Foo>({ ...at, name: 'a' });
  await eventually(async () => (await get()).status?.phase === 'Ready', { what: 'Foo to be ready' });
  await plane.client.delete({ ...at, name: 'a' });
  await eventually(
    () =>
      get().then(
        () => false,
        () => true,
      ),
    { what: 'Foo to go' },
  );
  assert.deepEqual((await platform.list({ ...accessRequests.ref, namespace: home })).items, []);
});
