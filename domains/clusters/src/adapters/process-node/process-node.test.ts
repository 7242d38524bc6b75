import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { defaultBackOff } from '../../model/pods/back-off.ts';
import type { PodSpec } from '../../model/pods/pod.ts';
import { isOver } from '../../model/pods/pod-status.ts';
import { isAlive, noSources, readText, shell, testFolder, testNode, testPod, untilStatus } from './test-node.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const timeout = 20_000;

describe('a process node', { timeout }, () => {
  test('runs a pod to its end and keeps status and log', async () => {
    await using test = testNode();
    const script = 'echo out; echo err >&2; exit 3';
    test.node.runPod(testPod({ restartPolicy: 'Never', containers: [shell(script)] }), noSources);
    const status = await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    assert.equal(status.phase, 'Failed');
    assert.equal(status.containerStatuses[0]?.state.terminated?.exitCode, 3);
    assert.equal(status.containerStatuses[0]?.state.terminated?.reason, 'Error');
    const log = await readText(test.node.readLog({ uid: 'u1', container: 'main' }));
    assert.deepEqual(log.trim().split('\n').sort(), ['err', 'out']);
    assert.deepEqual(test.node.list(), ['u1']);
  });

  test('reports the end of the log of a container that failed, if that is asked for', async () => {
    await using test = testNode();
    const failing = (name: string, terminationMessagePolicy: string) => ({
      ...shell('echo no such file; exit 3'),
      name,
      terminationMessagePolicy,
    });
    const containers = [failing('told', 'FallbackToLogsOnError'), failing('silent', 'File')];
    test.node.runPod(testPod({ restartPolicy: 'Never', containers }), noSources);
    const { containerStatuses } = await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    const messages = containerStatuses.map(({ name, state }) => [name, state.terminated?.message]);
    assert.deepEqual(messages, [
      ['told', 'no such file\n'],
      ['silent', undefined],
    ]);
  });

  test('runs init containers in order before the others, sharing an emptyDir', async () => {
    await using test = testNode();
    const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
    const step = (name: string, script: string) => ({ ...shell(script), name, volumeMounts });
    const spec: PodSpec = {
      restartPolicy: 'Never',
      volumes: [{ name: 'shared', emptyDir: {} }],
      initContainers: [step('one', 'echo one >> /shared/order'), step('two', 'echo two >> /shared/order')],
      containers: [step('main', 'echo main >> /shared/order; cat /shared/order')],
    };
    test.node.runPod(testPod(spec), noSources);
    const status = await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    assert.equal(status.phase, 'Succeeded');
    assert.deepEqual(
      status.initContainerStatuses?.map(({ ready }) => ready),
      [true, true],
    );
    assert.equal(await readText(test.node.readLog({ uid: 'u1', container: 'main' })), 'one\ntwo\nmain\n');
  });

  test('in a relative folder gives containers paths that lead there: they once led nowhere', async () => {
    using folder = testFolder();
    await using test = testNode({ folder: relative(process.cwd(), folder.path) });
    const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
    const spec: PodSpec = {
      restartPolicy: 'Never',
      volumes: [{ name: 'shared', emptyDir: {} }],
      containers: [{ ...shell('cd / && touch /shared/file'), volumeMounts }],
    };
    test.node.runPod(testPod(spec), noSources);
    const status = await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    assert.equal(status.phase, 'Succeeded');
  });

  test('restarts what fails, waits longer each time, and shows the previous log', async () => {
    await using test = testNode();
    test.node.runPod(testPod({ containers: [shell('echo life $CHANDLERY_CONTAINER; exit 1')] }), noSources);
    const isWaiting = await untilStatus(
      test.node,
      'u1',
      ({ containerStatuses: [main] }) => main?.state.waiting?.reason === 'CrashLoopBackOff' && main.restartCount >= 1,
    );
    assert.equal(isWaiting.phase, 'Running');
    assert.equal(isWaiting.containerStatuses[0]?.lastState.terminated?.exitCode, 1);
    const previous = await readText(test.node.readLog({ uid: 'u1', container: 'main', previous: true }));
    assert.equal(previous, 'life main\n');
  });

  test('says how to map an image that nothing stands for', async () => {
    await using test = testNode();
    const containers = [{ name: 'main', image: 'acme/tool:1' }];
    test.node.runPod(testPod({ containers }), noSources);
    const status = await untilStatus(
      test.node,
      'u1',
      ({ containerStatuses: [main] }) => main?.state.waiting?.reason === 'ErrImagePull',
    );
    assert.match(status.containerStatuses[0]?.state.waiting?.message ?? '', /"acme\/tool:1".*create a HostImage/);
    assert.throws(() => test.node.readLog({ uid: 'u1', container: 'main' }), /waiting to start/);
  });

  test('does not show what is in a Secret when it complains about a command', async () => {
    await using test = testNode();
    const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } }];
    const containers = [{ name: 'main', image: 'acme/tool:1', command: ['/no/such/$(PASSWORD)'], env }];
    const sources = { ...noSources, secrets: { login: { password: bytes('swordfish') } } };
    test.node.runPod(testPod({ containers }), sources);
    const { containerStatuses } = await untilStatus(
      test.node,
      'u1',
      ({ containerStatuses: [main] }) => main?.state.waiting?.reason === 'ErrImagePull',
    );
    assert.match(containerStatuses[0]?.state.waiting?.message ?? '', /its command "\/no\/such\/\$\(PASSWORD\)"/);
    assert.ok(!JSON.stringify(containerStatuses).includes('swordfish'));
  });

  test('ends a pod with a zero byte in a variable, and does not show the value', async () => {
    await using test = testNode();
    const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } }];
    const sources = { ...noSources, secrets: { login: { password: bytes('sword\0fish') } } };
    const spec: PodSpec = { restartPolicy: 'Never', containers: [{ ...shell('true'), env }] };
    test.node.runPod(testPod(spec), sources);
    const { containerStatuses } = await untilStatus(test.node, 'u1', ({ phase }) => phase === 'Failed');
    assert.match(containerStatuses[0]?.state.terminated?.message ?? '', /variables hold a zero byte/);
    assert.ok(!JSON.stringify(containerStatuses).includes('sword'));
  });

  test('runs the command that an image is mapped to, with its variables and the arguments of the container', async () => {
    const images = { 'acme/*': { command: ['sh', '-c', 'echo $GREETING $0 $1'], env: { GREETING: 'hello' } } };
    await using test = testNode({ images });
    const containers = [{ name: 'main', image: 'acme/tool:1', args: ['$(CHANDLERY_POD_NAME)', 'b'] }];
    test.node.runPod(testPod({ restartPolicy: 'Never', containers }), noSources);
    await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    assert.equal(await readText(test.node.readLog({ uid: 'u1', container: 'main' })), 'hello pod-u1 b\n');
  });

  test('gives a container its variables and none of ours', async () => {
    process.env.SECRET_OF_THE_OWNER = 'x';
    await using test = testNode();
    const container = {
      ...shell('env'),
      env: [
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } },
        { name: 'URL', value: 'pg://u:$(PASSWORD)@h' },
        { name: 'NS', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      ],
      envFrom: [{ prefix: 'C_', configMapRef: { name: 'config' } }],
    };
    const sources = { secrets: { login: { password: bytes('p') } }, configMaps: { config: { COLOR: bytes('red') } } };
    test.node.runPod(testPod({ restartPolicy: 'Never', containers: [container] }), sources);
    await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    const lines = (await readText(test.node.readLog({ uid: 'u1', container: 'main' }))).split('\n');
    for (const line of ['URL=pg://u:p@h', 'NS=ns', 'C_COLOR=red', 'HOSTNAME=pod-u1'])
      assert.ok(lines.includes(line), line);
    assert.equal(
      lines.some(line => line.startsWith('SECRET_OF_THE_OWNER')),
      false,
    );
    delete process.env.SECRET_OF_THE_OWNER;
  });

  test('waits with an error for a missing Secret and continues once it exists', async () => {
    await using test = testNode({ limits: { backOff: defaultBackOff } });
    const env = [{ name: 'P', valueFrom: { secretKeyRef: { name: 'login', key: 'p' } } }];
    const pod = testPod({ restartPolicy: 'Never', containers: [{ ...shell('echo $P'), env }] });
    test.node.runPod(pod, noSources);
    const waiting = await untilStatus(
      test.node,
      'u1',
      ({ containerStatuses: [main] }) => main?.state.waiting?.reason === 'CreateContainerConfigError',
    );
    assert.equal(waiting.containerStatuses[0]?.state.waiting?.message, 'secret "login" not found');
    test.node.runPod(pod, { ...noSources, secrets: { login: { p: bytes('found') } } });
    await untilStatus(test.node, 'u1', ({ phase }) => phase === 'Succeeded');
    assert.equal(await readText(test.node.readLog({ uid: 'u1', container: 'main' })), 'found\n');
  });

  test('writes volumes of every kind, secrets for the owner only', async () => {
    const tokens = { issueToken: () => Promise.resolve('token-1') };
    await using test = testNode({ tokens });
    const mount = (name: string) => ({ name, mountPath: `/mnt/${name}` });
    const names = ['conf', 'sec', 'info', 'all', 'claim'];
    const container = {
      ...shell('cat /mnt/conf/a /mnt/sec/p /mnt/info/name /mnt/all/token /mnt/all/sub/a; touch /mnt/claim/kept'),
      volumeMounts: names.map(mount),
    };
    const spec: PodSpec = {
      restartPolicy: 'Never',
      containers: [container],
      volumes: [
        { name: 'conf', configMap: { name: 'c' } },
        { name: 'sec', secret: { secretName: 's' } },
        { name: 'info', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
        {
          name: 'all',
          projected: {
            sources: [
              { serviceAccountToken: { path: 'token' } },
              { configMap: { name: 'c', items: [{ key: 'a', path: 'sub/a' }] } },
            ],
          },
        },
        { name: 'claim', persistentVolumeClaim: { claimName: 'data' } },
      ],
    };
    const sources = { secrets: { s: { p: bytes('P\n') } }, configMaps: { c: { a: bytes('A\n') } } };
    test.node.runPod(testPod(spec), sources);
    const status = await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    assert.equal(await readText(test.node.readLog({ uid: 'u1', container: 'main' })), 'A\nP\npod-u1token-1A\n');
    assert.equal(status.phase, 'Succeeded');
    const secretFile = join(test.folder, 'pods/u1/.volumes/sec/p');
    assert.equal(statSync(secretFile).mode & 0o777, 0o600);
    await test.node.removePod('u1');
    assert.equal(existsSync(join(test.folder, 'pods/u1')), false);
    assert.equal(existsSync(join(test.folder, 'claims/ns/data/kept')), true);
  });

  test('ends a pod: preStop first, then SIGTERM, and the exit code of the handler counts', async () => {
    await using test = testNode();
    const main = {
      ...shell('trap "echo term; exit 0" TERM; echo up; while :; do sleep 0.02; done'),
      lifecycle: { preStop: { exec: { command: ['sh', '-c', 'echo $CHANDLERY_CONTAINER > $HOME/hook'] } } },
    };
    test.node.runPod(testPod({ containers: [main] }), noSources);
    const log = test.node;
    await untilStatus(test.node, 'u1', ({ phase }) => phase === 'Running');
    for await (const chunk of log.readLog({ uid: 'u1', container: 'main', follow: true })) {
      if (Buffer.from(chunk).includes('up')) break;
    }
    await test.node.stopPod('u1', 10);
    assert.equal(test.node.statusOf('u1')?.phase, 'Succeeded');
    assert.equal(await readText(test.node.readLog({ uid: 'u1', container: 'main' })), 'up\nterm\n');
    assert.equal(readFileSync(join(test.folder, 'pods/u1/main/work/hook'), 'utf8'), 'main\n');
  });

  test('kills what ignores SIGTERM, with grandchildren, even those that left the process group', async () => {
    await using test = testNode();
    const script =
      'trap "" TERM; sleep 1000 & echo $!; setsid sleep 1000 & sleep 0.05; echo $!; echo $$$$; while :; do sleep 1; done';
    test.node.runPod(testPod({ containers: [shell(script)] }), noSources);
    await untilStatus(test.node, 'u1', ({ phase }) => phase === 'Running');
    let text = '';
    for await (const chunk of test.node.readLog({ uid: 'u1', container: 'main', follow: true })) {
      text += Buffer.from(chunk).toString();
      if (text.split('\n').length > 3) break;
    }
    const pids = text.trim().split('\n').map(Number);
    assert.deepEqual(pids.map(isAlive), [true, true, true], text);
    await test.node.stopPod('u1', 0.1);
    assert.equal(pids.some(isAlive), false);
    const ended = test.node.statusOf('u1')?.containerStatuses[0]?.state.terminated;
    assert.deepEqual([ended?.exitCode, ended?.signal], [137, 9]);
    assert.equal(test.node.statusOf('u1')?.phase, 'Failed');
  });

  test('kills a container that needs more memory than it may have', {
    skip: process.platform !== 'linux',
  }, async () => {
    await using test = testNode();
    const script = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(8e6, 1)), 5)';
    const container = {
      name: 'main',
      command: [process.execPath, '-e', script],
      resources: { limits: { memory: '120Mi' } },
    };
    test.node.runPod(testPod({ restartPolicy: 'Never', containers: [container] }), noSources);
    const status = await untilStatus(test.node, 'u1', ({ phase }) => isOver(phase));
    const ended = status.containerStatuses[0]?.state.terminated;
    assert.deepEqual([ended?.reason, ended?.exitCode], ['OOMKilled', 137]);
  });

  test('a pod that was over before is only remembered', async () => {
    await using test = testNode();
    const pod = {
      ...testPod({ restartPolicy: 'Never', containers: [shell('exit 0')] }),
      status: { phase: 'Succeeded', containerStatuses: [] },
    };
    test.node.runPod(pod, noSources);
    assert.equal(test.node.statusOf('u1')?.phase, 'Succeeded');
    await test.node.stopPod('u1', 1);
    assert.equal(existsSync(join(test.folder, 'pods/u1')), false);
  });

  test('a listener may stop the pod it is notified of', async () => {
    await using test = testNode();
    const stopped = Promise.withResolvers<void>();
    test.node.onStatus((uid, { phase }) => {
      if (phase === 'Running') test.node.stopPod(uid, 0).then(stopped.resolve, stopped.reject);
    });
    test.node.runPod(testPod({ containers: [shell('sleep 1000')] }), noSources);
    await stopped.promise;
    assert.equal(test.node.statusOf('u1')?.phase, 'Failed');
  });
});
