import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { validateLabelValue } from '@chandlery/api';
import { type AccessRequest, accessRequests } from '../../kinds/index.ts';
import { accessHash, accessNamespace, kubeconfigSecretName, labelsFor, selectorFor } from './access-names.ts';
import { idOf } from './owned-objects.ts';
import { namespacesWanted, wantedRights } from './wanted-rights.ts';

const granter = { environment: 'test', provider: 'chandlery' };
const place = { name: 'mine', namespace: 'tenant' };
const hash = accessHash(granter, place);
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const request = (spec: AccessRequest['spec']): AccessRequest => accessRequests.object({ ...place }, spec);

function wanted(spec: AccessRequest['spec']) {
  const rights = wantedRights(request(spec), granter);
  assert.equal(rights.type, 'wanted');
  return rights.type === 'wanted' ? rights : assert.fail();
}

describe('the rights that a request wants', () => {
  test('are a service account alone when nothing is asked for', () => {
    const { objects, namespaces } = wanted({ token: {} });
    assert.deepEqual(objects.map(idOf), [`ServiceAccount ${accessNamespace}/${hash}`]);
    assert.deepEqual(namespaces, [{ name: accessNamespace, isMade: true }]);
  });

  test('are a role and a binding for each permission, and a binding for each existing role', () => {
    const { objects } = wanted({
      token: {
        permissions: [{ rules }, { namespace: 'work', rules }, { name: 'own', rules }],
        roleRefs: [
          { kind: 'ClusterRole', name: 'view' },
          { kind: 'ClusterRole', name: 'edit', namespace: 'work' },
          { kind: 'Role', name: 'theirs', namespace: 'work' },
        ],
      },
    });
    assert.deepEqual(objects.map(idOf), [
      `ServiceAccount ${accessNamespace}/${hash}`,
      `ClusterRole /openmcp:permission:${hash}:0`,
      `Role work/openmcp:permission:${hash}:1`,
      'ClusterRole /own',
      `ClusterRoleBinding /openmcp:permission:${hash}:0`,
      `RoleBinding work/openmcp:permission:${hash}:1`,
      `ClusterRoleBinding /openmcp:permission:${hash}:2`,
      `ClusterRoleBinding /openmcp:roleref:${hash}:0`,
      `RoleBinding work/openmcp:roleref:${hash}:1`,
      `RoleBinding work/openmcp:roleref:${hash}:2`,
    ]);
    assert.deepEqual(objects[6]?.object['roleRef'], {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'own',
    });
    assert.deepEqual(objects.filter(({ isNameOurs }) => !isNameOurs).map(idOf), ['ClusterRole /own']);
    for (const { object } of objects) assert.deepEqual(object.metadata.labels, labelsFor(granter, place));
  });

  test('need namespaces, which are made unless the request says otherwise', () => {
    const spec: AccessRequest['spec'] = {
      token: {
        permissions: [
          { namespace: 'b', disableAutomaticNamespaceCreation: true, rules },
          { namespace: 'a', rules },
          { namespace: 'c', disableAutomaticNamespaceCreation: true, rules },
          { namespace: 'c', rules },
        ],
        roleRefs: [
          { kind: 'Role', name: 'x', namespace: 'd' },
          { kind: 'Role', name: 'x', namespace: 'a' },
        ],
      },
    };
    assert.deepEqual(wanted(spec).namespaces, [
      { name: accessNamespace, isMade: true },
      { name: 'a', isMade: true },
      { name: 'b', isMade: false },
      { name: 'c', isMade: true },
      { name: 'd', isMade: false },
    ]);
    assert.deepEqual(namespacesWanted(request(spec)), [accessNamespace, 'a', 'b', 'c', 'd']);
  });

  test('are refused when they contradict themselves', () => {
    const homeless = wantedRights(request({ token: { roleRefs: [{ kind: 'Role', name: 'x' }] } }), granter);
    assert.equal(homeless.type === 'refused' && homeless.reason, 'InvalidRoleRef');
    const twice = [
      { name: 'x', rules },
      { name: 'x', rules: [] },
    ];
    const duplicate = wantedRights(request({ token: { permissions: twice } }), granter);
    assert.equal(duplicate.type === 'refused' && duplicate.reason, 'DuplicateRole');
    assert.equal(wantedRights(request({}), granter).type, 'refused');
  });

  const oidc = { name: 'corp', issuer: 'https://i', clientID: 'c', usernameClaim: 'sub', groupsClaim: 'groups' };
  const prefixes: readonly { why: string; oidc: object; names: readonly string[] }[] = [
    { why: 'the name and a colon by default', oidc: {}, names: ['corp:ann', 'corp:crew', 'robot'] },
    { why: 'as given', oidc: { usernamePrefix: 'u-', groupsPrefix: 'g-' }, names: ['u-ann', 'g-crew', 'robot'] },
    { why: 'none for a dash', oidc: { usernamePrefix: '-', groupsPrefix: '-' }, names: ['ann', 'crew', 'robot'] },
    { why: 'none for nothing', oidc: { usernamePrefix: '', groupsPrefix: '' }, names: ['ann', 'crew', 'robot'] },
  ];
  for (const { why, oidc: more, names } of prefixes) {
    test(`go to people by name with the prefix of their issuer: ${why}`, () => {
      const subjects = [
        { kind: 'User' as const, name: 'ann' },
        { kind: 'Group' as const, name: 'crew' },
        { kind: 'ServiceAccount' as const, name: 'robot', namespace: 'n' },
      ];
      const roleBindings = [{ subjects, roleRefs: [{ kind: 'ClusterRole' as const, name: 'view' }] }];
      const { objects } = wanted({ oidc: { ...oidc, ...more, roleBindings } });
      assert.deepEqual(objects.map(idOf), [`ClusterRoleBinding /openmcp:roleref:${hash}:0`]);
      const found = objects[0]?.object['subjects'] as { name: string }[];
      assert.deepEqual(
        found.map(({ name }) => name),
        names,
      );
    });
  }
});

describe('the names of what is made', () => {
  test('fit however long those of the request are', () => {
    const long = { name: `${'n'.repeat(240)}.x`, namespace: 's'.repeat(63) };
    for (const value of Object.values(labelsFor(granter, long))) assert.deepEqual(validateLabelValue(value), []);
    assert.equal(kubeconfigSecretName('mine'), 'mine.kubeconfig');
    assert.ok(kubeconfigSecretName(long.name).length <= 63);
    assert.match(selectorFor(granter, place), /^[^,]+=mine,[^,]+=tenant,[^,]+=test,[^,]+=chandlery$/);
  });

  test('differ between environments, providers and requests', () => {
    const hashes = [
      hash,
      accessHash({ ...granter, environment: 'x' }, place),
      accessHash({ ...granter, provider: 'x' }, place),
      accessHash(granter, { ...place, name: 'x' }),
      accessHash(granter, { ...place, namespace: 'x' }),
    ];
    assert.equal(new Set(hashes).size, hashes.length);
  });
});
