import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isFulfilled } from './node-status.ts';
import { type Simulated, simulate, treeOf } from './test-simulate.ts';

const templates = [
  {
    name: 'ok',
    container: { image: 'x', args: ['echo 1; write /o 1'] },
    outputs: { parameters: [{ name: 'o', globalName: 'g', valueFrom: { path: '/o' } }] },
  },
  { name: 'bad', container: { image: 'x', args: ['exit 1'] } },
  { name: 'lost', container: { image: 'x', args: ['lost'] } },
  {
    name: 'flaky',
    retryStrategy: { limit: 2, backoff: { duration: '3', factor: 2 } },
    container: { image: 'x', args: ['exit {{=asInt(retries) < 1 ? 1 : 0}}'] },
  },
  { name: 'hopeless', retryStrategy: { limit: 1, retryPolicy: 'Always' }, container: { image: 'x', args: ['lost'] } },
  { name: 'locked', synchronization: { mutexes: [{ name: 'm' }] }, container: { image: 'x', args: ['exit 0'] } },
  { name: 'pause', suspend: { duration: '5' } },
  {
    name: 'steps',
    parallelism: 2,
    steps: [
      [
        { name: 'a', template: 'ok', withSequence: { count: 3 } },
        { name: 'b', template: 'bad', continueOn: { failed: true } },
      ],
      [{ name: 'c', template: 'flaky', onExit: 'ok' }],
    ],
  },
  {
    name: 'inner',
    dag: {
      tasks: [
        { name: 'x', template: 'bad' },
        { name: 'y', depends: 'x.Failed', template: 'ok' },
      ],
    },
  },
];

const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
const results = ['', '.Succeeded', '.Failed', '.Errored', '.Skipped', '.Omitted'];

const task = (index: number) =>
  fc.record({
    template: fc.constantFrom(...templates.map(({ name }) => name)),
    dependencies: fc.uniqueArray(fc.nat({ max: Math.max(0, index - 1) }), { maxLength: index }),
    result: fc.constantFrom(...results),
    operator: fc.constantFrom(' && ', ' || '),
    when: fc.constantFrom(undefined, undefined, 'true', 'false'),
    isLoop: fc.boolean(),
    exit: fc.constantFrom(undefined, undefined, 'ok', 'bad', 'steps'),
    hook: fc.constantFrom(undefined, undefined, 'Failed', 'Succeeded', 'Error'),
  });

const document = fc
  .record({
    tasks: fc
      .nat({ max: names.length - 1 })
      .chain(last => fc.tuple(...names.slice(0, last + 1).map((_, index) => task(index)))),
    parallelism: fc.constantFrom(undefined, 1, 2),
    onExit: fc.constantFrom(undefined, 'ok', 'bad', 'inner'),
  })
  .map(({ tasks, parallelism, onExit }) => ({
    metadata: { name: 'wf' },
    spec: {
      entrypoint: 'main',
      ...(parallelism && { parallelism }),
      ...(onExit && { onExit }),
      templates: [
        ...templates,
        { name: 'main', dag: { tasks: tasks.map((options, index) => taskOf(options, index)) } },
      ],
    },
  }));

function taskOf(
  options: Parameters<typeof dependsOf>[0] & {
    template: string;
    isLoop: boolean;
    when?: string;
    exit?: string;
    hook?: string;
  },
  index: number,
) {
  const name = names[index] ?? '';
  const depends = dependsOf(options);
  const hooks = {
    ...(options.exit && { exit: { template: options.exit } }),
    ...(options.hook && { h: { template: 'ok', expression: `tasks.${name}.status == '${options.hook}'` } }),
  };
  return {
    name,
    template: options.template,
    ...(depends !== '' && { depends }),
    ...(options.when && { when: options.when }),
    ...(options.isLoop && { withItems: [1, 2] }),
    hooks,
  };
}

const dependsOf = ({
  dependencies,
  result,
  operator,
}: {
  dependencies: number[];
  result: string;
  operator: string;
}): string => dependencies.map(at => `${names[at] ?? ''}${result}`).join(operator);

/** What does not depend on the order of events. */
const endOf = (run: Simulated) => ({
  phase: run.status.phase,
  message: run.status.message,
  outputs: run.status.outputs,
  progress: run.status.progress,
  nodes: treeOf(run).sort(),
  starts: run.starts.map(({ node }) => node).sort(),
});

function checkInvariants({ execution, nodes, status }: Simulated): void {
  assert.ok(execution.isCompleted, `ended as ${status.phase}`);
  const ids = new Set(nodes.map(({ id }) => id));
  assert.equal(ids.size, nodes.length, 'ids are unique');
  for (const node of nodes) {
    assert.ok(isFulfilled(node), `${node.name} is ${node.phase}`);
    assert.ok(node.finishedAt !== undefined && node.finishedAt >= node.startedAt, `${node.name} has no end`);
    for (const child of node.children ?? []) assert.ok(ids.has(child), `${child} below ${node.name} exists`);
  }
  const below = new Set(nodes.flatMap(({ children = [] }) => children));
  const roots = nodes.filter(({ id }) => !below.has(id)).map(({ name }) => name);
  assert.deepEqual(
    roots.filter(name => name !== 'wf' && name !== 'wf.onExit'),
    [],
    'every node is reached from the root',
  );
}

test('random workflows end, however events are ordered and whenever they are restored, in the same way', () => {
  const property = fc.property(document, fc.infiniteStream(fc.nat()), (source, picks) => {
    const plain = simulate(source);
    checkInvariants(plain);
    const choose = (count: number): number => (picks.next().value ?? 0) % Math.max(1, count);
    const shuffled = simulate(source, { choose });
    checkInvariants(shuffled);
    assert.deepEqual(endOf(shuffled), endOf(plain));
    const restored = simulate(source, { isRestored: true });
    assert.deepEqual(endOf(restored), endOf(plain));
    const inParts = simulate(source, { maxWork: 1, choose });
    assert.deepEqual(endOf(inParts), endOf(plain));
  });
  fc.assert(property, { numRuns: 100, seed: 15 });
});

test('random workflows that are stopped end too, and leave nothing running', () => {
  const stops = fc.constantFrom({ name: 'stop' as const }, { name: 'terminate' as const });
  const property = fc.property(
    document,
    fc.integer({ min: 1, max: 25 }),
    stops,
    fc.boolean(),
    (source, at, stop, isRestored) => {
      const run = simulate(source, { commands: { [at]: stop }, isRestored });
      assert.ok(run.execution.isCompleted);
      for (const node of run.nodes) assert.ok(isFulfilled(node), `${node.name} is ${node.phase}`);
    },
  );
  fc.assert(property, { numRuns: 100, seed: 15 });
});
