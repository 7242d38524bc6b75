import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PodSpec } from '../../../model/pods/pod.ts';
import { noSources, readText, shell, testFolder, testNode, untilStatus } from '../test-node.ts';
import { isolatedPod, runToEnd, withoutNamespaces } from './test-isolation.ts';

const skip = withoutNamespaces();
const script = (text: string, more: Partial<PodSpec> = {}): PodSpec => ({ containers: [shell(text)], ...more });

describe('an isolated pod', { timeout: 30_000, skip }, () => {
  test('runs to its end, and its exit code and both streams of its log are kept', async () => {
    await using test = testNode();
    const { status, log } = await runToEnd(test.node, isolatedPod(script('echo out; echo err >&2; exit 3')));
    assert.equal(status.phase, 'Failed');
    assert.equal(status.containerStatuses[0]?.state.terminated?.exitCode, 3);
    assert.deepEqual(log.trim().split('\n').sort(), ['err', 'out']);
    assert.equal(await readText(test.node.readLog({ uid: 'u1', container: 'main', stream: 'stdout' })), 'out\n');
  });

  test('does not see the data folder, nor what else the operator hides', async () => {
    using data = testFolder();
    const secret = join(data.path, 'token');
    const kubeconfig = join(data.path, '..', `${data.path.split('/').at(-1)}-kubeconfig`);
    writeFileSync(secret, 'swordfish');
    writeFileSync(kubeconfig, 'swordfish');
    const isolation = { hidden: [data.path, kubeconfig, secret, join(data.path, 'no-such')] };
    await using test = testNode({ folder: join(data.path, 'node'), isolation });
    const look = `ls -A ${data.path}; cat ${secret} ${kubeconfig} ${data.path}/node/launcher.pl; echo end`;
    const { log } = await runToEnd(test.node, isolatedPod(script(look)));
    rmSync(kubeconfig);
    assert.ok(!log.includes('swordfish') && !log.includes('use strict'), log);
    assert.match(log, /end\n$/);
    assert.ok(!/^(token|node)$/m.test(log), log);
  });

  test('sees no process but its own, so no environment of others', async () => {
    process.env['CHANDLERY_TEST_SECRET'] = 'swordfish';
    await using test = testNode();
    const look =
      'cat /proc/[0-9]*/environ /proc/*/task/*/environ 2>/dev/null | tr "\\0" "\\n"; env; ls -d /proc/[0-9]*';
    const { log } = await runToEnd(test.node, isolatedPod(script(look)));
    delete process.env['CHANDLERY_TEST_SECRET'];
    assert.ok(!log.includes('swordfish'), log);
    assert.ok(!/KUBECONFIG|CHANDLERY_NODE/.test(log), log);
    const seen = (log.match(/^\/proc\/\d+$/gm) ?? []).length;
    assert.ok(seen >= 2 && seen < 8, log);
  });

  test('gets no service-account token, and is refused one that it asks for', async () => {
    const tokens = { issueToken: async () => 'swordfish' };
    await using test = testNode({ tokens });
    const home = { cluster: 'c', api: { server: 'https://127.0.0.1:1', caPem: '' }, tokens };
    const look = 'find / -xdev -path "*serviceaccount/token" 2>/dev/null; ls /var/run/secrets; echo "[$KUBECONFIG]"';
    test.node.runPod(isolatedPod(script(look)), noSources, home);
    await untilStatus(test.node, 'u1', ({ phase }) => phase === 'Failed' || phase === 'Succeeded');
    const log = await readText(test.node.readLog({ uid: 'u1', container: 'main' }));
    assert.match(log, /\[\]\n$/);
    assert.ok(!log.includes('serviceaccount/token'), log);
    const volumes = [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }];
    const { status } = await runToEnd(test.node, isolatedPod(script('true', { volumes }), 'u2'));
    assert.equal(status.containerStatuses[0]?.state.terminated?.reason, 'IsolationRefused');
  });

  test('cannot undo its isolation: not by mounting, nor by volumes of the machine, nor by devices', async () => {
    await using test = testNode();
    const file = join(test.folder, 'secret');
    writeFileSync(file, 'swordfish');
    // A process with the superuser's uid can read disks, even without its capabilities.
    const disks = 'for d in /dev/*; do [ -b $d ] && echo $d; done';
    const undo = `umount ${test.folder}; unshare -Urm sh -c 'umount ${test.folder}; cat ${file}'; ${disks}; cat ${file}; echo x > /proc/sys/kernel/core_pattern; true`;
    const { log } = await runToEnd(test.node, isolatedPod(script(undo)));
    assert.ok(!/swordfish|^\/dev\//m.test(log), log);
    for (const [index, path] of ['/', test.folder, join(test.folder, 'pods')].entries()) {
      const volumes = [{ name: 'v', hostPath: { path } }];
      const containers = [{ ...shell('true'), volumeMounts: [{ name: 'v', mountPath: '/host' }] }];
      const { status } = await runToEnd(test.node, isolatedPod({ volumes, containers }, `v${index}`));
      assert.equal(status.containerStatuses[0]?.state.terminated?.reason, 'IsolationRefused', path);
    }
  });

  test('shares the rest of the machine, /tmp included, and can make folders in its own root', async () => {
    using shared = testFolder();
    await using test = testNode();
    writeFileSync(join(shared.path, 'given'), 'given');
    const text = `cat ${shared.path}/given; echo made > ${shared.path}/made; mkdir /new-folder && echo ok`;
    const { log } = await runToEnd(test.node, isolatedPod(script(text)));
    assert.equal(log, 'givenok\n');
    assert.equal(readFileSync(join(shared.path, 'made'), 'utf8'), 'made\n');
    assert.equal(existsSync('/new-folder'), false);
  });

  test('has a working folder of its own, or the one it names, which need not exist', async () => {
    await using test = testNode();
    const pwd = async (uid: string, workingDir?: string): Promise<string> => {
      const containers = [{ ...shell('pwd; touch here'), ...(workingDir === undefined ? {} : { workingDir }) }];
      return (await runToEnd(test.node, isolatedPod({ containers }, uid))).log;
    };
    assert.equal(await pwd('u1'), '/.pod/work\n');
    assert.equal(await pwd('u2', '/no-such-folder/deep'), '/no-such-folder/deep\n');
    assert.equal(await pwd('u3', '/var/tmp/chandlery-no-such/deep'), '/var/tmp/chandlery-no-such/deep\n');
    assert.equal(existsSync('/no-such-folder') || existsSync('/var/tmp/chandlery-no-such'), false);
  });

  test('does not let variables of the pod change the program that starts it', async () => {
    await using test = testNode();
    mkdirSync(join(test.folder, 'perl'));
    writeFileSync(join(test.folder, 'perl', 'Evil.pm'), `open(F, '>', '${test.folder}/evil'); 1;`);
    const env = [
      { name: 'PERL5OPT', value: '-MEvil' },
      { name: 'PERL5LIB', value: join(test.folder, 'perl') },
    ];
    const { log } = await runToEnd(test.node, isolatedPod({ containers: [{ ...shell('echo $PERL5OPT'), env }] }));
    assert.equal(log, '-MEvil\n');
    assert.equal(existsSync(join(test.folder, 'evil')), false);
  });

  test('reports the limits that are not enforced', async () => {
    await using test = testNode();
    const resources = { limits: { cpu: '2', memory: '64Mi', 'ephemeral-storage': '1Gi', 'nvidia.com/gpu': 1 } };
    const { status } = await runToEnd(test.node, isolatedPod({ containers: [{ ...shell('true'), resources }] }));
    const found = status.conditions.find(({ type }) => type === 'clusters.chandlery.io/LimitsEnforced');
    assert.equal(found?.status, 'False');
    assert.match(found?.message ?? '', /limits of cpu, ephemeral-storage, nvidia.com\/gpu\.$/);
  });

  test('fails at once when nothing runs for its image, and names it', async () => {
    await using test = testNode();
    const { status } = await runToEnd(test.node, isolatedPod({ containers: [{ name: 'main', image: 'acme/tool:1' }] }));
    assert.equal(status.phase, 'Failed');
    assert.equal(status.containerStatuses[0]?.state.terminated?.reason, 'ErrImagePull');
    assert.match(status.containerStatuses[0]?.state.terminated?.message ?? '', /"acme\/tool:1"/);
  });
});
