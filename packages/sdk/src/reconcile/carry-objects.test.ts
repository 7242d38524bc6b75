import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { instanceNamespaceOf } from '../model/names.ts';
import { startFooWorld } from '../test-foo-world.ts';
import { type Bank, bars, fooProvider } from '../test-provider.ts';

/** The same provider, whose kind is carried to the workload cluster instead of being installed by hand. */
function carryingProvider(bank: Bank): ReturnType<typeof fooProvider> {
  const { service, blockedBy: _, ...rest } = fooProvider(bank);
  const desired: NonNullable<typeof service.desired> = (object, context) =>
    service.desired?.(object, context).filter(({ cluster }) => cluster === 'workload') ?? [];
  return { ...rest, service: { ...service, desired }, syncs: [{ kind: bars }] };
}

it('Objects that a tenant makes on the control plane are carried to the workload cluster, and keep the service', async () => {
  await using world = await startFooWorld({ define: carryingProvider });
  await world.create('a');
  await world.ready('a');
  const mcp = world.landscape.plane.connect('mcp-a');
  const at = { ...bars.ref, namespace: 'default' };
  await mcp.create(at, bars.object({ name: 'mine', namespace: 'default' }, {}));
  const copies = { ...bars.ref, namespace: instanceNamespaceOf('Foo', { namespace: 'default', name: 'a' }) };
  const { items } = await eventually(async () => {
    const list = await world.landscape.workload.list(copies);
    return list.items.length > 0 && list;
  });
  assert.match(items[0]?.metadata.name ?? '', /-mine$/);
  await world.remove('a');
  assert.match(await world.says('a', 'DeletionBlocked', 'UserResourcesPresent'), /1 Bar/);
  await mcp.delete({ ...at, name: 'mine' });
  await world.gone('a');
});
