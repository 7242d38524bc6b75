import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError, type KindDeclaration, type KubeObject } from '@chandlery/api';
import { crdResource } from '../registry/kind-registry.ts';
import { commitWrites, putOf } from '../resources/commit.ts';
import { crds, logicalClusters, startTestKernel, type TestKernel, testCrd } from '../test-kernel.ts';
import { crdFinalizer } from './custom-resource-definition.ts';

/** A CRD of any group, with one version that accepts anything below `spec`. */
function crdOf(group: string, plural: string, kind: string, metadata: object = {}) {
  const { spec } = testCrd(plural);
  return {
    metadata: { name: `${plural}.${group}`, ...metadata },
    spec: { ...spec, group, names: { plural, kind } },
  };
}

const absentOwner = {
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '00000000-0000-4000-8000-000000000000' }],
};
const platform = { cluster: 'platform' };

describe('a CRD', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel({ reservedGroups: new Set(['reserved.example.org']) });
    await plane.create(logicalClusters, { metadata: { name: 'tenant-a' } }, platform);
  });
  after(() => plane[Symbol.asyncDispose]());

  const shadows = [
    { why: 'served in the platform cluster only', group: 'core.chandlery.io', plural: 'logicalclusters' },
    { why: 'of RBAC', group: 'rbac.authorization.k8s.io', plural: 'clusterroles' },
    { why: 'a view of another kind', group: 'events.k8s.io', plural: 'events' },
    { why: 'CRDs themselves', group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' },
  ];
  for (const { why, group, plural } of shadows) {
    for (const cluster of ['platform', 'tenant-a']) {
      test(`cannot declare a built-in kind (${why}) in ${cluster}`, async () => {
        const approved = { annotations: { 'api-approved.kubernetes.io': 'https://example.org/approved' } };
        const crd = crdOf(group, plural, 'Shadow', { ...absentOwner, ...approved });
        await assert.rejects(plane.create(crds, crd, { cluster }), error => {
          assert.ok(isError(error, 'Invalid'));
          assert.match(error.message, /is a built-in kind and cannot be declared/);
          return true;
        });
        assert.equal(await plane.find(crds, `${plural}.${group}`, { cluster }), undefined);
      });
    }
  }

  test('may declare a kind that other clusters serve and whose declaration allows it', async () => {
    const declared: KindDeclaration = {
      group: 'flows.example.org',
      kind: 'Flow',
      plural: 'flows',
      scope: 'Namespaced',
      servedIn: ['platform'],
      allowsCrdElsewhere: true,
      versions: [{ name: 'v1', schema: { type: 'object' } }],
    };
    await using own = await startTestKernel({ kinds: [declared] });
    await own.create(logicalClusters, { metadata: { name: 'tenant-a' } }, platform);
    const crd = crdOf('flows.example.org', 'flows', 'Flow');
    await assert.rejects(own.create(crds, crd, platform), error => isError(error, 'Invalid'));
    await own.create(crds, crd, { cluster: 'tenant-a' });
    const kinds = await own.kernel.registry.of('tenant-a');
    assert.ok([...kinds.all()].some(({ kind, crd: by }) => kind.plural === 'flows' && by !== undefined));
    await own.delete(crds, 'flows.flows.example.org', {}, { cluster: 'tenant-a' });
    await own.gone(crds, 'flows.flows.example.org', { cluster: 'tenant-a' });
  });

  test('that was stored under the name of a built-in kind is not served, and its deletion deletes no object', async () => {
    const name = 'logicalclusters.core.chandlery.io';
    await storeShadow(plane, name);
    const kinds = await plane.kernel.registry.of('platform');
    assert.equal([...kinds.all()].filter(({ kind }) => kind.plural === 'logicalclusters').length, 1);
    await plane.delete(crds, name, {}, platform);
    await plane.gone(crds, name, platform);
    const left = (await plane.list(logicalClusters, {}, platform)).map(({ metadata }) => metadata.name);
    assert.deepEqual(left.sort(), ['onboarding', 'platform', 'tenant-a']);
    assert.deepEqual(plane.failures, []);
  });

  test('of a group of the Kubernetes project needs the approval annotation', async () => {
    const create = (plural: string, approval?: string) =>
      plane.create(
        crds,
        crdOf('gateway.networking.k8s.io', plural, `Kind${plural.toUpperCase()}`, {
          ...(approval === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': approval } }),
        }),
      );
    await assert.rejects(create('as'), error => isError(error, 'Invalid'));
    await assert.rejects(create('bs', 'yes please'), error => isError(error, 'Invalid'));
    const conformant = async (plural: string, approval: string) => {
      const { object } = await create(plural, approval);
      const { conditions } = object.status as { conditions: { type: string; status: string }[] };
      return conditions.find(({ type }) => type === 'KubernetesAPIApprovalPolicyConformant')?.status;
    };
    assert.equal(await conformant('cs', 'https://github.com/kubernetes-sigs/gateway-api/pull/1'), 'True');
    assert.equal(await conformant('ds', 'unapproved, experimental-only'), 'False');
  });

  test('reports at once what is wrong with its names and what its group needs', async () => {
    await assert.rejects(plane.create(crds, crdOf('gateway.networking.k8s.io', 'es', '1')), error => {
      assert.ok(isError(error, 'Invalid'));
      const fields = (error.details.causes ?? []).map(({ field }) => field);
      assert.ok(fields.includes('spec.names.kind'), error.message);
      assert.ok(fields.includes('metadata.annotations[api-approved.kubernetes.io]'), error.message);
      return true;
    });
  });

  test('of a reserved group is written by administrators only', async () => {
    const user = { username: 'provider-init', groups: ['system:authenticated'] };
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
    const rules = [{ apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs }];
    await plane.create('rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'crds' }, rules }, platform);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'crds' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.username }];
    const binding = { metadata: { name: 'crds' }, roleRef, subjects };
    await plane.create('rbac.authorization.k8s.io/v1/clusterrolebindings', binding, platform);
    await plane.settled();
    const write = { user, access: await plane.kernel.access.of('platform') };
    const name = 'boats.reserved.example.org';
    const isForbidden = (error: unknown): boolean => isError(error, 'Forbidden');

    await assert.rejects(
      plane.create(crds, crdOf('reserved.example.org', 'boats', 'Boat'), { ...platform, write }),
      isForbidden,
    );
    await plane.create(crds, crdOf('reserved.example.org', 'boats', 'Boat'), platform);
    const disown = (live: KubeObject): void => void Object.assign(live.metadata, absentOwner);
    await assert.rejects(plane.change(crds, name, disown, { ...platform, write }), isForbidden);
    await assert.rejects(plane.delete(crds, name, {}, { ...platform, write }), isForbidden);
    await plane.create(crds, crdOf('free.example.org', 'boats', 'Boat'), { ...platform, write });
  });
});

/** Puts an established CRD into the store past all rules, as an earlier version may have left it. */
async function storeShadow(plane: TestKernel, name: string): Promise<void> {
  const { resource } = await plane.target(crds, platform);
  const conditions = [{ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: '' }];
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    ...crdOf('core.chandlery.io', 'logicalclusters', 'Shadow', {
      uid: '00000000-0000-4000-8000-000000000001',
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: [crdFinalizer],
    }),
    status: { conditions, storedVersions: ['v1'], acceptedNames: { plural: 'logicalclusters', kind: 'Shadow' } },
  } as unknown as KubeObject;
  const key = { cluster: 'platform', resource: crdResource, namespace: '', name };
  await commitWrites(plane.deps, { writes: [putOf(plane.deps, resource.kind, key, object, { type: 'absent' })] });
  await plane.settled();
}
