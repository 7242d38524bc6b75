import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError, type KubeObject, matchesLabels, parseLabelSelector } from '@chandlery/api';
import fc from 'fast-check';
import { startTestKernel, type TestKernel } from '../test-kernel.ts';
import { type ListRequest, type ListResult, listObjects } from './read.ts';

const namesOf = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name ?? '');
const labelValues = fc.constantFrom('a', 'b', 'c');
const labels = fc.record({ x: labelValues, y: labelValues }, { requiredKeys: [] });
const requirement = fc.oneof(
  fc.tuple(fc.constantFrom('x', 'y'), fc.constantFrom('=', '!='), labelValues).map(parts => parts.join('')),
  fc
    .tuple(fc.constantFrom('x', 'y'), fc.constantFrom('in', 'notin'), fc.uniqueArray(labelValues, { minLength: 1 }))
    .map(([key, operator, values]) => `${key} ${operator} (${values.join()})`),
  fc.constantFrom('x', 'y', '!x', '!y'),
);

describe('listing objects', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel();
  });
  after(() => plane[Symbol.asyncDispose]());

  const list = async (namespace: string, request: ListRequest): Promise<ListResult> =>
    listObjects(plane.deps, await plane.target('configmaps', { namespace }), request);

  test('by labels on indexes finds just what a naive filter finds', async () => {
    const namespace = await plane.newNamespace();
    const objects = fc.sample(labels, { numRuns: 40, seed: 7 });
    await Promise.all(
      objects.map((own, index) =>
        plane.create('configmaps', { metadata: { name: `o-${index}`, labels: own } }, { namespace }),
      ),
    );
    const all = await plane.list('configmaps', {}, { namespace });
    await fc.assert(
      fc.asyncProperty(fc.array(requirement, { minLength: 1, maxLength: 3 }), async requirements => {
        const labelSelector = requirements.join(',');
        const selector = parseLabelSelector(labelSelector);
        const expected = all.filter(({ metadata }) => matchesLabels(selector, metadata.labels ?? {}));
        assert.deepEqual(namesOf(await plane.list('configmaps', { labelSelector }, { namespace })), namesOf(expected));
      }),
      { numRuns: 40 },
    );
  });

  test('by fields finds what they say, by their other names too', async () => {
    const namespace = await plane.newNamespace();
    const types = ['kubernetes.io/tls', 'Opaque', 'Opaque'];
    const data = { 'tls.crt': '', 'tls.key': '' };
    for (const [index, type] of types.entries()) {
      await plane.create('secrets', { metadata: { name: `s-${index}` }, type, data }, { namespace });
    }
    const select = async (fieldSelector: string) =>
      namesOf(await plane.list('secrets', { fieldSelector }, { namespace }));
    assert.deepEqual(await select('type=Opaque'), ['s-1', 's-2']);
    assert.deepEqual(await select('type!=Opaque'), ['s-0']);
    assert.deepEqual(await select('metadata.name=s-1'), ['s-1']);
    assert.deepEqual(await select('metadata.name=s-1,metadata.name=s-2'), []);
    assert.deepEqual(await select('metadata.name=s-1,type=kubernetes.io/tls'), []);
    assert.deepEqual(await select('metadata.namespace=elsewhere'), []);
    assert.deepEqual(
      namesOf(
        await plane.list(
          'secrets',
          { fieldSelector: `metadata.namespace=${namespace},metadata.name!=s-0` },
          { namespace: '' },
        ),
      ),
      ['s-1', 's-2'],
    );
    assert.deepEqual(namesOf(await plane.list('namespaces', { fieldSelector: `metadata.name=${namespace}` })), [
      namespace,
    ]);
    await assert.rejects(
      select('data.a=b'),
      error => isError(error, 'BadRequest') && error.message === 'field label not supported: data.a',
    );
    const job = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } };
    await plane.create('batch/v1/jobs', { ...job, metadata: { name: 'j' } }, { namespace });
    await plane.change('batch/v1/jobs', 'j', live => void Object.assign(live, { status: { succeeded: 1 } }), {
      namespace,
      endpoint: 'status',
    });
    for (const field of ['status.successful', 'status.succeeded']) {
      assert.deepEqual(namesOf(await plane.list('batch/v1/jobs', { fieldSelector: `${field}=1` }, { namespace })), [
        'j',
      ]);
    }
  });

  test('in pages shows just the state of the first page while others write', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.nat(19), { maxLength: 30 }),
        async (limit, changes) => {
          const namespace = await plane.newNamespace();
          await Promise.all(
            Array.from({ length: 12 }, (_, index) =>
              plane.create('configmaps', { metadata: { name: `o-${index}` } }, { namespace }),
            ),
          );
          const expected = namesOf(await plane.list('configmaps', {}, { namespace }));
          const waiting = [...changes];
          const disturb = async (): Promise<void> => {
            const index = waiting.shift();
            if (index === undefined) return;
            const name = `o-${index}`;
            const isThere = (await plane.find('configmaps', name, { namespace })) !== undefined;
            if (isThere) await plane.delete('configmaps', name, {}, { namespace });
            else await plane.create('configmaps', { metadata: { name } }, { namespace });
          };
          let page = await list(namespace, { limit });
          const seen = page.items.map(({ object }) => object);
          while (page.continue !== undefined) {
            // One after the other: two that toggle the same object would get in each other's way.
            await disturb();
            await disturb();
            const next: ListResult = await list(namespace, { limit, continue: page.continue });
            assert.equal(next.revision, page.revision);
            seen.push(...next.items.map(({ object }) => object));
            page = next;
          }
          assert.deepEqual(namesOf(seen), expected);
        },
      ),
      { numRuns: 6 },
    );
  });

  test('states how many follow, and continues inconsistently from a token that is too old', async () => {
    const namespace = await plane.newNamespace();
    for (const name of ['a', 'b', 'c', 'd']) await plane.create('configmaps', { metadata: { name } }, { namespace });
    const first = await list(namespace, { limit: 1 });
    assert.equal(first.remaining, 3);
    await plane.delete('configmaps', 'b', {}, { namespace });
    const present = await plane.store.currentRevision();
    await plane.store.compact(present);
    const token = await list(namespace, { limit: 1, continue: first.continue ?? '' }).then(
      () => assert.fail('the snapshot should be forgotten'),
      (error: unknown) => (isError(error, 'Expired') ? error.details.continueToken : assert.fail(String(error))),
    );
    const rest = await list(namespace, { continue: token ?? '' });
    assert.deepEqual(namesOf(rest.items.map(({ object }) => object)), ['c', 'd']);
  });

  test('at a revision shows that state exactly, or one that is not older', async () => {
    const namespace = await plane.newNamespace();
    const { revision } = await plane.create('configmaps', { metadata: { name: 'a' } }, { namespace });
    await plane.create('configmaps', { metadata: { name: 'b' } }, { namespace });
    const resourceVersion = String(revision);
    const names = async (request: ListRequest) =>
      namesOf((await list(namespace, request)).items.map(({ object }) => object));
    assert.deepEqual(await names({ resourceVersion, resourceVersionMatch: 'Exact' }), ['a']);
    assert.deepEqual(await names({ resourceVersion, limit: 5 }), ['a']);
    assert.deepEqual(await names({ resourceVersion, resourceVersionMatch: 'NotOlderThan' }), ['a', 'b']);
    assert.deepEqual(await names({ resourceVersion }), ['a', 'b']);
    assert.deepEqual(await names({ resourceVersion: '0' }), ['a', 'b']);
  });

  const refusals: readonly { why: string; request: ListRequest; code: string }[] = [
    { why: 'a match without a version', request: { resourceVersionMatch: 'Exact' }, code: 'Invalid' },
    {
      why: 'an exact match of version 0',
      request: { resourceVersion: '0', resourceVersionMatch: 'Exact' },
      code: 'Invalid',
    },
    { why: 'an unknown match', request: { resourceVersion: '1', resourceVersionMatch: 'Roughly' }, code: 'Invalid' },
    { why: 'a version that is no number', request: { resourceVersion: 'abc' }, code: 'BadRequest' },
    { why: 'a token that is none', request: { continue: 'abc' }, code: 'BadRequest' },
    { why: 'a token and a version', request: { continue: 'abc', resourceVersion: '3' }, code: 'Invalid' },
    {
      why: 'a version in the future',
      request: { resourceVersion: '999999999999', resourceVersionMatch: 'Exact' },
      code: 'Timeout',
    },
  ];
  for (const { why, request, code } of refusals) {
    test(`is rejected for ${why}`, async () => {
      await assert.rejects(list('default', request), error => isError(error, code));
    });
  }
});

describe('events', () => {
  test('are the same objects in both of their groups', async () => {
    await using plane = await startTestKernel();
    const about = { kind: 'Pod', namespace: 'default', name: 'p' };
    await plane.create('events', {
      metadata: { name: 'old' },
      involvedObject: about,
      reason: 'Started',
      message: 'It started.',
      type: 'Normal',
      source: { component: 'kubelet', host: 'node-1' },
      count: 3,
      firstTimestamp: '2030-01-01T00:00:00Z',
    });
    await plane.create('events.k8s.io/v1/events', {
      metadata: { name: 'new' },
      regarding: about,
      reason: 'Stopped',
      note: 'It stopped.',
      type: 'Warning',
      action: 'Stop',
      eventTime: '2030-01-01T00:00:00.000000Z',
      reportingController: 'example.org/controller',
      reportingInstance: 'one',
    });
    const view = await plane.get('events.k8s.io/v1/events', 'old');
    assert.deepEqual(
      [view.apiVersion, view['regarding'], view['note'], view['deprecatedSource'], view['deprecatedCount']],
      ['events.k8s.io/v1', about, 'It started.', { component: 'kubelet', host: 'node-1' }, 3],
    );
    const core = await plane.get('events', 'new');
    assert.deepEqual(
      [core.apiVersion, core['involvedObject'], core['message'], core['reportingComponent'], core['note']],
      ['v1', about, 'It stopped.', 'example.org/controller', undefined],
    );
    await plane.change(
      'events.k8s.io/v1/events',
      'new',
      event => void Object.assign(event, { note: 'It stopped again.' }),
    );
    assert.equal((await plane.get('events', 'new'))['message'], 'It stopped again.');
    const select = async (resource: string, fieldSelector: string) =>
      namesOf(await plane.list(resource, { fieldSelector }));
    assert.deepEqual(await select('events.k8s.io/v1/events', 'regarding.name=p'), ['new', 'old']);
    assert.deepEqual(await select('events.k8s.io/v1/events', 'reportingController=example.org/controller'), ['new']);
    assert.deepEqual(await select('events', 'involvedObject.name=p,type=Warning'), ['new']);
    assert.deepEqual(await select('events', 'source=kubelet'), ['old']);
    await plane.delete('events.k8s.io/v1/events', 'old');
    assert.deepEqual(namesOf(await plane.list('events')), ['new']);
  });
});
