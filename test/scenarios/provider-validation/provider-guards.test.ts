import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { tenantNamespace } from '@chandlery/clusters/kinds';
import { eventually, startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { type Caller, createCaller } from '../../security/support/caller.ts';
import { takeNames } from './support/all-clusters.ts';
import { controlPlane, foo, installScaffold, openProject, workspace } from './support/foo-shop.ts';
import { conditionOf, gone, isTrue, type LooseObject, type Person, peopleOf, seen } from './support/people.ts';
import { addPlatformFeatures } from './support/platform-features.ts';
import { forgetRecords, readMetrics, startProvider, stopProvider } from './support/provider-process.ts';
import { scaffoldProvider } from './support/scaffold.ts';

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
  let caller: Caller;

  const strip = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'] as const;

  /** Everything on all clusters, and every process of the landscape. */
  const census = (): Promise<readonly string[]> => takeNames(landscape, caller);
  const becomes = (wanted: readonly string[]): Promise<unknown> =>
    eventually(
      async () => {
        assert.deepEqual(await census(), wanted);
        return true;
      },
      { timeoutMs: 120_000, pauseMs: 500, what: 'everything to be as before' },
    );

  before(async () => {
    folder = await tempFolder();
    await addPlatformFeatures(await scaffoldProvider(folder, 'foo'));
    landscape = await startTestLandscape();
    caller = createCaller(landscape, { token: landscape.token });
    ({ operator, tenant: master } = peopleOf(landscape));
    await openProject(master, 'shop', 'anne');
    await installScaffold(operator, folder);
    await master.apply(controlPlane('a'));
    await seen(master, ['controlplane', 'a', workspace], object => isTrue(object, 'Ready'));
  });
  after(async () => {
    await caller[Symbol.asyncDispose]();
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
    await becomes(before);
  });

  it('let nothing outlive an order whose control plane went while no provider ran, and serve what is older', async () => {
    const before = await census();
    await master.apply(foo('a'));
    await seen(master, ['foo', 'a', workspace], object => isTrue(object, 'Ready'));
    const withOne = await census();
    await master.apply(controlPlane('b'));
    await master.apply(foo('b'));
    await seen(master, ['foo', 'b', workspace], object => isTrue(object, 'Ready'));
    const ofService = /^workload (v1\/namespaces|apps\/v1\/deployments) /;
    const home = (await census()).filter(entry => ofService.test(entry) && !withOne.includes(entry));
    assert.equal(home.length, 2, 'a namespace and a Deployment on the workload cluster');
    await stopProvider(operator, 'foo');
    await forgetRecords(operator, tenantNamespace(workspace, 'a'), 'a');
    await master.run('delete', 'foo', 'b', '-n', workspace, '--wait=false');
    await master.run('patch', 'foo', 'b', '-n', workspace, ...strip);
    await master.run('delete', 'controlplane', 'b', '-n', workspace);
    const left = await census();
    assert.deepEqual(
      home.filter(entry => !left.includes(entry)),
      [],
      'the service is still there, and no request',
    );
    await startProvider(operator, 'foo');
    await becomes(withOne);
    await master.run('patch', 'foo', 'a', '-n', workspace, '--type=merge', '-p', '{"spec":{"greeting":"Ahoy"}}');
    await seen(master, ['foo', 'a', workspace], isUpToDate);
    await master.run('delete', 'foo', 'a', '-n', workspace);
    await becomes(before);
  });

  it('give an order the name of an existing service, and write back what the service chose', async () => {
    const named = foo('a') as { metadata: object; spec: object };
    const annotations = { 'openmcp.cloud/external-name': 'legacy-42' };
    await master.apply({ ...named, metadata: { ...named.metadata, annotations } });
    const chosen = await seen(master, ['foo', 'a', workspace], object => isTrue(object, 'Ready') && isChosen(object));
    assert.equal(chosen.spec?.['region'], 'eu-1');
    assert.equal(await accountOf(master, 'a'), 'legacy-42');
    await master.run(
      'patch',
      'foo',
      'a',
      '-n',
      workspace,
      '--type=merge',
      '-p',
      '{"spec":{"region":"us-2"}}',
      ...asAnne,
    );
    const kept = await seen(master, ['foo', 'a', workspace], isUpToDate);
    assert.equal(kept.spec?.['region'], 'us-2', 'what is set is never overwritten');
    await master.run('annotate', 'foo', 'a', '-n', workspace, 'openmcp.cloud/external-name-');
    await eventually(async () => (await accountOf(master, 'a')) === 'a', { timeoutMs: 60_000, what: 'its own name' });
  });

  it('keep to the limits that the operator sets by flags', async () => {
    const runCommand = ['run', '--max-concurrent-reconciles=3', '--rate-limit=1', '--rate-limit-burst=1'];
    const body = JSON.stringify({ spec: { runCommand } });
    await operator.run('patch', 'serviceprovider', 'foo', '--type=merge', '-p', body);
    await seen(operator, ['serviceprovider', 'foo'], object => isUpToDate(object) && isTrue(object, 'Ready'));
    const metrics = (): Promise<string> => readMetrics(operator, 'foo');
    await eventually(async () => /max_concurrent_reconciles\{controller="foo-foos"\} 3/.test(await metrics()));
    const countPasses = async (): Promise<number> =>
      [...(await metrics()).matchAll(/^controller_runtime_reconcile_total\{controller="foo-foos".*\} (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    const [passes, beganMs] = [await countPasses(), performance.now()];
    const changes = Array.from({ length: 8 }, (_, index) => `change-${index}=x`);
    for (const change of changes) await master.run('annotate', 'foo', 'a', '-n', workspace, change);
    const allowed = (performance.now() - beganMs) / 1000 + 2;
    const made = (await countPasses()) - passes;
    assert.ok(made > 0 && made <= allowed, `${made} passes, ${allowed} allowed`);
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
    const left = (await census()).filter(
      entry => /foo--|sp-foo|foo-provider/.test(entry) && !entry.includes('hostimages'),
    );
    assert.deepEqual(left, []);
  });
});

/** Whether the status of an object is ready for its latest generation. */
const isUpToDate = (object: LooseObject): boolean =>
  object.status?.observedGeneration === object.metadata.generation && isTrue(object, 'Ready');

const isChosen = ({ spec }: LooseObject): boolean => spec?.['region'] !== undefined;

/** What the service was called when it was looked at last. */
async function accountOf(person: Person, name: string): Promise<string> {
  const secret = await person.find('secret', `foo-${name}-connection`, workspace);
  return Buffer.from(secret?.data?.['account'] ?? '', 'base64').toString();
}
