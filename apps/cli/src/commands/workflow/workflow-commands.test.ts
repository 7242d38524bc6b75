import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';
import { startTestOrdersLandscape, type TestOrdersLandscape } from '../../test-orders-landscape.ts';
import type { WorkflowObject } from '../../workflow/workflow-objects.ts';

const sh = (script: string) => ({ image: 'alpine:3.7', command: ['sh', '-c'], args: [script] });
const documentOf = (name: string, templates: readonly object[], spec: object = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name },
  spec: { entrypoint: 'main', ...spec, templates },
});
const steps = documentOf(
  'steps',
  [
    {
      name: 'main',
      steps: [
        [
          {
            name: 'first',
            template: 'say',
            arguments: { parameters: [{ name: 'text', value: '{{workflow.parameters.greeting}}' }] },
          },
        ],
        ['a', 'b'].map(name => ({ name, template: 'say', arguments: { parameters: [{ name: 'text', value: name }] } })),
      ],
    },
    {
      name: 'say',
      inputs: { parameters: [{ name: 'text' }] },
      container: sh('echo "said {{inputs.parameters.text}}"'),
    },
  ],
  { arguments: { parameters: [{ name: 'greeting', value: 'hello' }] } },
);
const failing = (name: string, file: string) =>
  documentOf(name, [
    { name: 'main', steps: [[{ name: 'good', template: 'good' }], [{ name: 'bad', template: 'bad' }]] },
    { name: 'good', container: sh('true') },
    { name: 'bad', container: sh(`test -e ${file}`) },
  ]);
const gated = (name: string) =>
  documentOf(name, [
    { name: 'main', steps: [[{ name: 'gate', template: 'gate' }], [{ name: 'after', template: 'after' }]] },
    { name: 'gate', suspend: {} },
    { name: 'after', container: sh('echo after') },
  ]);
const sleeping = (name: string) => documentOf(name, [{ name: 'main', container: sh('echo begun; exec sleep 300') }]);

let landscape: TestOrdersLandscape;
before(async () => {
  landscape = await startTestOrdersLandscape();
});
after(() => landscape?.[Symbol.asyncDispose]());

const run: TestOrdersLandscape['run'] = (...args) => landscape.run('workflow', ...args);
const submit = (document: object, ...more: string[]) =>
  landscape.runWith({ stdin: JSON.stringify(document) }, 'workflow', 'submit', '-', ...more);
const get = (name: string) => landscape.json<WorkflowObject>('workflow', 'get', name);
const untilNode = (name: string, displayName: string) =>
  eventually(async () =>
    Object.values((await get(name)).status?.nodes ?? {}).some(
      node => node.displayName === displayName && node.phase === 'Running',
    ),
  );

/** Workflows of one second have the same age. */
const untilNextSecond = () => setTimeout(1000 - (Date.now() % 1000));

describe('workflow submit', () => {
  test('shows each change as a line where nobody looks, and takes parameters', async () => {
    const { code, stdout, stderr } = await submit(steps, '-p', 'greeting=moin', '--watch');
    assert.deepEqual([code, stderr], [0, '']);
    const lines = stdout.trim().split('\n');
    assert.equal(lines[0], 'workflow.argoproj.io/steps created');
    assert.equal(lines.at(-1), 'steps: Succeeded');
    assert.ok(
      lines.some(line => /^✔ steps\[1\]\.b: Succeeded \(\d+s\)$/.test(line)),
      stdout,
    );
    assert.match((await run('logs', 'steps', 'first')).stdout, /^said moin\n$/);
  });

  test('says what is wrong with a document, and with a name that is taken', async () => {
    const wrong = await submit(documentOf('wrong', [{ name: 'main', steps: [[{ name: 'a', template: 'nowhere' }]] }]));
    assert.equal(wrong.code, 1);
    assert.match(
      wrong.stderr,
      /^Error: cannot submit the workflow "-"\nWhy: .*invalid spec: .*'nowhere' undefined.*\nNext: .*workflow lint/m,
    );
    const taken = await submit(steps);
    assert.match(taken.stderr, /Why: .*already exists.*\nNext: .*--name/);
    assert.match((await submit({ ...steps, kind: 'Pod' })).stderr, /is of kind Pod, and not a workflow/);
    assert.match((await run('submit', 'nowhere.yaml')).stderr, /cannot read the file .*nowhere\.yaml/);
    assert.equal((await submit(steps, '-p', 'greeting')).code, 2);
  });

  test('waits, and fails with the workflow', async () => {
    const failed = await submit(failing('fails', landscape.path('flag')), '--wait', '-o', 'json');
    assert.equal(failed.code, 1);
    assert.equal((JSON.parse(failed.stdout) as WorkflowObject).status?.phase, 'Failed');
    assert.match(failed.stderr, /Why: {3}workflow "fails" has ended as Failed: .*\nNext: .*workflow retry fails/);
  });
});

describe('workflow get', () => {
  test('draws the tree of nodes', async () => {
    const { stdout } = await run('get', 'steps');
    assert.match(stdout, /^Name: +steps\nNamespace: +default\nStatus: +Succeeded$/m);
    assert.match(stdout, /^Parameters: +greeting=moin$/m);
    const tree = stdout.split('\n').slice(stdout.split('\n').findIndex(line => line.startsWith('STEP')) + 1);
    assert.deepEqual(
      tree.map(line => line.split(/ {2,}/)[0]?.trimEnd() || line.trim().split(/ {2,}/)[0]),
      [' ✔ steps', ' ├───✔ first', ' └─┬─✔ a', '└─✔ b', ''],
    );
    assert.match(stdout, /✔ first +say +steps-say-\d+ +\d+s$/m);
  });

  test('lists all, the newest first, and knows @latest', async () => {
    await untilNextSecond();
    await submit(documentOf('newest', [{ name: 'main', container: sh('true') }]), '--wait');
    const { stdout } = await run('get');
    assert.match(stdout, /^NAME +STATUS +AGE +DURATION +PROGRESS +MESSAGE$/m);
    assert.match(stdout, /^steps +Succeeded .* 3\/3/m);
    assert.match((await run('get', '@latest', '-o', 'name')).stdout, /^workflow\.argoproj\.io\/newest$/m);
    assert.match((await run('get', 'nowhere')).stderr, /there is no workflow "nowhere" in namespace "default"/);
  });
});

describe('workflow watch', () => {
  test('draws the tree in place on a terminal', async () => {
    const { code, stdout } = await landscape.runWith({ isTTY: true }, 'workflow', 'watch', 'steps');
    assert.equal(code, 0);
    assert.match(stdout, /\u001b\[\d+A\u001b\[0J/);
    assert.match(stdout, /└─┬─\u001b\[32m✔\u001b\[39m a/);
  });

  test('says when time is up', async () => {
    await submit(gated('waiting'));
    const { code, stderr } = await run('watch', 'waiting', '--timeout', '1');
    assert.equal(code, 1);
    assert.match(stderr, /Why: {3}its phase is Running after 1 s\nNext: {2}It continues: .*workflow watch waiting/);
    assert.match((await run('get', 'waiting')).stdout, /^Status: +Running \(Suspended\)$/m);
    assert.equal((await run('terminate', 'waiting')).code, 0);
  });
});

describe('workflow logs', () => {
  test('names the pod before each line', async () => {
    const { stdout } = await run('logs', 'steps');
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map(line => line.replace(/-\d+: /, ': '))
        .toSorted(),
      ['steps-say: said a', 'steps-say: said b', 'steps-say: said moin'],
    );
    assert.match((await run('logs', 'steps', 'nobody')).stderr, /no node "nobody" of it has been started/);
  });

  test('follows a workflow from before its first node to its end', async () => {
    const document = documentOf('talks', [
      { name: 'main', steps: [[{ name: 'a', template: 't' }], [{ name: 'b', template: 't' }]] },
      { name: 't', container: sh('echo one; sleep 1; echo two') },
    ]);
    await submit(document);
    const { code, stdout } = await run('logs', 'talks', '-f');
    assert.equal(code, 0);
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map(line => line.split(': ')[1]),
      ['one', 'two', 'one', 'two'],
    );
  });
});

describe('workflow retry, resume, suspend, stop and terminate', () => {
  test('a failed workflow runs again from its failures', async () => {
    const before = await get('fails');
    writeFileSync(landscape.path('flag'), '');
    const { code, stdout, stderr } = await run('retry', 'fails', '--wait');
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout, 'workflow.argoproj.io/fails retried\n');
    const after = await get('fails');
    const good = (workflow: WorkflowObject) =>
      Object.values(workflow.status?.nodes ?? {}).find(({ displayName }) => displayName === 'good');
    assert.equal(good(after)?.finishedAt, good(before)?.finishedAt, 'what had succeeded is not executed again');
    const again = await run('retry', 'fails');
    assert.match(again.stderr, /Why: {3}its phase is Succeeded\nNext: .*--restart-successful/);
  });

  test('a suspended node is resumed by its name', async () => {
    await submit(gated('gated'));
    await untilNode('gated', 'gate');
    const none = await run('resume', 'gated', '--node-field-selector', 'displayName=other');
    assert.match(none.stderr, /no suspended node has displayName=other/);
    const { code, stdout } = await run('resume', 'gated', '--node-field-selector', 'displayName=gate');
    assert.deepEqual([code, stdout], [0, 'workflow.argoproj.io/gated resumed\n']);
    assert.equal((await run('watch', 'gated')).code, 0);
    assert.match((await run('resume', 'gated')).stderr, /it has ended: its phase is Succeeded/);
  });

  test('a suspended workflow starts nothing until it is resumed', async () => {
    await submit(gated('paused'));
    await untilNode('paused', 'gate');
    assert.equal((await run('suspend', 'paused')).stdout, 'workflow.argoproj.io/paused suspended\n');
    assert.match((await run('get', 'paused')).stdout, /Running \(Suspended\)/);
    assert.equal((await run('resume', 'paused')).code, 0);
    assert.equal((await run('watch', 'paused')).code, 0);
  });

  for (const verb of ['stop', 'terminate'] as const)
    test(`${verb} ends what runs`, async () => {
      await submit(sleeping(`sleeps-${verb}`));
      await untilNode(`sleeps-${verb}`, `sleeps-${verb}`);
      assert.equal((await run(verb, `sleeps-${verb}`)).code, 0);
      const { code, stderr } = await run('watch', `sleeps-${verb}`);
      assert.equal(code, 1);
      assert.match(stderr, /has ended as Failed/);
    });
});
