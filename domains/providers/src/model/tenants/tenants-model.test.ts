import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { type Provider, projects, type Tenant, workspaces } from '../../kinds/index.ts';
import { hasRole, type Member, memberFor, membersOf, subjectsOf } from './members.ts';
import { namespaceState } from './namespace-state.ts';
import {
  kindsBlockingProject,
  kindsBlockingWorkspace,
  listRemaining,
  type Remaining,
  sortRemaining,
} from './remaining.ts';
import { levelRoles, type Rule } from './role-rules.ts';
import { kindNames, servedKinds, serviceKindsOf } from './served-kinds.ts';
import { placeProject, placeWorkspace } from './tenant-place.ts';

const rbac = 'rbac.authorization.k8s.io';
const user = (name: string, ...roles: Member['roles']): Member => ({ kind: 'User', name, roles });

describe('The place of a tenant', () => {
  const table = [
    { why: 'a project', actual: placeProject('sea'), expected: 'project-sea' },
    { why: 'a workspace', actual: placeWorkspace('project-sea', 'north'), expected: 'project-sea--ws-north' },
    { why: 'the longest name', actual: placeProject('n'.repeat(55)), expected: `project-${'n'.repeat(55)}` },
    { why: 'a name too long', actual: placeProject('n'.repeat(56)), expected: 'NameTooLong' },
    {
      why: 'together too long',
      actual: placeWorkspace(`project-${'n'.repeat(40)}`, 'w'.repeat(20)),
      expected: 'NameTooLong',
    },
    { why: 'no namespace has a dot', actual: placeProject('a.b'), expected: 'NameInvalid' },
    { why: 'not in a project', actual: placeWorkspace('default', 'north'), expected: 'ProjectNotFound' },
    { why: 'a project without a name', actual: placeWorkspace('project-', 'north'), expected: 'ProjectNotFound' },
  ];
  for (const { why, actual, expected } of table) {
    it(why, () => assert.equal(actual.type === 'place' ? actual.place.namespace : actual.reason, expected));
  }
});

describe('The state of a namespace', () => {
  const labels = { owner: 'me' };
  const namespace = (metadata: KubeObject['metadata']): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata,
  });
  const table = [
    { namespace: undefined, expected: 'absent' },
    { namespace: namespace({ labels: { ...labels, more: 'x' } }), expected: 'ours' },
    { namespace: namespace({ labels, deletionTimestamp: 'now' }), expected: 'terminating' },
    { namespace: namespace({}), expected: 'foreign' },
    { namespace: namespace({ labels: { owner: 'you' }, deletionTimestamp: 'now' }), expected: 'foreign' },
  ];
  for (const { namespace, expected } of table) {
    it(expected, () => assert.equal(namespaceState(namespace, labels), expected));
  }
});

describe('Members', () => {
  const robot: Member = { kind: 'ServiceAccount', namespace: 'ci', name: 'robot', roles: ['admin'] };

  it('become subjects, each once and in a fixed order', () => {
    const members = [user('will', 'view'), robot, user('anne', 'admin', 'view'), user('anne', 'admin')];
    assert.deepEqual(subjectsOf(members, 'admin'), [
      { kind: 'ServiceAccount', name: 'robot', namespace: 'ci' },
      { kind: 'User', name: 'anne', apiGroup: rbac },
    ]);
    assert.deepEqual(subjectsOf(members, 'view'), subjectsOf(members.toReversed(), 'view'));
  });

  it('are those listed and those whom the configuration adds', () => {
    const memberOverrides = [
      { ...user('ops', 'admin') },
      { ...user('sea-ops', 'admin'), resources: [{ kind: 'Project' as const, name: 'sea' }] },
    ];
    const names = (tenant: Tenant): string[] => membersOf(tenant, { memberOverrides }).map(({ name }) => name);
    assert.deepEqual(names(projects.object({ name: 'sea' }, { members: [user('anne', 'admin')] })), [
      'anne',
      'ops',
      'sea-ops',
    ]);
    assert.deepEqual(names(projects.object({ name: 'lake' }, { members: [] })), ['ops']);
    assert.deepEqual(names(workspaces.object({ name: 'sea' }, { members: [] })), ['ops']);
  });

  it('are found by name, group and service account', () => {
    const group: Member = { kind: 'Group', name: 'crew', roles: ['admin'] };
    const asRobot = { username: 'system:serviceaccount:ci:robot', groups: [] };
    const anne = { username: 'anne', groups: ['crew'] };
    assert.equal(hasRole(anne, [group], 'admin'), true);
    assert.equal(hasRole(anne, [user('anne', 'view')], 'admin'), false);
    assert.equal(hasRole(asRobot, [robot], 'admin'), true);
    assert.equal(hasRole({ username: 'robot', groups: [] }, [robot], 'admin'), false);
    assert.deepEqual(memberFor(asRobot, 'admin'), robot);
    assert.deepEqual(memberFor(anne, 'admin'), user('anne', 'admin'));
  });
});

describe('Kinds', () => {
  const crd = (group: string, kind: string, more: { scope?: string; established?: string; versions?: string[] } = {}) =>
    kindNames({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: kind },
      spec: {
        group,
        scope: more.scope ?? 'Namespaced',
        names: { kind, plural: `${kind.toLowerCase()}en` },
        versions: (more.versions ?? ['v1']).map(name => ({ name, served: name !== 'v0' })),
      },
      status: { conditions: [{ type: 'Established', status: more.established ?? 'True' }] },
    });
  const definitions = [
    crd('ex.com', 'Ox'),
    crd('ex.com', 'Wide', { scope: 'Cluster' }),
    crd('ex.com', 'Young', { established: 'False' }),
    crd('ex.com', 'New', { versions: ['v0', 'v2'] }),
  ];
  const table = [
    { why: 'as its definition says', gvk: ['ex.com', 'v1', 'Ox'], expected: 'v1/oxen' },
    { why: 'in a version that is served', gvk: ['ex.com', 'v0', 'New'], expected: 'v2/newen' },
    { why: 'not without a definition', gvk: ['ex.com', 'v1', 'Gone'], expected: undefined },
    { why: 'not outside namespaces', gvk: ['ex.com', 'v1', 'Wide'], expected: undefined },
    { why: 'not before it is established', gvk: ['ex.com', 'v1', 'Young'], expected: undefined },
    { why: 'built in', gvk: ['', 'v1', 'Secret'], expected: 'v1/secrets' },
    { why: 'built in with a y', gvk: ['networking.k8s.io', 'v1', 'NetworkPolicy'], expected: 'v1/networkpolicies' },
    { why: 'built in with an s', gvk: ['networking.k8s.io', 'v1', 'Ingress'], expected: 'v1/ingresses' },
  ] as const;
  for (const { why, gvk, expected } of table) {
    it(`are served ${why}`, () => {
      const [group, version, kind] = gvk;
      const [served] = servedKinds([{ group, version, kind }], definitions);
      assert.equal(served && `${served.version}/${served.plural}`, expected);
    });
  }

  it('of several providers come once', () => {
    const provider = (...kinds: string[]): Provider =>
      ({ status: { resources: kinds.map(kind => ({ group: 'ex.com', version: 'v1', kind })) } }) as unknown as Provider;
    const kinds = serviceKindsOf([provider('B', 'A'), provider('A'), {} as Provider]);
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['A', 'B'],
    );
  });

  it('that a provider claims are not services when they are of Kubernetes or of the landscape', () => {
    const groups = ['', 'apps', 'rbac.authorization.k8s.io', 'core.openmcp.cloud', 'clusters.chandlery.io', 'ex.com'];
    const resources = groups.map(group => ({ group, version: 'v1', kind: 'Secret' }));
    const kinds = serviceKindsOf([{ status: { resources } } as unknown as Provider]);
    assert.deepEqual(
      kinds.map(({ group }) => group),
      ['ex.com'],
    );
  });

  it('that keep a tenant from going are configured, those of services always among them', () => {
    const service = { group: 'ex.com', version: 'v1', kind: 'Ox' };
    const names = (kinds: readonly { kind: string }[]): string[] => kinds.map(({ kind }) => kind);
    assert.deepEqual(names(kindsBlockingProject({})), ['Workspace']);
    assert.deepEqual(names(kindsBlockingWorkspace({}, [service])), ['ControlPlane', 'Ox', 'RetainedService']);
    assert.deepEqual(names(kindsBlockingWorkspace({ workspace: { resourcesBlockingDeletion: [] } }, [service])), [
      'Ox',
      'RetainedService',
    ]);
  });
});

describe('What remains', () => {
  const entry = (name: string): Remaining => ({ apiGroup: 'ex.com', kind: 'Ox', name, namespace: 'n' });

  it('is listed in a fixed order, with a limit', () => {
    const entries = Array.from({ length: 12 }, (_, index) => entry(`ox-${String(index).padStart(2, '0')}`));
    assert.equal(listRemaining(entries.toReversed()), listRemaining(entries));
    assert.match(listRemaining(entries), /^Ox "ox-00", .* and 2 more$/);
    assert.deepEqual(sortRemaining(entries.toReversed()), entries);
  });
});

describe('The roles of tenants', () => {
  const ox = { group: 'ex.com', version: 'v1', kind: 'Ox', plural: 'oxen' };
  const rulesOf = (name: string, config = {}): readonly Rule[] =>
    levelRoles(config, [ox]).find(({ metadata }) => metadata.name === name)?.['rules'] as Rule[];
  const verbsOn = (rules: readonly Rule[], resource: string): readonly string[] =>
    rules.filter(({ resources }) => resources?.includes(resource)).flatMap(({ verbs }) => verbs);

  it('let admins write and viewers read, and keep Secrets from viewers', () => {
    const admin = rulesOf('chandlery:workspace:admin');
    const view = rulesOf('chandlery:workspace:view');
    assert.ok(verbsOn(admin, 'oxen').includes('create') && verbsOn(admin, 'controlplanes').includes('delete'));
    assert.deepEqual(verbsOn(view, 'oxen'), ['get', 'list', 'watch']);
    assert.deepEqual(verbsOn(admin, 'secrets'), ['get', 'list', 'watch']);
    assert.deepEqual(verbsOn(view, 'secrets'), []);
    assert.deepEqual(verbsOn(rulesOf('chandlery:project:admin'), 'oxen'), []);
    for (const plural of ['serviceofferings', 'serviceplans'])
      assert.deepEqual(
        [verbsOn(admin, plural), verbsOn(view, plural)],
        Array(2).fill(['get', 'list', 'watch']),
        plural,
      );
  });

  it('have what the configuration adds', () => {
    const added = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
    const config = { project: { additionalPermissions: { view: [added] } } };
    assert.deepEqual(rulesOf('chandlery:project:view', config).at(-1), added);
    assert.deepEqual(verbsOn(rulesOf('chandlery:project:admin', config), 'configmaps'), []);
  });
});
