import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import type { RunningAgent } from './start-agent.ts';
import { objectsIn, sleepProgram, startTestWorld, type TestWorld } from './test-agent.ts';
import { type ListedOptions, listedInstance, type TestReport } from './test-control-plane.ts';

const namespaces: ResourceRef = { group: '', version: 'v1', plural: 'namespaces' };
const deployments: ResourceRef = { group: 'apps', version: 'v1', plural: 'deployments' };
const secrets: ResourceRef = { group: '', version: 'v1', plural: 'secrets' };
const pods: ResourceRef = { group: '', version: 'v1', plural: 'pods' };

/** `sleep 600`, `sleep 700`: versions that a shell can run. */
const v1 = '600';
const v2 = '700';

let world: TestWorld;
let agent: RunningAgent;
before(async () => {
  world = await startTestWorld({ program: sleepProgram });
  agent = await world.startAgent();
});
after(() => world[Symbol.asyncDispose]());

const put = (id: string, options: Partial<ListedOptions> = {}): void =>
  world.controlPlane.put(listedInstance({ id, version: v1, ...options }));

const reported = (id: string, fits: (report: TestReport) => boolean): Promise<TestReport> =>
  eventually(
    () => {
      const report = world.controlPlane.reports.get(id);
      return report !== undefined && fits(report) && report;
    },
    { what: `a report of ${id}`, timeoutMs: 20_000 },
  );
const reason = (report: TestReport): string => report.conditions[0]?.reason ?? '';
const ready = (id: string): Promise<TestReport> => reported(id, report => report.conditions[0]?.status === 'True');

const namespaceOf = async (id: string): Promise<KubeObject | undefined> => {
  try {
    return await world.client.get({ ...namespaces, name: `dinosaur-${id}` });
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
};

test('the cluster is reported with the versions of the program', async () => {
  await eventually(() => world.controlPlane.clusterReport !== undefined);
  assert.deepEqual(world.controlPlane.clusterReport, {
    conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'The agent runs.' }],
    dinosaurOperator: [{ version: '1.0.0-1', ready: true, dinosaurVersions: ['1.0.0', '2.0.0'] }],
  });
});

test('an instance is installed, upgraded, suspended, resumed and removed without a trace', async () => {
  put('life');
  const first = await ready('life');
  assert.deepEqual(first.versions, { dinosaur: v1, dinosaurOperator: '1.0.0-1' });
  put('life', { version: v2 });
  await reported('life', ({ versions }) => versions['dinosaur'] === v2);
  put('life', { version: v2, isSuspended: true });
  await reported('life', report => reason(report) === 'Suspended');
  assert.deepEqual(await objectsIn(world.client, pods, 'life'), []);
  put('life', { version: v2 });
  await ready('life');
  put('life', { version: v2, isDeleted: true });
  await reported('life', report => reason(report) === 'Deleted');
  assert.equal(await namespaceOf('life'), undefined);
});

test('secrets are fetched when they are needed and not otherwise', async () => {
  put('secret');
  await ready('secret');
  const fetches = (): number => world.controlPlane.requests.filter(request => request.endsWith('/secret')).length;
  assert.equal(fetches(), 1);
  world.controlPlane.put(listedInstance({ id: 'other', version: v1 }));
  await ready('other');
  assert.equal(fetches(), 1);
  const [secret] = await objectsIn(world.client, secrets, 'secret');
  assert.equal((secret?.['data'] as Record<string, string>)['key'], Buffer.from('KEY').toString('base64'));
});

test('what somebody deletes or changes is put back', async () => {
  put('drift');
  await ready('drift');
  const at = { namespace: 'dinosaur-drift', name: 'tls' };
  const data = { key: Buffer.from('FORGED').toString('base64') };
  await world.client.patch({ ...secrets, ...at }, { type: 'merge', body: { data } }, { fieldManager: 'somebody' });
  const isKey = ([secret]: readonly KubeObject[]): boolean =>
    (secret?.['data'] as Record<string, string> | undefined)?.['key'] === Buffer.from('KEY').toString('base64');
  await eventually(async () => isKey(await objectsIn(world.client, secrets, 'drift')));
  await world.client.delete({ ...deployments, namespace: 'dinosaur-drift', name: 'main' });
  await eventually(async () => (await objectsIn(world.client, deployments, 'drift')).length === 1);
});

test('an instance that is no longer listed stays, and one that comes with another placement is made anew', async () => {
  put('stays');
  await ready('stays');
  const before = await namespaceOf('stays');
  world.controlPlane.drop('stays');
  put('marker');
  await ready('marker');
  await sleep(200);
  assert.equal((await namespaceOf('stays'))?.metadata.uid, before?.metadata.uid);
  put('stays', { placementId: 'p2' });
  await eventually(async () => {
    const { metadata } = (await namespaceOf('stays')) ?? {};
    return (
      metadata?.uid !== before?.metadata.uid && metadata?.annotations?.['fleet.chandlery.io/placement-id'] === 'p2'
    );
  });
  await ready('stays');
});

test('a list that is late does not bring back what was removed', async () => {
  put('late');
  await ready('late');
  put('late', { isDeleted: true });
  await reported('late', report => reason(report) === 'Deleted');
  put('late');
  put('marker-2');
  await ready('marker-2');
  assert.equal(await namespaceOf('late'), undefined);
});

test('an instance that does not come up is an Error, and recovers with another version', async () => {
  put('broken', { version: 'broken' });
  const report = await reported('broken', candidate => reason(candidate) === 'Error');
  assert.match(report.conditions[0]?.message ?? '', /Deployment main/);
  put('broken');
  await ready('broken');
});

test('a namespace of somebody else is not touched', async () => {
  const metadata = { name: 'dinosaur-taken' };
  await world.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata });
  put('taken');
  const { conditions } = await reported('taken', report => reason(report) === 'Error');
  assert.match(conditions[0]?.message ?? '', /not of this instance/);
  put('taken', { isDeleted: true });
  await reported('taken', report => reason(report) === 'Deleted');
  assert.notEqual(await namespaceOf('taken'), undefined);
});

test('another agent continues where one stopped, without restarting anything', async () => {
  put('kept');
  await ready('kept');
  const [pod] = await objectsIn(world.client, pods, 'kept');
  await agent[Symbol.asyncDispose]();
  put('going');
  world.controlPlane.reports.clear();
  agent = await world.startAgent();
  await ready('kept');
  await ready('going');
  assert.equal((await objectsIn(world.client, pods, 'kept'))[0]?.metadata.uid, pod?.metadata.uid);
});

test('samples of instances are sent', async () => {
  put('sampled');
  await ready('sampled');
  await using _second = await world.startAgent({ heartbeatMs: 50 });
  const samples = await eventually(() =>
    world.controlPlane.samples
      .get('sampled')
      ?.find(({ metric, value }) => metric['__name__'] === 'fleet_instance_up' && value === 1),
  );
  assert.equal(samples.value, 1);
});

test('objects that leave the program are deleted, those of others are not', async () => {
  const configMaps: ResourceRef = { group: '', version: 'v1', plural: 'configmaps' };
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'old' }, data: { host: '{{ host }}' } };
  const program = { ...sleepProgram, objects: [configMap, ...sleepProgram.objects] };
  await using changing = await startTestWorld({ program });
  await changing.startAgent({ heartbeatMs: 50 });
  changing.controlPlane.put(listedInstance({ id: 'pruned', version: v1 }));
  const names = async (): Promise<readonly (string | undefined)[]> =>
    (await objectsIn(changing.client, configMaps, 'pruned')).map(({ metadata }) => metadata.name).sort();
  await eventually(async () => (await names()).includes('old'));
  const foreign = { ...configMap, metadata: { name: 'theirs' }, data: {} };
  await changing.client.create({ ...configMaps, namespace: 'dinosaur-pruned' }, foreign);
  changing.controlPlane.program = sleepProgram;
  await eventually(async () => !(await names()).includes('old'));
  assert.ok((await names()).includes('theirs'));
});

test('a server without long poll is asked again and again', async () => {
  await using plain = await startTestWorld({ program: sleepProgram, hasLongPoll: false });
  await plain.startAgent();
  plain.controlPlane.put(listedInstance({ id: 'plain', version: v1 }));
  await eventually(() => plain.controlPlane.reports.get('plain')?.conditions[0]?.status === 'True', {
    timeoutMs: 20_000,
  });
});
