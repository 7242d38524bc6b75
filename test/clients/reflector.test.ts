import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { Reflector } from './support/reflector.ts';

let landscape: TestLandscape;

before(async () => {
  landscape = await startTestLandscape();
});
after(() => landscape?.[Symbol.asyncDispose]());

const mapsOf = (cluster: string): string => `/clusters/${cluster}/api/v1/namespaces/default/configmaps`;

async function write(cluster: string, name: string, value: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
  const made = await landscape.request(mapsOf(cluster), { body });
  if (made.status === 409) await landscape.request(`${mapsOf(cluster)}/${name}`, { method: 'PUT', body });
  else assert.equal(made.status, 201, made.text);
}

async function remove(cluster: string, name: string): Promise<void> {
  assert.equal((await landscape.request(`${mapsOf(cluster)}/${name}`, { method: 'DELETE' })).status, 200);
}

/** The copy is the collection, version by version. */
async function expectSame(reflector: Reflector, cluster: string): Promise<void> {
  await eventually(async () => {
    const { items } = (await landscape.request(mapsOf(cluster))).json<{ items: { metadata: { name: string } }[] }>();
    const copy = [...reflector.objects.values()].sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
    assert.deepEqual(copy, items);
    return true;
  });
}

for (const isStreaming of [false, true]) {
  const how = isStreaming ? 'by a streaming list' : 'by list and watch';

  test(`a reflector keeps a copy ${how}`, async () => {
    const cluster = isStreaming ? 'streaming' : 'listing';
    await landscape.createCluster(cluster);
    for (let index = 0; index < 8; index++) await write(cluster, `early-${index}`, 'a');
    await using reflector = new Reflector(landscape, mapsOf(cluster), { isStreaming });
    reflector.start();
    await expectSame(reflector, cluster);
    assert.equal(reflector.log[0], isStreaming ? 'streamed' : 'listed');
    await write(cluster, 'late', 'b');
    await write(cluster, 'early-0', 'c');
    await remove(cluster, 'early-1');
    await expectSame(reflector, cluster);
    const happened = reflector.log.filter(entry => /^[A-Z]+ /.test(entry));
    assert.deepEqual(happened, ['ADDED late', 'MODIFIED early-0', 'DELETED early-1']);
  });

  test(`a reflector ${how} resumes after a watch has ended, with a bookmark and without another list`, async () => {
    const cluster = isStreaming ? 'streaming-on' : 'listing-on';
    await landscape.createCluster(cluster);
    await using reflector = new Reflector(landscape, mapsOf(cluster), { isStreaming });
    reflector.start();
    await eventually(() => reflector.log.includes('ended'));
    assert.equal(reflector.log.at(-1), 'ended');
    assert.ok(reflector.log.includes('bookmark'));
    await write(cluster, 'after', 'x');
    await expectSame(reflector, cluster);
    assert.equal(reflector.log.filter(entry => entry === 'listed' || entry === 'streamed').length, 1);
  });

  test(`a reflector ${how} that was disconnected resumes where it stopped`, async () => {
    const cluster = isStreaming ? 'streaming-again' : 'listing-again';
    await landscape.createCluster(cluster);
    await write(cluster, 'first', 'x');
    await using reflector = new Reflector(landscape, mapsOf(cluster), { isStreaming });
    reflector.start();
    await expectSame(reflector, cluster);
    const { version } = reflector;
    await reflector.stop();
    await write(cluster, 'second', 'x');
    await remove(cluster, 'first');
    reflector.start(version);
    await expectSame(reflector, cluster);
    assert.equal(
      reflector.log.filter(entry => entry === 'listed' || entry === 'streamed').length,
      1,
      'resumed, not listed',
    );
  });
}

test('a reflector survives kill -9 of the server and ends with the same state', async () => {
  await landscape.createCluster('crashing');
  await using reflector = new Reflector(landscape, mapsOf('crashing'), { isStreaming: false });
  reflector.start();
  await write('crashing', 'before', 'x');
  await expectSame(reflector, 'crashing');
  await landscape.kill9();
  await landscape.restart();
  await write('crashing', 'after', 'x');
  await expectSame(reflector, 'crashing');
  assert.ok(reflector.log.includes('interrupted'));
  assert.equal(reflector.log.filter(entry => entry === 'listed').length, 1, 'the version is still known');
});

test('a version from the future is rejected until it comes, and one that is no version at all', async () => {
  const ask = (version: string) => landscape.request(`${mapsOf('onboarding')}?resourceVersion=${version}`);
  const future = await ask('999999999');
  assert.deepEqual([future.status, future.json()['reason']], [504, 'Timeout']);
  assert.equal((await ask('yesterday')).status, 400);
});

test('a reflector that was disconnected too long gets 410 Gone, and lists again', async () => {
  // The shortest history there is: one minute.
  await using forgetful = await startTestLandscape({ flags: ['--history-minutes', '1'] });
  const path = mapsOf('onboarding');
  const create = async (name: string): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
    assert.equal((await forgetful.request(path, { body })).status, 201);
  };
  await create('first');
  await using reflector = new Reflector(forgetful, path, { isStreaming: false });
  reflector.start();
  await eventually(() => reflector.objects.has('first'));
  const { version } = reflector;
  await reflector.stop();
  await create('second');
  const watch = `${path}?watch=true&timeoutSeconds=1&resourceVersion=${version}`;
  const isForgotten = async () => /"code":410/.test((await forgetful.request(watch)).text);
  await eventually(isForgotten, { what: 'history to be forgotten', timeoutMs: 150_000, pauseMs: 500 });
  reflector.start(version);
  await eventually(() => reflector.objects.has('second'));
  const [again] = reflector.log.slice(reflector.log.indexOf('expired') + 1);
  assert.equal(again, 'listed');
});
