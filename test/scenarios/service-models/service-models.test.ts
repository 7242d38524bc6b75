import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as sendRequest } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { eventually, startTestLandscape, type TempFolder, type TestLandscape, tempFolder } from '@chandlery/testing';
import { tarOf } from '../../../domains/orders/src/adapters/sites/test-archives.ts';
import { proxyService, restService } from '../../conformance/orders/support/hosted-server.ts';

interface ApiRecord {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly status: string;
  readonly links: readonly { readonly rel: string; readonly href: string }[];
}

/** A document of the ADR, with the controller's fields that a machine without registries and domains cannot have. */
async function documentOf(name: string, fields: object = {}): Promise<{ readonly controller: object }> {
  const path = join(import.meta.dirname, 'documents', `${name}.json`);
  const document = JSON.parse(await readFile(path, 'utf8')) as { controller: object };
  return { ...document, controller: { ...document.controller, ...fields } };
}

/** What the image of the basic service would bring: a Python whose /app/service.py says what it was given. */
async function placePython(folder: TempFolder): Promise<string> {
  const program = '#!/bin/sh\n[ "$1" = /app/service.py ] || exit 2\nshift\necho "processed with $*"\n';
  await writeFile(folder.join('python'), program);
  await chmod(folder.join('python'), 0o755);
  return `${folder.path}:${process.env['PATH']}`;
}

const send = async (landscape: TestLandscape, status: number, path: string, body?: unknown): Promise<ApiRecord> => {
  const answer = await landscape.request(path, body === undefined ? {} : { body });
  assert.equal(answer.status, status, answer.text);
  return answer.json<ApiRecord>();
};

const create = (landscape: TestLandscape, document: object): Promise<ApiRecord> =>
  send(landscape, 201, '/1/services2', { name: 'x', description: 'x', parameters: [], ...document });

/** Orders a service and returns the order once it has ended, with its log. */
async function order(landscape: TestLandscape, service: string, values: Readonly<Record<string, string>>) {
  const parameters = Object.entries(values).map(([name, value]) => ({ name, value }));
  const { id } = await send(landscape, 200, '/1/orders', { service, parameters });
  let ended: ApiRecord | undefined;
  await eventually(
    async () => {
      ended = await send(landscape, 200, `/1/orders/${id}`);
      return ['succeeded', 'failed', 'error'].includes(ended.status);
    },
    { what: 'the order has ended', timeoutMs: 60_000 },
  );
  const { text: log } = await landscape.request(`/1/orders/${id}/logs`);
  return { ended: ended ?? assert.fail(), log };
}

async function visit({ ca, port }: TestLandscape, host: string, path: string): Promise<string> {
  const sent = sendRequest({
    host: '127.0.0.1',
    port,
    ca,
    servername: host,
    path,
    headers: { host, accept: 'text/html' },
  });
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
  return `${response.statusCode} ${await text(response)}`;
}

test('services of every model of the ADR are created, ordered and used', async t => {
  await using folder = await tempFolder();
  await using landscape = await startTestLandscape({ env: { PATH: await placePython(folder) } });

  await t.test('basic: one container, whose parameters are its command line', async () => {
    const { id } = await create(landscape, await documentOf('basic'));
    const { ended, log } = await order(landscape, id, { threshold: '0.5' });
    assert.deepEqual([ended.status, log], ['succeeded', 'processed with --threshold 0.5\n']);
  });

  await t.test('app-server: a site by host name, without an order', async () => {
    const archive = gzipSync(await tarOf({ 'index.html': 'hello', 'app.js': 'run()' }));
    const artifact = await landscape.request('/1/artifacts', {
      body: archive,
      headers: { 'content-type': 'application/gzip' },
    });
    const host = 'crewai.develop.example.com';
    const document = await documentOf('app-server', { artifact: artifact.json<ApiRecord>().id });
    const { id } = await create(landscape, document);
    assert.equal(await visit(landscape, host, '/'), '200 hello');
    assert.equal(await visit(landscape, host, '/app.js'), '200 run()');
    assert.equal(await visit(landscape, host, '/some/route'), '200 hello');
    const refused = await send(landscape, 422, '/1/orders', { service: id, parameters: [] });
    assert.equal(refused['code'], 'controller-not-orderable');
  });

  await t.test('argo-wf: two tasks, one after the other', async () => {
    const { id } = await create(landscape, await documentOf('argo-wf'));
    const { ended, log } = await order(landscape, id, { message: 'it is {{workflow.name}}' });
    assert.equal(ended.status, 'succeeded');
    assert.equal(log, 'it is {{workflow.name}}\nHello from task 2!\n');
    const { href } = ended.links.find(({ rel }) => rel === 'workflow') ?? assert.fail();
    const workflow = await landscape.request(new URL(href, landscape.url).pathname);
    const { nodes } = workflow.json<{ status: { nodes: Record<string, { displayName: string; phase: string }> } }>()
      .status;
    const phases = Object.values(nodes).map(({ displayName, phase }) => `${displayName} ${phase}`);
    for (const task of ['first-task', 'second-task']) assert.ok(phases.includes(`${task} Succeeded`), phases.join());
  });

  await t.test('rest: a server that takes jobs', async () => {
    const { id } = await create(landscape, restService());
    const job = await landscape.request(`/1/services2/${id}/jobs`, {
      body: { do: 'echo', question: 42 },
      headers: { timeout: '60' },
    });
    assert.equal(job.status, 200, job.text);
    assert.deepEqual(job.json()['job'], { do: 'echo', question: 42 });
  });

  await t.test('service-proxy: a server behind a link', async () => {
    const { links } = await create(landscape, proxyService());
    const { pathname } = new URL((links.find(({ rel }) => rel === 'proxy') ?? assert.fail()).href);
    await eventually(async () => (await landscape.request(`${pathname}hello`)).status === 200, {
      what: 'the server answers',
      timeoutMs: 60_000,
    });
    assert.equal((await landscape.request(`${pathname}hello`)).json()['url'], '/hello');
  });

  await t.test('a model that nobody knows can be described, but not ordered', async () => {
    const { id } = await create(landscape, { controller: { $schema: 'urn:ivcap:schema:service.quantum.1' } });
    const refused = await send(landscape, 501, '/1/orders', { service: id, parameters: [] });
    assert.equal(refused['code'], 'controller-unknown');
  });
});
