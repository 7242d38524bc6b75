import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, startTestLandscape, type TempFolder, tempFolder } from '@chandlery/testing';
import {
  foo,
  installScaffold,
  openControlPlane,
  openProject,
} from '../scenarios/provider-validation/support/foo-shop.ts';
import {
  gone,
  isTrue,
  type LooseObject,
  type Person,
  peopleOf,
  seen,
} from '../scenarios/provider-validation/support/people.ts';
import { scaffoldProvider } from '../scenarios/provider-validation/support/scaffold.ts';
import { type Caller, createCaller } from './support/caller.ts';
import { takeStableCensus } from './support/census.ts';

/** What kubectl prints when it is rejected. */
const refusal = /forbidden|unauthorized|must be logged in|doesn't have a resource type/i;
const crd = 'fooitems.foo.example.com';
const order = 'foos.foo.services.open-control-plane.io';
const [evesPlace, bobsPlace] = ['project-eve--ws-main', 'project-bob--ws-main'];
/** A tenant's admin, who has every right in the tenant's namespaces and no other. */
const asEve = ['--as=eve', '--as-group=system:authenticated'] as const;
const everything = { additionalPermissions: { admin: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] } };

const merge = (body: object): readonly string[] => ['--type=merge', '-p', JSON.stringify(body)];
const finalizers = (value: readonly string[] | null): readonly string[] => merge({ metadata: { finalizers: value } });

describe('A tenant with kubectl and every right of its own', () => {
  const closing = new AsyncDisposableStack();
  let admin: Caller;
  /** All rights on the onboarding cluster; impersonates the tenant. */
  let master: Person;
  let operator: Person;
  /** The tenants on their own control planes. */
  let eve: Person;
  let bob: Person;
  let unordered: readonly string[];
  let witness: string;

  const attempt = (...args: readonly string[]) => master.attempt(...args, ...asEve);
  const refused = async (person: Person, ...args: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await person.attempt(...args);
    assert.notEqual(code, 0, `kubectl ${args.join(' ')}: ${stdout}`);
    assert.match(stderr, refusal, args.join(' '));
  };
  const ready = (): Promise<LooseObject> => seen(master, ['foo', 'a', evesPlace], object => isTrue(object, 'Ready'));

  /** Whatever of the other tenant could change, with all versions: not even the same content may be written again. */
  async function stateOfBob(): Promise<string> {
    const kinds = 'foos,controlplanes,secrets,configmaps,roles,rolebindings,resourcequotas';
    const objects = JSON.parse(await master.run('get', kinds, '-n', bobsPlace, '-o', 'json')) as {
      items: LooseObject[];
    };
    const definition = await bob.find<LooseObject>('crd', crd);
    const project = await master.find<LooseObject>('project', 'bob');
    return [...objects.items, definition, project]
      .map(object => `${object?.kind} ${object?.metadata.name} ${object?.metadata.uid} ${JSON.stringify(object?.spec)}`)
      .sort()
      .join('\n');
  }

  const unharmed = async (wanted: readonly string[]): Promise<void> => {
    await eventually(
      async () => {
        assert.deepEqual(await takeStableCensus(admin), wanted);
        return true;
      },
      { timeoutMs: 60_000, pauseMs: 500, what: 'all clusters to be as before' },
    );
    assert.equal(await stateOfBob(), witness);
    await seen(master, ['foo', 'a', bobsPlace], object => isTrue(object, 'Ready'));
  };

  before(async () => {
    const folder: TempFolder = closing.use(await tempFolder());
    await scaffoldProvider(folder, 'foo');
    const landscape = closing.use(await startTestLandscape());
    admin = closing.use(createCaller(landscape, { token: landscape.token }));
    ({ operator, tenant: master } = peopleOf(landscape));
    const spec = { project: everything, workspace: everything };
    await master.run('patch', 'projectworkspaceconfig', 'default', ...merge({ spec }));
    for (const name of ['eve', 'bob']) await openProject(master, name, name);
    await installScaffold(operator, folder);
    eve = await openControlPlane(master, 'a', { folder, namespace: evesPlace });
    bob = await openControlPlane(master, 'a', { folder, namespace: bobsPlace });
    await master.apply(foo('a', bobsPlace));
    await seen(master, ['foo', 'a', bobsPlace], object => isTrue(object, 'Ready'));
    unordered = await takeStableCensus(admin);
    witness = await stateOfBob();
  });
  after(() => closing.disposeAsync());

  it('leaks nothing by finalizers, labels and owners of its order and its places', async () => {
    await master.apply(foo('a', evesPlace));
    await ready();
    for (const place of [
      [order, 'a', '-n', evesPlace],
      ['controlplane', 'a', '-n', evesPlace],
      ['workspace', 'main', '-n', 'project-eve'],
      ['project', 'eve'],
    ]) {
      await refused(master, 'patch', ...place, ...finalizers(null), ...asEve);
      await refused(master, 'patch', ...place, ...finalizers(['core.openmcp.cloud/hold']), ...asEve);
    }
    await refused(master, 'patch', order, 'a', '-n', evesPlace, ...finalizers([`${order}/more`]), ...asEve);
    const none = 'b8d0c3f4-0000-0000-0000-000000000000';
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: none, blockOwnerDeletion: true };
    await attempt('patch', order, 'a', '-n', evesPlace, ...merge({ metadata: { ownerReferences: [owner] } }));
    await attempt('patch', order, 'a', '-n', evesPlace, ...merge({ metadata: { ownerReferences: null } }));
    await attempt('label', order, 'a', '-n', evesPlace, 'openmcp.cloud/managed-by=eve', 'sdk.chandlery.io/instance=x');
    await refused(master, 'label', '--overwrite', 'namespace', evesPlace, 'core.openmcp.cloud/project=bob', ...asEve);
    const ofBob = await master.run('get', 'namespaces', '-l', 'core.openmcp.cloud/project=bob', '-o', 'name');
    assert.doesNotMatch(ofBob, /eve/);
    // An owner that does not exist lets the garbage collector delete the order, perhaps already now.
    const deleted = await attempt(
      'delete',
      order,
      'a',
      '-n',
      evesPlace,
      '--cascade=orphan',
      '--timeout=60s',
      '--ignore-not-found',
    );
    assert.equal(deleted.code, 0, deleted.stderr);
    await gone(master, [order, 'a', evesPlace]);
    await unharmed(unordered);
  });

  it('does not freeze its provider by rights, accounts, quotas and definitions on its control plane', async () => {
    await master.apply(foo('a', evesPlace));
    await ready();
    const marks = ['openmcp.cloud/managed-by=eve', 'sdk.chandlery.io/handed-over=true'];
    await eve.run('label', '--overwrite', 'crd', crd, ...marks);
    await eve.run('patch', 'crd', crd, ...finalizers(['eve.example/hold']));
    await eve.attempt('create', 'quota', 'none', '--hard=pods=0,secrets=0,count/fooitems.foo.example.com=0');
    await eve.attempt('create', 'quota', 'none', '-n', 'openmcp-access', '--hard=count/serviceaccounts=0,secrets=0');
    const bindings = (await eve.list<LooseObject>('clusterrolebindings')).map(({ metadata }) => metadata.name);
    const granted = bindings.filter(name => name.startsWith('openmcp:permission:'));
    assert.ok(granted.length > 0);
    await eve.run('delete', 'clusterrolebinding', ...granted);
    const accounts = await eve.list<LooseObject>('serviceaccounts', '-n', 'openmcp-access');
    const requestOf = ({ metadata }: LooseObject) =>
      metadata.labels?.['clusters.openmcp.cloud/accessrequest-name'] ?? '';
    const ofProvider = accounts.filter(account => requestOf(account).startsWith('foo--'));
    assert.equal(ofProvider.length, 1);
    await eve.run(
      'delete',
      'serviceaccount',
      '-n',
      'openmcp-access',
      ...ofProvider.map(({ metadata }) => metadata.name),
    );
    await seen(eve, ['crd', crd], ({ metadata }) => metadata.labels?.['openmcp.cloud/managed-by'] === 'foo');
    await master.run('patch', order, 'a', '-n', evesPlace, ...merge({ spec: { greeting: 'Ahoy' } }), ...asEve);
    await seen(
      master,
      [order, 'a', evesPlace],
      object => isTrue(object, 'Ready') && object.status?.observedGeneration === object.metadata.generation,
    );
    assert.equal(await stateOfBob(), witness);
    await eve.run('patch', 'crd', crd, ...finalizers(null));
    await eve.run('delete', 'quota', '--all', '-A');
    await master.run('delete', order, 'a', '-n', evesPlace, '--timeout=60s', ...asEve);
    await becomesButForAccess();
  });

  /** On the tenant's own control plane, what the tenant deleted was made again, as another of the same name. */
  async function becomesButForAccess(): Promise<void> {
    const { name } = (
      await master
        .run('get', 'controlplane', 'a', '-n', evesPlace, '-o', 'json')
        .then(text => JSON.parse(text) as { status: { cluster?: { name: string } } })
    ).status.cluster ?? { name: '' };
    const withoutIds = (entries: readonly string[]): readonly string[] =>
      entries.map(entry => (entry.startsWith(`${name} `) || name === '' ? entry.replace(/ \S+$/, '') : entry)).sort();
    await eventually(
      async () => {
        assert.deepEqual(withoutIds(await takeStableCensus(admin)), withoutIds(unordered));
        return true;
      },
      { timeoutMs: 60_000, pauseMs: 500, what: 'all clusters to be as before' },
    );
    unordered = await takeStableCensus(admin);
  }

  it('breaks out nowhere: what is not its own cannot be read, written, bound or limited', async () => {
    const onOnboarding: readonly (readonly string[])[] = [
      ['get', order, '-n', bobsPlace],
      ['get', order, '-A'],
      ['delete', order, 'a', '-n', bobsPlace],
      ['patch', order, 'a', '-n', bobsPlace, ...finalizers(null)],
      ['label', order, 'a', '-n', bobsPlace, 'a=b'],
      ['get', 'secret', 'token-admin.a.kubeconfig', '-n', bobsPlace],
      ['create', 'quota', 'none', '-n', bobsPlace, '--hard=pods=0'],
      ['create', 'rolebinding', 'mine', '-n', bobsPlace, '--clusterrole=cluster-admin', '--user=eve'],
      ['create', 'clusterrolebinding', 'mine', '--clusterrole=cluster-admin', '--user=eve'],
      ['create', 'clusterrole', 'mine', '--verb=*', '--resource=*.*'],
      ['create', 'namespace', 'project-bob--ws-stolen'],
      ['delete', 'namespace', bobsPlace],
      ['patch', 'project', 'bob', ...merge({ spec: { members: [{ kind: 'User', name: 'eve', roles: ['admin'] }] } })],
      ['delete', 'crd', order],
      ['patch', 'crd', order, ...merge({ metadata: { labels: { 'openmcp.cloud/managed-by': 'eve' } } })],
      ['get', 'nodes'],
    ];
    for (const args of onOnboarding) await refused(master, ...args, ...asEve);
    const onPlatform: readonly (readonly string[])[] = [
      ['get', 'serviceproviders'],
      ['delete', 'serviceprovider', 'foo'],
      ['get', 'accessrecords', '-n', 'openmcp-system'],
      ['delete', 'accessrequests', '--all', '-n', 'openmcp-system'],
      ['get', 'secrets', '-A'],
      ['get', 'hostimages'],
    ];
    for (const args of onPlatform) await refused(operator, ...args, ...asEve);
    await unharmed(unordered);
  });

  it('has no use for the kubeconfig of its control plane anywhere else', async () => {
    const url = (await eve.run('config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}')).trim();
    const elsewhere = (
      await bob.run('config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}')
    ).trim();
    assert.notEqual(url, elsewhere);
    const base = url.slice(0, url.lastIndexOf('/'));
    for (const server of [elsewhere, `${base}/platform`, `${base}/onboarding`, `${base}/workload`])
      for (const args of [
        ['get', 'namespaces'],
        ['get', 'secrets', '-A'],
        ['create', 'configmap', 'stolen', '-n', 'default'],
      ])
        await refused(eve, ...args, `--server=${server}`);
    await unharmed(unordered);
  });
});
