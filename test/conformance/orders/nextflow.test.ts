// Nextflow itself comes from no package registry, so a program of its name stands in for it: what is tested is how it is
// called, what it finds, and what becomes of its end.
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { eventually, startTestLandscape, type TestLandscape, tempFolder } from '@chandlery/testing';
import { tarOf } from '../../../domains/orders/src/adapters/sites/test-archives.ts';

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly code: string;
  readonly message: string;
}

const standIn = `#!/bin/sh
echo "$@"
[ "$1 $2 $3" = "-q run flows/main.nf" ] || exit 2
cat "$3"
ls nextflow.config
exit "$(cat "$3" | grep -c fail)"
`;

async function createPipeline(landscape: TestLandscape, script: string): Promise<string> {
  const body = gzipSync(await tarOf({ 'flows/main.nf': script, 'nextflow.config': '' }));
  const headers = { 'content-type': 'application/gzip' };
  const { id: urn } = (await landscape.request('/1/artifacts', { body, headers })).json<Answer>();
  const service = {
    name: 'pipeline',
    description: 'a pipeline',
    parameters: [{ name: 'reads', type: 'string', description: 'what is read' }],
    controller: { $schema: 'urn:ivcap:schema.service.nextflow.1', pipeline: { urn, main_script: 'flows/main.nf' } },
  };
  const made = await landscape.request('/1/services2', { body: service });
  assert.equal(made.status, 201, made.text);
  return made.json<Answer>().id;
}

const order = (landscape: TestLandscape, service: string) =>
  landscape.request('/1/orders', { body: { service, parameters: [{ name: 'reads', value: 'a b' }] } });

test('a machine without nextflow says so to whoever orders', async () => {
  // Node comes first on the path of containers, whatever is here.
  await using landscape = await startTestLandscape({ env: { PATH: '/usr/bin:/bin' } });
  const refused = await order(landscape, await createPipeline(landscape, ''));
  assert.equal(refused.status, 422);
  const { code, message } = refused.json<Answer>();
  assert.equal(code, 'controller-not-orderable');
  assert.match(message, /has no command nextflow/);
});

test('nextflow runs the script of the archive with the parameters of the order', async () => {
  await using folder = await tempFolder();
  await writeFile(folder.join('nextflow'), standIn);
  await chmod(folder.join('nextflow'), 0o755);
  await using landscape = await startTestLandscape({ env: { PATH: `${folder.path}:${process.env['PATH']}` } });
  for (const [script, status] of [
    ['process one', 'succeeded'],
    ['fail', 'failed'],
  ] as const) {
    const service = await createPipeline(landscape, `${script}\n`);
    const { id } = (await order(landscape, service)).json<Answer>();
    const ended = async (): Promise<string> => (await landscape.request(`/1/orders/${id}`)).json<Answer>().status;
    await eventually(async () => ['succeeded', 'failed', 'error'].includes(await ended()), {
      what: 'the order has ended',
      timeoutMs: 60_000,
    });
    assert.equal(await ended(), status);
    const { text } = await landscape.request(`/1/orders/${id}/logs`);
    assert.equal(text, `-q run flows/main.nf --reads a b\n${script}\nnextflow.config\n`);
  }
});
