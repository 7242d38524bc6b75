import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '@chandlery/testing';
import { instanceNamespaceOf } from '../model/names.ts';
import { startFooFixture } from '../test-foo-fixture.ts';
import { type Bank, bars, fooProvider } from '../test-provider.ts';

/** The same provider, with its kind synced to the workload cluster instead of installed there. */
function carryingProvider(bank: Bank): ReturnType<typeof fooProvider> {
  const { service, blockedBy: _, ...rest } = fooProvider(bank);
  const desired: NonNullable<typeof service.desired> = (object, context) =>
    service.desired?.(object, context).filter(({ cluster }) => cluster === 'workload') ?? [];
  return { ...rest, service: { ...service, desired }, syncs: [{ kind: bars }] };
}

it('Objects that a tenant makes on the control plane are carried to the workload cluster, and keep the service', async () => {
  await using fixture = await startFooFixture({ define: carryingProvider });
  await fixture.create('a');
  await fixture.ready('a');
  const mcp = fixture.landscape.plane.connect('mcp-a');
  const at = { ...bars.ref, namespace: 'default' };
  await mcp.create(at, bars.object({ name: 'mine', namespace: 'default' }, {}));
  const copies = { ...bars.ref, namespace: instanceNamespaceOf('Foo', { namespace: 'default', name: 'a' }) };
  const { items } = await eventually(async () => {
    const list = await fixture.landscape.workload.list(copies);
    return list.items.length > 0 && list;
  });
  assert.match(items[0]?.metadata.name ?? '', /-mine$/);
  await fixture.remove('a');
  assert.match(await fixture.says('a', 'DeletionBlocked', 'UserResourcesPresent'), /1 Bar/);
  await mcp.delete({ ...at, name: 'mine' });
  await fixture.gone('a');
});
