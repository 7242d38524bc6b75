import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { runOnServer } from './support/run-on-server.ts';
import type { Finished } from './support/snapshot.ts';

let landscape: TestLandscape;
before(async () => {
  landscape = await startTestLandscape();
});
after(() => landscape[Symbol.asyncDispose]());

/** Runs a script as the only pod of a workflow; what it writes to /mnt/contract/deep/out is its output. */
function run(name: string, script: string): Promise<Finished> {
  const container = { image: 'alpine:3.7', command: ['sh', '-c'], args: [script] };
  const outputs = { parameters: [{ name: 'o', valueFrom: { path: '/mnt/contract/deep/out' } }] };
  const spec = { templates: [{ name: 'main', container, outputs }] };
  return runOnServer(landscape, { name, rule: 'contract', why: name, spec });
}

function outputOf({ status, nodes }: Finished): unknown {
  assert.equal(status.phase, 'Succeeded', JSON.stringify({ status, nodes }));
  return nodes[0]?.outputs?.parameters?.[0]?.value;
}

describe('Nodes as processes', () => {
  it('7: neither the data folder nor credentials are visible', async () => {
    const token = `${landscape.dataDir}/admin.token`;
    assert.ok(existsSync(token));
    const seen = await run(
      'credentials',
      `{ test -e '${token}' && echo token; test -d /var/run/secrets/kubernetes.io && echo account; env | grep '^KUBECONFIG='; ls /proc | grep -c '^[0-9]' | awk '$1 > 9 {print "processes"}'; echo end; } > /mnt/contract/deep/out`,
    );
    assert.equal(outputOf(seen), 'end');
  });

  it('7: an image for which nothing runs is named', async () => {
    const spec = { templates: [{ name: 'main', container: { image: 'nowhere/nothing:1' } }] };
    const { status } = await runOnServer(landscape, { name: 'unmapped', rule: 'contract', why: 'unmapped', spec });
    assert.equal(status.phase, 'Error');
    assert.match(status.message ?? '', /nowhere\/nothing:1/);
  });

  it('8: a declared path is private, its parent folders exist, and everything else is shared', async () => {
    const shared = `/tmp/chandlery-contract-${process.pid}`;
    try {
      const seen = await run('paths', `echo private > /mnt/contract/deep/out; echo shared > ${shared}`);
      assert.equal(outputOf(seen), 'private');
      assert.equal(existsSync('/mnt/contract/deep/out'), false);
      assert.equal(await readFile(shared, 'utf8'), 'shared\n');
    } finally {
      await rm(shared, { force: true });
    }
  });

  it('9: the log of a node is served under the name of its pod, also when that is gone', async () => {
    const container = { image: 'alpine:3.7', command: ['echo', 'to be kept'] };
    const templates = [
      { name: 'main', steps: [[{ name: 'a', template: 'print' }]] },
      { name: 'print', container },
    ];
    const { nodes } = await runOnServer(landscape, {
      name: 'logged',
      rule: 'contract',
      why: 'logs',
      spec: { templates },
    });
    const hash = nodes.find(({ type }) => type === 'Pod')?.id.slice('logged-'.length) ?? '';
    const pod = `/clusters/platform/api/v1/namespaces/default/pods/logged-print-${hash}`;
    await landscape.request(pod, { method: 'DELETE' });
    await eventually(async () => (await landscape.request(pod)).status === 404, { what: 'the pod is gone' });
    const { status, text } = await landscape.request(`${pod}/log?container=main`);
    assert.deepEqual({ status, text }, { status: 200, text: 'to be kept\n' });
  });
});
