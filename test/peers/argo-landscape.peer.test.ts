// Documents and orders on the genuine Argo Workflows, and its command line on the embedded engine.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { eventually, findArgo, runProcess, whySkipped } from '@chandlery/testing';
import { argoDocuments } from './support/argo-documents.ts';
import { type LandscapeWithArgo, startLandscapeWithArgo } from './support/argo-landscape.ts';

const found = await findArgo();
const skip = whySkipped(found);
const workflows = { group: 'argoproj.io', version: 'v1alpha1', plural: 'workflows', namespace: 'default' };
const timeoutMs = 120_000;

interface SeenNode {
  readonly name: string;
  readonly type: string;
  readonly phase: string;
  readonly outputs?: {
    readonly parameters?: readonly { readonly name: string; readonly value?: string }[];
    readonly result?: string;
  };
}

interface SeenStatus {
  readonly phase?: string;
  readonly nodes?: Readonly<Record<string, SeenNode>>;
}

/** What must be equal on both engines: no times, ids or pods. */
const resultOf = ({ phase, nodes = {} }: SeenStatus) => ({
  phase,
  nodes: Object.values(nodes)
    .map(({ name, type, phase: state, outputs }) => {
      const values = (outputs?.parameters ?? []).map(parameter => `${parameter.name}=${parameter.value}`);
      return [name, type, state, ...values, outputs?.result ?? ''].join(' ').trim();
    })
    .sort(),
});

describe('The genuine Argo', { skip }, () => {
  let started: LandscapeWithArgo;
  before(async () => {
    started = await startLandscapeWithArgo(found.path ?? '', { argo: [{ cluster: 'argo', tenants: ['default'] }] });
    await started.argo.prepare('default');
    await started.argo.prepare('orders-default');
  });
  after(() => started[Symbol.asyncDispose]());

  /** Executes a document on a cluster of the landscape. */
  async function execute(context: string, name: string) {
    const { landscape } = started;
    await using client = createClient(loadKubeconfig(await readFile(landscape.kubeconfig, 'utf8'), { context }));
    const metadata = { name: `same-${name.toLowerCase()}`, namespace: 'default' };
    const spec = structuredClone(argoDocuments[name]);
    await client.create(workflows, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata, spec });
    const status = await eventually(
      async () => {
        const { status: now } = (await client.get({ ...workflows, name: metadata.name })) as { status?: SeenStatus };
        return ['Succeeded', 'Failed', 'Error'].includes(now?.phase ?? '') && now;
      },
      { timeoutMs, pauseMs: 200, what: `${name} on ${context}` },
    );
    return resultOf(status);
  }

  for (const name of Object.keys(argoDocuments))
    it(`executes the document "${name}" as the embedded engine does`, async () => {
      const [genuine, embedded] = await Promise.all([execute('argo', name), execute('platform', name)]);
      assert.deepEqual(embedded, genuine);
    });

  it('executes orders that are placed by REST: log, nodes, cancel and retry', async () => {
    const { landscape } = started;
    const create = async (path: string, body: object) => {
      const { status, text } = await landscape.request(path, { method: 'POST', body });
      assert.ok(status < 300, `${path}: ${status} ${text}`);
      return JSON.parse(text) as { id: string; status: string };
    };
    const serviceOf = (name: string, command: readonly string[]) =>
      create('/1/services2', {
        name,
        description: name,
        parameters: [],
        policy: 'urn:ivcap:policy:ivcap.open.service',
        controller: { $schema: 'urn:ivcap:schema:service.basic.1', image: 'alpine:3.7', command },
      });
    const until = async (id: string, wanted: string) => {
      const read = async () =>
        (await landscape.request(`/1/orders/${id}`)).json<{ status: string; links: { rel: string; href: string }[] }>();
      const isThere = async () => {
        const order = await read();
        return order.status === wanted && order;
      };
      return eventually(isThere, { timeoutMs, pauseMs: 200, what: `the order is ${wanted}` });
    };
    const order = await create('/1/orders', { service: (await serviceOf('hello', ['sh', '-c', 'echo hello'])).id });
    const ended = await until(order.id, 'succeeded');
    const logOf = async (id: string) => (await landscape.request(`/1/orders/${id}/logs`)).text;
    assert.equal(await logOf(order.id), 'hello\n');
    const href = ended.links.find(({ rel }) => rel === 'workflow')?.href ?? '';
    const shown = (await landscape.request(new URL(href).pathname)).json<{ status: SeenStatus }>();
    assert.equal(shown.status.phase, 'Succeeded');
    const program = join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs');
    const args = ['order', 'describe', order.id, '--kubeconfig', landscape.kubeconfig];
    const described = await runProcess(process.execPath, [program, ...args]);
    assert.match(described.stdout, /✔ order-/, described.stderr);
    const slow = await create('/1/orders', { service: (await serviceOf('slow', ['sh', '-c', 'exec sleep 300'])).id });
    await until(slow.id, 'executing');
    await create(`/1/orders/${slow.id}/cancel`, { mode: 'terminate' });
    await until(slow.id, 'cancelled');
    await create(`/1/orders/${slow.id}/retry`, {});
    await until(slow.id, 'executing');
    await create(`/1/orders/${slow.id}/cancel`, { mode: 'terminate' });
    await until(slow.id, 'cancelled');
  });
});

describe("Argo's command line on the embedded engine", { skip }, () => {
  let started: LandscapeWithArgo;
  let file = '';
  before(async () => {
    started = await startLandscapeWithArgo(found.path ?? '');
    file = join(started.landscape.dataDir, '..', 'workflow.json');
  });
  after(() => started[Symbol.asyncDispose]());

  async function argo(...args: readonly string[]) {
    const program = join(dirname(found.path ?? ''), 'argo');
    const global = ['--context', 'platform', '--namespace', 'default'];
    const env = { KUBECONFIG: started.landscape.kubeconfig };
    const { stdout, ...ended } = await runProcess(program, [...args, ...global], { env, timeoutMs });
    return { ...ended, stdout: stripVTControlCharacters(stdout) };
  }

  async function submit(name: string, spec: object): Promise<void> {
    const metadata = { name };
    await writeFile(file, JSON.stringify({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', metadata, spec }));
    const { code, stderr } = await argo('submit', file);
    assert.equal(code, 0, stderr);
  }

  const phaseOf = async (name: string): Promise<string> => {
    const { stdout } = await argo('get', name, '--output', 'json');
    return (JSON.parse(stdout) as { status?: SeenStatus }).status?.phase ?? '';
  };
  const untilPhase = (name: string, phase: string) =>
    eventually(async () => (await phaseOf(name)) === phase, { timeoutMs, pauseMs: 300, what: `${name} is ${phase}` });
  const shell = (text: string) => ({
    entrypoint: 'main',
    templates: [{ name: 'main', container: { image: 'alpine:3.7', command: ['sh', '-c'], args: [text] } }],
  });

  it('submits, waits, lists, shows and logs', async () => {
    await submit('cli-hello', shell('echo hello'));
    assert.match((await argo('wait', 'cli-hello')).stdout, /cli-hello Succeeded/);
    assert.match((await argo('list')).stdout, /cli-hello +Succeeded/);
    assert.match((await argo('get', 'cli-hello')).stdout, /✔ cli-hello +main/);
    assert.match((await argo('logs', 'cli-hello')).stdout, /cli-hello: hello/);
    assert.match((await argo('lint', file)).stdout, /no linting errors/);
    assert.equal((await argo('delete', 'cli-hello')).code, 0);
    assert.doesNotMatch((await argo('list')).stdout, /cli-hello/);
  });

  it('suspends, resumes, stops and terminates', async () => {
    for (const verb of ['stop', 'terminate']) {
      const name = `cli-${verb}`;
      await submit(name, shell('exec sleep 300'));
      await untilPhase(name, 'Running');
      for (const command of ['suspend', 'resume', verb]) assert.equal((await argo(command, name)).code, 0, command);
      await untilPhase(name, 'Failed');
    }
  });

  it('retries and resubmits', async () => {
    const ready = join(started.landscape.dataDir, '..', 'ready');
    await submit('cli-retry', shell(`test -e ${ready}`));
    await untilPhase('cli-retry', 'Failed');
    await writeFile(ready, '');
    const { stdout, stderr } = await argo('retry', 'cli-retry', '--output', 'json');
    const { status } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { status: { conditions?: { type: string }[] } };
    assert.ok(!status.conditions?.some(({ type }) => type === 'Completed'), stderr);
    await untilPhase('cli-retry', 'Succeeded');
    assert.match((await argo('resubmit', 'cli-retry', '--wait')).stdout, /Succeeded/);
  });
});
