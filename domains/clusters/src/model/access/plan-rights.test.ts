import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { accessRequests } from '../../kinds/index.ts';
import { idOf, type OwnedObject, type WantedObject } from './owned-objects.ts';
import { planRights, type RightsChange, updatedObject } from './plan-rights.ts';
import { wantedRights } from './wanted-rights.ts';

const granter = { environment: 'test', provider: 'chandlery' };
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];

function wantedObjects(): readonly WantedObject[] {
  const token = { permissions: [{ rules }], roleRefs: [{ kind: 'ClusterRole' as const, name: 'view' }] };
  const rights = wantedRights(accessRequests.object({ name: 'mine', namespace: 'tenant' }, { token }), granter);
  return rights.type === 'wanted' ? rights.objects : assert.fail();
}

const stored = ({ kind, object }: WantedObject, change: Partial<KubeObject> = {}): OwnedObject => {
  const metadata = { ...object.metadata, uid: 'u', ...change.metadata };
  return { kind, object: { ...object, ...change, metadata } };
};

const inWords = (change: RightsChange): string =>
  `${change.type} ${(change.type === 'delete' ? change.found : change.wanted).kind.kind}`;

describe('the way to the wanted rights', () => {
  const wanted = wantedObjects();
  const [account, role, binding, grant] = wanted;
  assert.ok(account && role && binding && grant);
  const rest = [account, role, binding].map(object => stored(object));
  const others = { metadata: { labels: { ...grant.object.metadata.labels, theirs: 'x' } } };
  const admin = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const stale = wanted.map(({ kind, object }) => ({
    kind,
    object: { ...object, metadata: { ...object.metadata, name: 'old' } },
  }));
  const cases: readonly { why: string; found: readonly OwnedObject[]; plan: readonly string[] }[] = [
    { why: 'all is there', found: wanted.map(object => stored(object)), plan: [] },
    { why: 'others may add labels', found: [...rest, stored(grant, others)], plan: [] },
    {
      why: 'nothing is there',
      found: [],
      plan: ['create ServiceAccount', 'create ClusterRole', 'create ClusterRoleBinding', 'create ClusterRoleBinding'],
    },
    {
      why: 'rules were widened',
      found: [stored(account), stored(role, { rules: [...rules, ...rules] }), stored(binding), stored(grant)],
      plan: ['update ClusterRole'],
    },
    {
      why: 'a role gathers the rules of others',
      found: [stored(account), stored(role, { aggregationRule: {} }), stored(binding), stored(grant)],
      plan: ['update ClusterRole'],
    },
    {
      why: 'servers leave out empty lists',
      found: [
        stored(account),
        stored(role, { rules: rules.map(rule => ({ ...rule, resourceNames: [] })) }),
        stored(binding),
        stored(grant),
      ],
      plan: [],
    },
    {
      why: 'a subject was added',
      found: [...rest, stored(grant, { subjects: [] })],
      plan: ['update ClusterRoleBinding'],
    },
    {
      why: 'labels are removed',
      found: [...rest, stored(grant, { metadata: { labels: {} } })],
      plan: ['update ClusterRoleBinding'],
    },
    {
      why: 'a binding is of another role',
      found: [...rest, stored(grant, { roleRef: admin })],
      plan: ['replace ClusterRoleBinding'],
    },
    {
      why: 'old things go first, bindings before roles before accounts',
      found: [...stale, ...rest],
      plan: [
        'delete ClusterRoleBinding',
        'delete ClusterRoleBinding',
        'delete ClusterRole',
        'delete ServiceAccount',
        'create ClusterRoleBinding',
      ],
    },
  ];
  for (const { why, found, plan } of cases) {
    test(why, () => assert.deepEqual(planRights(wanted, found).map(inWords), plan));
  }

  test('leads there: what was planned leaves nothing to plan', () => {
    const found = [stored(account, { secrets: [{ name: 's' }] }), stored(role, { rules: [], aggregationRule: {} })];
    const updated = planRights(wanted, found).flatMap(change =>
      change.type === 'update'
        ? [{ kind: change.wanted.kind, object: updatedObject(change.wanted.object, change.found) }]
        : [],
    );
    const created = planRights(wanted, found).flatMap(change => (change.type === 'create' ? [change.wanted] : []));
    const ids = new Set(updated.map(idOf));
    assert.deepEqual(
      planRights(wanted, [...found.filter(object => !ids.has(idOf(object))), ...updated, ...created]),
      [],
    );
  });
});
