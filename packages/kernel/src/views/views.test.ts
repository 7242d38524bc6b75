import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import { openList } from '../resources/read.ts';
import { readParts } from '../resources/read-parts.ts';
import { startTestKernel, type TestKernel } from '../test-kernel.ts';

const view = (name: string, spec: object) => ({ metadata: { name }, spec: { view: spec } });
const clusters = 'core.chandlery.io/v1alpha1/logicalclusters';
const onPlatform = { cluster: 'platform' };
const ofTeam = (team: string) => ({ base: 'onboarding', namespaceSelector: { matchLabels: { team } } });

describe('Views', () => {
  let test: TestKernel;
  before(async () => {
    test = await startTestKernel();
    for (const [name, team] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
    ])
      await test.create('namespaces', { metadata: { name, labels: { team } } });
    for (const namespace of ['a1', 'a2', 'b1'])
      for (const name of ['x', 'y']) await test.create('configmaps', { metadata: { name } }, { namespace });
    await test.create(clusters, view('team-a', { ...ofTeam('a'), resources: ['configmaps'] }), onPlatform);
  });
  after(() => test[Symbol.asyncDispose]());

  it('hold no rows of their own', async () => {
    assert.deepEqual(await test.store.collections('team-a'), []);
  });

  it('are of a logical cluster that is there and no view, for good', async () => {
    const isInvalid = (error: unknown): boolean => isError(error, 'Invalid');
    for (const base of ['nowhere', 'team-a'])
      await assert.rejects(test.create(clusters, view('wrong', { ...ofTeam('a'), base }), onPlatform), isInvalid);
    const change = (spec: object | undefined) =>
      test.change(clusters, 'team-a', live => ({ ...live, spec: { view: spec } }), onPlatform);
    await assert.rejects(change({ ...ofTeam('b') }), isInvalid);
    await assert.rejects(change(undefined), isInvalid);
    const plain = () =>
      test.change(clusters, 'onboarding', live => ({ ...live, spec: { view: ofTeam('a') } }), onPlatform);
    await assert.rejects(plain(), isInvalid);
  });

  it('share the kinds of equal sets, which stay the same while others change', async () => {
    const kindsOf = async (name: string) =>
      (await test.kernel.views.find(name))?.kindsOf(await test.kernel.registry.of('onboarding'));
    await test.create(clusters, view('team-b', { ...ofTeam('b'), resources: ['configmaps'] }), onPlatform);
    await test.create(clusters, view('more', { ...ofTeam('b'), resources: ['configmaps', 'secrets'] }), onPlatform);
    const [a, b, more] = [await kindsOf('team-a'), await kindsOf('team-b'), await kindsOf('more')];
    assert.equal(a, b);
    assert.notEqual(a?.signature, more?.signature);
    assert.deepEqual([...(a?.all() ?? [])].map(({ kind }) => kind.resource).sort(), [
      '/configmaps',
      '/namespaces',
      'apiextensions.k8s.io/customresourcedefinitions',
    ]);
    assert.deepEqual(a?.get('/namespaces')?.kind.verbs, ['get', 'list', 'watch']);
  });

  it('list what is in their namespaces, page by page and as of one revision', async () => {
    const found = await test.kernel.views.find('team-a');
    const target = { ...(await test.target('configmaps')), namespace: '' };
    const user = { username: 'op', groups: ['system:masters'] };
    const kinds = found?.kindsOf(await test.kernel.registry.of('onboarding'));
    assert.ok(found && kinds);
    const visibility = await found.visibility(target.resource.kind, user, 'list', kinds);
    assert.ok(visibility);
    const seen: string[] = [];
    let token: string | undefined = '';
    for (let pages = 0; token !== undefined; pages++) {
      const page = await openList(test.deps, { ...target, visibility }, { limit: 3, continue: token });
      assert.equal(page.revision, visibility.revision);
      seen.push(...page.items.map(({ object }) => `${object.metadata.namespace}/${object.metadata.name}`));
      token = page.continue;
      if (pages === 0) await test.create('configmaps', { metadata: { name: 'z' } }, { namespace: 'a2' });
    }
    assert.deepEqual(seen, ['a1/x', 'a1/y', 'a2/x', 'a2/y']);
  });

  it('read single objects without looking at the others', async () => {
    const parts = [
      { namespace: 'a1', names: ['x'] },
      { namespace: 'b1', names: ['none', 'y'] },
    ];
    const at = await test.store.currentRevision();
    let rows = 0;
    const filter = () => ++rows > 0;
    const page = await readParts(test.deps, { cluster: 'onboarding', resource: '/configmaps', parts, at, filter });
    assert.deepEqual(
      page.items.map(({ key }) => `${key.namespace}/${key.name}`),
      ['a1/x', 'b1/y'],
    );
    assert.ok(rows <= 6, `${rows} rows`);
  });
});
