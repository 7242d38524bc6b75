import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { clientOf, configMaps, named } from './support/landscape-client.ts';
import { runCli } from './support/run-cli.ts';
import { Seeded } from './support/seeded.ts';
import { stepObject, stepOf } from './support/step-object.ts';
import { Writer } from './support/writer.ts';

/** A request of which the first half has been sent. */
function beginCreate({ url, ca, token }: TestLandscape, name: string) {
  const body = JSON.stringify(stepObject(name, 1));
  const sending = request(`${url}/clusters/onboarding/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    ca,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': body.length },
  });
  sending.write(body.slice(0, 20));
  const answered = once(sending, 'response').then(([response]) => response as IncomingMessage);
  return { answered, finish: () => sending.end(body.slice(20)) };
}

describe('the end of a server', () => {
  let landscape: TestLandscape;
  before(async () => {
    landscape = await startTestLandscape();
  });
  after(() => landscape[Symbol.asyncDispose]());

  test('on SIGTERM requests under way are answered, watches end cleanly, and the exit code is 0', async () => {
    await using client = clientOf(landscape, 'onboarding');
    const first = await client.create(configMaps, stepObject('first', 1));
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { type, object } of client.watch(configMaps, {
        resourceVersion: first.metadata.resourceVersion ?? '',
      }))
        if (type !== 'BOOKMARK') seen.push(object.metadata.name ?? '');
    })();
    await client.create(configMaps, stepObject('second', 1));
    const creation = beginCreate(landscape, 'under-way');
    const writers = [1, 2, 3].map(no => new Writer({ client: () => client, random: new Seeded(no), prefix: `w${no}` }));
    const writing = writers.map(writer => writer.runUntilOutage(new AbortController().signal));
    await eventually(() => writers.every(({ ledger }) => ledger.acknowledged >= 5), { timeoutMs: 60_000 });

    landscape.process.signal('SIGTERM');
    await Promise.all(writing);
    creation.finish();
    const response = await creation.answered;
    assert.equal(response.statusCode, 201, await text(response));
    // Resolves only when the stream came to its end; a cut would reject.
    await watching;
    assert.ok(seen.includes('second'));
    assert.deepEqual(await landscape.process.ended, { code: 0, signal: null });

    await landscape.restart();
    const { items } = await client.list(configMaps);
    for (const { ledger } of writers) ledger.settleAll(items);
    assert.equal(stepOf(await client.get(named(configMaps, 'under-way'))), 1);
  });

  test('a second start finds everything again: objects, secrets, logical clusters, token and certificate authority', async () => {
    const before = await landscape.createCluster('team');
    const made = await before.kubectl(['create', 'secret', 'generic', 'key', '--from-literal=word=hidden']);
    assert.equal(made.code, 0, made.stderr);
    const read = async (): Promise<string> =>
      (await landscape.request('/clusters/team/api/v1/namespaces/default/secrets/key')).text;
    const stored = await read();
    assert.equal((await landscape.stop()).code, 0);
    await landscape.restart();
    assert.equal(await read(), stored);
    const found = await before.kubectl(['get', 'secret', 'key', '-o', 'jsonpath={.data.word}']);
    assert.equal(Buffer.from(found.stdout, 'base64').toString(), 'hidden', found.stderr);
  });

  test('a second process on the same folder is rejected with the name of the holder', async () => {
    const { code, stderr } = await runCli('up', '--data-dir', landscape.dataDir, '--port', '0', '--xds-port', '0');
    assert.ok(code > 0);
    assert.match(stderr, new RegExp(`${landscape.dataDir} is in use by process ${landscape.process.pid}`));
    assert.match(stderr, /--data-dir/);
    assert.equal((await landscape.request('/readyz')).status, 200);
  });

  test('a taken port is an error that names the port and the flag', async () => {
    await using folder = await tempFolder();
    for (const flag of ['--port', '--http-port', '--xds-port']) {
      const others = ['--port', '--xds-port'].filter(other => other !== flag).flatMap(other => [other, '0']);
      const { code, stderr } = await runCli(
        'up',
        '--data-dir',
        folder.join('data'),
        flag,
        String(landscape.port),
        ...others,
      );
      assert.ok(code > 0);
      assert.match(stderr, new RegExp(`port ${landscape.port}\\b`));
      assert.match(stderr, new RegExp(`${flag}\\b`));
    }
  });
});
