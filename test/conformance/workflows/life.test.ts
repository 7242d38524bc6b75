import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { parse } from 'yaml';
import { resubmitted } from './support/documents.ts';

interface Workflow {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
  readonly status?: {
    readonly phase?: string;
    readonly nodes?: Readonly<Record<string, { readonly name: string; readonly phase: string }>>;
  };
}

let landscape: TestLandscape;
before(async () => {
  landscape = await startTestLandscape();
});
after(() => landscape[Symbol.asyncDispose]());

const group = '/clusters/platform/apis/argoproj.io/v1alpha1';
const workflows = `${group}/namespaces/default/workflows`;
const sh = (script: string): object => ({ image: 'alpine:3.7', command: ['sh', '-c'], args: [script] });

async function create(path: string, kind: string, name: string, spec: object): Promise<void> {
  const body = { apiVersion: 'argoproj.io/v1alpha1', kind, metadata: { name }, spec };
  const { status, text } = await landscape.request(path, { body });
  assert.equal(status, 201, text);
}

const read = async (name: string): Promise<Workflow> =>
  JSON.parse((await landscape.request(`${workflows}/${name}`)).text) as Workflow;

const patch = (name: string, body: object) =>
  landscape.request(`${workflows}/${name}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body,
  });

const reaches = (name: string, phase: string): Promise<true> =>
  eventually(async () => (await read(name)).status?.phase === phase, {
    what: `${name} is ${phase}`,
    timeoutMs: 60_000,
  });

describe('The life of workflows', () => {
  it('B1 begins by the schedule of a CronWorkflow, from a ClusterWorkflowTemplate', async () => {
    const templates = [{ name: 'main', container: sh('true') }];
    await create(`${group}/clusterworkflowtemplates`, 'ClusterWorkflowTemplate', 'life', {
      entrypoint: 'main',
      templates,
    });
    await create(`${group}/namespaces/default/cronworkflows`, 'CronWorkflow', 'often', {
      schedules: ['@every 1s'],
      stopStrategy: { expression: 'cronworkflow.succeeded >= 1' },
      workflowSpec: { workflowTemplateRef: { name: 'life', clusterScope: true } },
    });
    await eventually(
      async () => {
        const selector = 'labelSelector=workflows.argoproj.io/cron-workflow=often';
        const { items } = JSON.parse((await landscape.request(`${workflows}?${selector}`)).text) as {
          items: readonly Workflow[];
        };
        return items.some(({ status }) => status?.phase === 'Succeeded');
      },
      { what: 'a workflow of the schedule succeeds', timeoutMs: 60_000 },
    );
  });

  it('B14 starts nothing while spec.suspend is set', async () => {
    await create(workflows, 'Workflow', 'asleep', {
      entrypoint: 'main',
      suspend: true,
      templates: [{ name: 'main', container: sh('true') }],
    });
    await reaches('asleep', 'Running');
    const pods = Object.values((await read('asleep')).status?.nodes ?? {});
    assert.deepEqual(pods, []);
    assert.equal((await patch('asleep', { spec: { suspend: null } })).status, 200);
    await reaches('asleep', 'Succeeded');
  });

  it('B15 continues, when memoized, after what succeeded in another workflow', async () => {
    const body = parse(resubmitted) as object;
    const { status, text } = await landscape.request(workflows, { body });
    assert.equal(status, 201, text);
    await reaches('again', 'Succeeded');
    const phases = Object.values((await read('again')).status?.nodes ?? {}).map(
      ({ name, phase }) => `${name} ${phase}`,
    );
    assert.deepEqual(phases.sort(), ['again Succeeded', 'again.A Skipped', 'again.B Succeeded']);
  });
});
