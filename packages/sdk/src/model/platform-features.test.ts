import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, KubeObject } from '@chandlery/api';
import { lateInitializedAnnotation, latePatch } from './late-initialization.ts';
import { allowedActions, type ManagementPolicy } from './management-policies.ts';

describe('Management policies', () => {
  const good: readonly { policies: readonly ManagementPolicy[] | undefined; allow: readonly string[] }[] = [
    { policies: undefined, allow: ['Observe', 'Create', 'Update', 'Delete', 'LateInitialize'] },
    { policies: ['*'], allow: ['Observe', 'Create', 'Update', 'Delete', 'LateInitialize'] },
    { policies: [], allow: [] },
    { policies: ['Observe'], allow: ['Observe'] },
    { policies: ['Create', 'Observe'], allow: ['Create', 'Observe'] },
  ];
  for (const { policies, allow } of good)
    it(`[${policies ?? ''}] allow ${allow.join(', ') || 'nothing'}`, () =>
      assert.deepEqual([...allowedActions(policies)], allow));

  const wrong: readonly { policies: readonly ManagementPolicy[]; says: RegExp }[] = [
    { policies: ['*', 'Observe'], says: /\[\*, Observe\] cannot be used: "\*" means everything/ },
    { policies: ['Create', 'Delete'], says: /Observe is missing/ },
  ];
  for (const { policies, says } of wrong)
    it(`[${policies.join()}] are refused`, () => assert.throws(() => allowedActions(policies), { message: says }));
});

describe('Late initialisation', () => {
  const object = (spec: JsonObject, done = ''): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Foo',
    metadata: { name: 'a', ...(done && { annotations: { [lateInitializedAnnotation]: done } }) },
    spec,
  });
  const declared = ['size', 'storage.class', 'storage.tier'];
  const chosen = { size: 3, 'storage.class': 'fast', 'storage.tier': 2, secret: 'not declared' };

  it('fills in what is declared, chosen and left open', () => {
    assert.deepEqual(latePatch(object({ storage: { class: 'mine' } }), { declared, chosen }), {
      metadata: { annotations: { [lateInitializedAnnotation]: 'size,storage.tier' } },
      spec: { size: 3, storage: { tier: 2 } },
    });
  });

  it('leaves alone what is set, also to nothing much', () => {
    assert.equal(latePatch(object({ size: 0, storage: { class: '', tier: null } }), { declared, chosen }), undefined);
  });

  it('fills in a field once: a tenant that takes it out again means it', () => {
    assert.equal(latePatch(object({}, 'size,storage.class,storage.tier'), { declared, chosen }), undefined);
  });
});
