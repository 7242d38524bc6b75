import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { tenantNamespace } from '@chandlery/clusters/kinds';
import { eventually, startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { conditionOf, gone, isTrue, type LooseObject, type Person, peopleOf, seen } from './support/people.ts';
import { scaffoldProvider } from './support/scaffold.ts';

const workspace = 'project-shop--ws-main';
const crd = 'foos.foo.services.open-control-plane.io';
/** A tenant's admin, who has every right in the workspace and no other. */
const asAnne = ['--as=anne', '--as-group=system:authenticated'] as const;

/** What tenants and operators may not break, with kubectl in their hands. */
describe('The guards of a service provider', () => {
  let landscape: TestLandscape;
  let folder: TempFolder;
  let operator: Person;
  /** All rights on the onboarding cluster. */
  let master: Person;

  const foo = (name: string): object => ({
    apiVersion: 'foo.services.open-control-plane.io/v1alpha1',
    kind: 'Foo',
    metadata: { name, namespace: workspace },
    spec: { version: 'v1' },
  });
  const strip = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'] as const;

  /** All requests, Secrets of access and pods of the landscape, by name. */
  async function census(): Promise<readonly string[]> {
    const kinds = ['accessrequests', 'clusterrequests', 'clusters', 'secrets', 'pods', 'configmaps'];
    const found = kinds.map(async kind =>
      (await operator.list<LooseObject>(kind, '-A')).map(
        ({ metadata }) =>
          `${kind} ${metadata.namespace ?? ''}/${metadata.name.replace(/-[a-z0-9]{5,10}-[a-z0-9]{5}$/, '')}`,
      ),
    );
    return (await Promise.all(found)).flat().sort();
  }

  before(async () => {
    folder = await tempFolder();
    await scaffoldProvider(folder, 'foo');
    landscape = await startTestLandscape();
    ({ operator, tenant: master } = peopleOf(landscape));
    const admin = { kind: 'User', name: 'anne', roles: ['admin'] };
    const group = 'core.openmcp.cloud/v1alpha1';
    await master.apply({ apiVersion: group, kind: 'Project', metadata: { name: 'shop' }, spec: { members: [admin] } });
    await seen(master, ['project', 'shop'], object => isTrue(object, 'Ready'));
    const at = { name: 'main', namespace: 'project-shop' };
    await master.apply({ apiVersion: group, kind: 'Workspace', metadata: at, spec: { members: [admin] } });
    await seen(master, ['workspace', 'main', 'project-shop'], object => isTrue(object, 'Ready'));
    await operator.apply(await readFile(folder.join('foo', 'install.yaml'), 'utf8'));
    await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Initialized'));
    await operator.apply(await readFile(folder.join('foo', 'config.yaml'), 'utf8'));
    await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Ready'));
    await master.apply({
      apiVersion: 'core.open-control-plane.io/v2alpha1',
      kind: 'ControlPlane',
      metadata: { name: 'a', namespace: workspace },
    });
    await seen(master, ['controlplane', 'a', workspace], object => isTrue(object, 'Ready'));
  });
  after(async () => {
    await landscape[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  it('keep a tenant from finalizers, and nothing outlives an order that was removed by force', async () => {
    const before = await census();
    await master.apply(foo('a'));
    await seen(master, ['foo', 'a', workspace], object => isTrue(object, 'Ready'));
    await master.run('annotate', 'foo', 'a', '-n', workspace, 'openmcp.cloud/operation=ignore', ...asAnne);
    await seen(master, ['foo', 'a', workspace], object => isTrue(object, 'Paused'));
    await master.run('delete', 'foo', 'a', '-n', workspace, '--wait=false', ...asAnne);
    const paused = await seen(
      master,
      ['foo', 'a', workspace],
      object => conditionOf(object, 'Paused')?.reason === 'DeletionPaused',
    );
    assert.match(conditionOf(paused, 'Paused')?.message ?? '', /remove the annotation openmcp\.cloud\/operation/);
    const refused = await master.attempt('patch', 'foo', 'a', '-n', workspace, ...strip, ...asAnne);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /forbidden.*finalizer.*provider "foo" alone/s);
    for (const place of [
      ['controlplane', 'a', '-n', workspace],
      ['project', 'shop'],
    ]) {
      const { code, stderr } = await master.attempt('patch', ...place, ...strip, ...asAnne);
      assert.notEqual(code, 0);
      assert.match(stderr, /by the landscape alone/);
    }
    await master.run('patch', 'foo', 'a', '-n', workspace, ...strip);
    await gone(master, ['foo', 'a', workspace]);
    await eventually(
      async () => {
        assert.deepEqual(await census(), before);
        return true;
      },
      { timeoutMs: 120_000, pauseMs: 500, what: 'everything to be as before' },
    );
    const left = await operator.list(
      'accessrequests',
      '-n',
      tenantNamespace(workspace, 'a'),
      '-l',
      'openmcp.cloud/managed-by=foo',
    );
    assert.deepEqual(left, []);
  });

  it('put back an edited definition, and refuse to delete one without a word', async () => {
    const { spec } = (await master.find('crd', crd)) ?? {};
    await master.run('patch', 'crd', crd, '--type=merge', '-p', '{"spec":{"names":{"shortNames":["mine"]}}}');
    await seen(master, ['crd', crd], object => JSON.stringify(object.spec) === JSON.stringify(spec));
    const refused = await master.attempt('delete', 'crd', crd);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /delete ServiceProvider "foo".*confirm-deletion/s);
    const { metadata } = (await master.find<LooseObject>('crd', crd)) ?? { metadata: undefined };
    await master.run('annotate', 'crd', crd, `core.chandlery.io/confirm-deletion=${crd}`);
    await master.run('delete', 'crd', crd, '--wait=false');
    await seen(master, ['crd', crd], object => object.metadata.uid !== metadata?.uid && isTrue(object, 'Established'));
    await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Ready') && isTrue(object, 'APIReady'));
    await master.apply(foo('a'));
    await seen(master, ['foo', 'a', workspace], object => isTrue(object, 'Ready'));
  });

  it('refuse new orders while the provider is being removed, and let it go without a trace', async () => {
    await operator.run('delete', 'serviceprovider', 'foo', '--wait=false');
    await seen(operator, ['serviceprovider', 'foo'], object =>
      (conditionOf(object, 'Uninstalled')?.message ?? '').includes('Foo'),
    );
    await assert.rejects(master.apply(foo('late')), /being removed and takes no new orders/);
    await master.run('patch', 'foo', 'a', '-n', workspace, '--type=merge', '-p', '{"spec":{"greeting":"Ahoy"}}');
    await master.run('delete', 'foo', 'a', '-n', workspace);
    await gone(operator, ['serviceprovider', 'foo']);
    const left = (await census()).filter(entry => /foo--|sp-foo/.test(entry));
    assert.deepEqual(left, []);
  });
});
