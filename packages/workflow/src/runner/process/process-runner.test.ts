import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';
import type { Template } from '../../document/template.ts';
import { run, testRunner } from '../runner-contract.ts';
import { ProcessRunner, type ProcessRunnerOptions } from './process-runner.ts';

const shell = (script: string, more: Partial<Template> = {}): Template => ({
  name: 't',
  container: { image: 'alpine:3.7', command: ['sh', '-c'], args: [script] },
  ...more,
});

testRunner('processes', () => ({
  runner: new ProcessRunner(),
  templates: {
    print: text => shell(`echo ${text}`),
    exit: code => shell(`exit ${code}`),
    hang: () => shell('sleep 60'),
  },
}));

async function endOf(template: Template, options: ProcessRunnerOptions = {}) {
  const runner = new ProcessRunner(options);
  const last = (await run(runner, 'a', template)).at(-1);
  await runner.close();
  return last;
}

test('declared paths and the folders around them are private to each node, and only those', async () => {
  const outputs = { parameters: [{ name: 'o', valueFrom: { path: '/tmp/out/value.txt' } }] };
  const ended = await endOf(
    shell('mkdir /tmp/out; echo text > /tmp/out/value.txt; echo /tmp/out.bak /x/tmp/out/value.txt', { outputs }),
  );
  assert.ok(ended?.kind === 'ended');
  assert.deepEqual(ended.parameters, { o: 'text\n' });
  assert.equal(ended.result, '/tmp/out.bak /x/tmp/out/value.txt\n');
  assert.equal(existsSync('/tmp/out/value.txt'), false);
});

test('a container starts in its root, with the folders that every image has', async () => {
  const artifacts = [
    { name: 'file', path: '/result.txt' },
    { name: 'tmp', path: '/tmp/' },
    { name: 'etc', path: '/etc' },
  ];
  const ended = await endOf({
    script: { image: 'x', command: ['sh'], source: 'echo relative > result.txt; echo x > /tmp/x' },
    outputs: { artifacts },
  });
  assert.ok(ended?.kind === 'ended');
  assert.deepEqual([ended.exitCode, ended.artifacts?.map(({ name }) => name)], [0, ['file', 'tmp', 'etc']]);
});

test('folders around outputs are made', async () => {
  const outputs = {
    parameters: [{ name: 'o', valueFrom: { path: '/deep/in/value.txt' } }],
    artifacts: [{ name: 'a', path: '/other/deep/file' }],
  };
  const ended = await endOf(shell('echo text > /deep/in/value.txt && echo x > /other/deep/file', { outputs }));
  assert.ok(ended?.kind === 'ended');
  assert.deepEqual([ended.exitCode, ended.parameters], [0, { o: 'text\n' }]);
  assert.deepEqual(
    ended.artifacts?.map(({ name }) => name),
    ['a'],
  );
});

test('a workingDir that does not exist is made', async () => {
  const ended = await endOf({ container: { image: 'x', command: ['pwd'], workingDir: '/work/here' } });
  assert.ok(ended?.kind === 'ended');
  assert.match(ended.result ?? '', /\/work\/here$/m);
});

test('a script is written to a file and executed, with its paths replaced', async () => {
  const outputs = { parameters: [{ name: 'o', valueFrom: { path: '/o' } }] };
  const source = 'echo "$GREETING" > /o\necho $ARGO_NODE_ID $ARGO_WORKFLOW_NAME $ARGO_CONTAINER_NAME\n';
  const env = [{ name: 'GREETING', value: 'hi' }];
  const ended = await endOf({ script: { image: 'x', command: ['sh'], source, env }, outputs });
  assert.ok(ended?.kind === 'ended');
  assert.deepEqual([ended.exitCode, ended.result, ended.parameters?.['o']], [0, 'id-a wf main\n', 'hi\n']);
});

test('artifacts go from one node to another', async () => {
  const runner = new ProcessRunner();
  const made = shell('mkdir /made; echo bytes > /made/file', {
    outputs: { artifacts: [{ name: 'x', path: '/made' }] },
  });
  const first = (await run(runner, 'a', made)).at(-1);
  assert.ok(first?.kind === 'ended');
  const [artifact] = first.artifacts ?? [];
  assert.ok(artifact !== undefined);
  const inputs = {
    artifacts: [
      { ...artifact, path: '/in' },
      { name: 'raw', path: '/raw', raw: { data: 'literal' } },
    ],
  };
  const second = (await run(runner, 'b', shell('cat /in/file /raw', { inputs }))).at(-1);
  await runner.close();
  assert.ok(second?.kind === 'ended');
  assert.equal(second.result, 'bytes\nliteral');
});

test('an image without a command is named, unless it is mapped', async () => {
  const template = { container: { image: 'argosay:v2', args: ['mapped'] } };
  const lost = await endOf(template);
  assert.ok(lost?.kind === 'lost');
  assert.match(lost.message, /image "argosay:v2" has no command here/);
  const ended = await endOf(template, { images: { 'argosay:v2': ['echo'] } });
  assert.ok(ended?.kind === 'ended');
  assert.equal(ended.result, 'mapped\n');
});

test('a program of an image can be mapped to one of this machine', async () => {
  const template = { container: { image: 'argosay:v2', command: ['/argosay'], args: ['mapped'] } };
  const ended = await endOf(template, { programs: { '/argosay': 'echo' } });
  assert.ok(ended?.kind === 'ended');
  assert.equal(ended.result, 'mapped\n');
});

test('an artifact with only a key is in the default repository, under that key', async () => {
  const runner = new ProcessRunner();
  const artifact = (path: string) => ({ artifacts: [{ name: 'x', path, s3: { key: 'my/key' } }] });
  const made = (await run(runner, 'a', shell('echo bytes > /out', { outputs: artifact('/out') }))).at(-1);
  const read = (await run(runner, 'b', shell('cat /in', { inputs: artifact('/in') }))).at(-1);
  await runner.close();
  assert.ok(made?.kind === 'ended' && read?.kind === 'ended');
  assert.deepEqual([made.artifacts?.[0]?.s3, read.result], [{ key: 'my/key' }, 'bytes\n']);
});

test('an input can be read by HTTP, with headers and a mode', async () => {
  const server = createServer(({ headers }, response) => response.end(`echo ${headers['x-name']}`));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const http = { url: `http://127.0.0.1:${port}/tool`, headers: [{ name: 'x-name', value: 'fetched' }] };
  const inputs = { artifacts: [{ name: 'tool', path: '/usr/local/bin/fetched-tool', mode: 0o755, http }] };
  const ended = await endOf(shell('fetched-tool', { inputs }));
  server.close();
  assert.ok(ended?.kind === 'ended');
  assert.equal(ended.result, 'fetched\n');
});

test('an output within a volume', async () => {
  const ended = await endOf({
    volumes: [{ name: 'w', emptyDir: {} }],
    containerSet: {
      volumeMounts: [{ name: 'w', mountPath: '/workspace' }],
      containers: [{ name: 'main', image: 'x', command: ['sh', '-c', 'echo hi > /workspace/out'] }],
    },
    outputs: { parameters: [{ name: 'out', valueFrom: { path: '/workspace/out' } }] },
  });
  assert.ok(ended?.kind === 'ended', JSON.stringify(ended));
  assert.deepEqual(ended.parameters, { out: 'hi\n' });
});

test('a command that does not exist fails with a message', async () => {
  const ended = await endOf({ container: { image: 'x', command: ['no-such-command-here'] } });
  assert.ok(ended?.kind === 'ended');
  assert.equal(ended.exitCode, 64);
  assert.match(ended.message ?? '', /executable file not found/);
});

test('the whole process group is killed', async () => {
  const runner = new ProcessRunner();
  let pid = 0;
  const template = shell('sleep 300 & echo $! > /pid; wait', {
    outputs: { parameters: [{ name: 'pid', valueFrom: { path: '/pid' } }] },
  });
  const reports = await run(runner, 'a', template, () => void delay(300).then(() => runner.kill('a', 1)));
  await runner.close();
  const ended = reports.at(-1);
  assert.ok(ended?.kind === 'ended');
  pid = Number(ended.parameters?.['pid']);
  assert.ok(pid > 0);
  await eventually(() => !isAlive(pid), { what: 'the end of the process' });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('initContainers run first, sidecars beside, and a set in the order of its dependencies', async () => {
  const shared = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
  const sh = (name: string, script: string) => ({ name, image: 'x', command: ['sh', '-c', script], ...shared });
  const ended = await endOf({
    volumes: [{ name: 'v', emptyDir: {} }],
    initContainers: [sh('init', 'echo init > /v/log')],
    sidecars: [sh('side', 'sleep 60')],
    container: sh('main', 'cat /v/log'),
  });
  assert.ok(ended?.kind === 'ended');
  assert.equal(ended.result, 'init\n');
  const set = await endOf({
    volumes: [{ name: 'v', emptyDir: {} }],
    containerSet: {
      ...shared,
      containers: [
        { name: 'main', image: 'x', command: ['sh', '-c', 'cat /v/a'], dependencies: ['a'] },
        { name: 'a', image: 'x', command: ['sh', '-c', 'echo first > /v/a'] },
        { name: 'b', image: 'x', command: ['sh', '-c', 'exit 4'], dependencies: ['a'] },
        { name: 'c', image: 'x', command: ['true'], dependencies: ['b'] },
      ],
    },
  });
  assert.ok(set?.kind === 'ended');
  assert.deepEqual([set.result, set.exitCode, set.containers], ['first\n', 4, { main: 0, a: 0, b: 4, c: 64 }]);
});
