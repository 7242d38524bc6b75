import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { DeclaredPath, PrivatePaths } from '../../../kinds/private-paths.ts';
import type { PodSpec } from '../../../model/pods/pod.ts';
import { eventually, noSources, shell, testNode, untilStatus } from '../test-node.ts';
import { isolatedPod, pathsOf, runToEnd, withoutNamespaces } from './test-isolation.ts';

const skip = withoutNamespaces();
const file = (path: string): DeclaredPath => ({ path, kind: 'file' });
const directory = (path: string): DeclaredPath => ({ path, kind: 'directory' });
const script = (text: string): PodSpec => ({ containers: [shell(text)] });

/** A name in /tmp that no other test has. */
const fresh = (): string => `/tmp/private-${randomUUID()}`;

function read(paths: PrivatePaths, path: string): string | undefined {
  const place = paths.hostPathOf(path) ?? '';
  return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
}

/** Ways to write the word `$1` to a file whose path stands in the text, or is put together by the program. */
const writers: Readonly<Record<string, (path: string) => string>> = {
  echo: path => `echo $WORD > ${path}`,
  append: path => `echo $WORD >> ${path}`,
  cp: path => `echo $WORD > source; cp source ${path}`,
  mv: path => `echo $WORD > source; mv source ${path}`,
  'rm, then write': path => `rm -f ${path}; echo $WORD > ${path}`,
  'sed -i': path => `echo x > ${path}; sed -i "s/x/$WORD/" ${path}`,
  'a path put together': path => `d=${dirname(path)}; n=${path.slice(5)}; echo $WORD > "$d/$n"`,
  'a relative path': path => `cd /tmp; echo $WORD > ${path.slice(5)}`,
  'both ways': path =>
    `echo x > ${path}; cd /tmp; grep -q x ${path.slice(5)} && echo $WORD > ${path.slice(5)}; cat ${path} >&2`,
};

describe('private files', { timeout: 60_000, skip }, () => {
  for (const [name, write] of Object.entries(writers)) {
    test(`do not disturb each other in two pods at once: ${name}`, async () => {
      await using test = testNode();
      const path = fresh();
      const one = async (uid: string): Promise<string | undefined> => {
        const paths = pathsOf(test.folder, uid, [file(path)]);
        const text = `[ -e ${path} ] && exit 9; ${write(path)}; sleep 0.3; grep -q $WORD ${path}`;
        const containers = [{ ...shell(text), env: [{ name: 'WORD', value: uid }] }];
        const { status, log } = await runToEnd(test.node, isolatedPod({ containers }, uid, paths));
        assert.equal(status.phase, 'Succeeded', log);
        return read(paths, path);
      };
      assert.deepEqual(await Promise.all([one('a'), one('b')]), ['a\n', 'b\n']);
      assert.equal(existsSync(path), false, 'nothing is left on the machine');
    });
  }

  test('are missing until they are written, and may become folders', async () => {
    await using test = testNode();
    const [never, folder] = [fresh(), fresh()];
    const paths = pathsOf(test.folder, 'u1', [file(never), file(folder)]);
    const text = `[ -e ${never} ] && exit 1; mkdir ${folder} && echo x > ${folder}/inner`;
    const { status } = await runToEnd(test.node, isolatedPod(script(text), 'u1', paths));
    assert.equal(status.phase, 'Succeeded');
    assert.equal(existsSync(paths.hostPathOf(never) ?? ''), false);
    assert.equal(readFileSync(join(paths.hostPathOf(folder) ?? '', 'inner'), 'utf8'), 'x\n');
    assert.equal(existsSync(never) || existsSync(folder), false);
  });

  test('hold inputs that were put there before the start', async () => {
    await using test = testNode();
    const path = fresh();
    const paths = pathsOf(test.folder, 'u1', [file(path)]);
    const place = paths.hostPathOf(path) ?? '';
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, 'input\n');
    const { log } = await runToEnd(
      test.node,
      isolatedPod(script(`cat ${path}; cd /tmp; cat ${path.slice(5)}`), 'u1', paths),
    );
    assert.equal(log, 'input\ninput\n');
  });

  test('hide a file of the machine at the same path, which stays as it is', async () => {
    await using test = testNode();
    const path = fresh();
    writeFileSync(path, "the machine's");
    const paths = pathsOf(test.folder, 'u1', [file(path)]);
    const { log } = await runToEnd(
      test.node,
      isolatedPod(script(`cd /tmp; cat ${path.slice(5)}; echo own > ${path}`), 'u1', paths),
    );
    assert.ok(!log.includes("the machine's"), log);
    assert.equal(readFileSync(path, 'utf8'), "the machine's");
    assert.equal(read(paths, path), 'own\n');
    rmSync(path);
  });

  test('are called in the log what the pod calls them', async () => {
    await using test = testNode();
    const path = fresh();
    const paths = pathsOf(test.folder, 'u1', [file(path)]);
    const { log } = await runToEnd(test.node, isolatedPod(script(`echo wrote ${path}; ls ${path}`), 'u1', paths));
    assert.equal(log, `wrote ${path}\nls: cannot access '${path}': No such file or directory\n`);
  });

  test('are replaced in scripts and variables too', async () => {
    await using test = testNode();
    const path = fresh();
    const paths = pathsOf(test.folder, 'u1', [file(path), { ...file('/scripts/source'), isScript: true }]);
    const source = paths.hostPathOf('/scripts/source') ?? '';
    mkdirSync(dirname(source), { recursive: true });
    writeFileSync(source, `echo one > w; mv w ${path}; echo two >> $TARGET`, { mode: 0o755 });
    const env = [{ name: 'TARGET', value: path }];
    const containers = [{ name: 'main', command: ['sh', '/scripts/source'], env }];
    const { status, log } = await runToEnd(test.node, isolatedPod({ containers }, 'u1', paths));
    assert.equal(status.phase, 'Succeeded', log);
    assert.equal(read(paths, path), 'one\ntwo\n');
  });

  test('stay when another pod that made their mount points ends first', async () => {
    await using test = testNode();
    const path = `${fresh()}/deep/file`;
    const [first, second] = [pathsOf(test.folder, 'u1', [file(path)]), pathsOf(test.folder, 'u2', [file(path)])];
    test.node.runPod(isolatedPod(script('sleep 0.3'), 'u1', first), noSources);
    await eventually(() => existsSync(path));
    const late = `cd ${dirname(path)}; while [ ! -e ../../go-${path.split('/')[2]} ]; do sleep 0.05; done; echo own > file`;
    const ended = runToEnd(test.node, isolatedPod(script(late), 'u2', second));
    await untilStatus(test.node, 'u1', ({ phase }) => phase === 'Succeeded');
    assert.equal(existsSync(path), true);
    const go = `/tmp/go-${path.split('/')[2]}`;
    writeFileSync(go, '');
    const { status, log } = await ended;
    rmSync(go);
    assert.equal(status.phase, 'Succeeded', log);
    assert.equal(read(second, path), 'own\n');
    assert.equal(existsSync(dirname(dirname(path))), false);
  });

  test('lie beside folders that other pods have at the same path', async () => {
    await using test = testNode();
    const path = fresh();
    const one = async (uid: string, declared: DeclaredPath, text: string): Promise<void> => {
      const paths = pathsOf(test.folder, uid, [declared]);
      const { status, log } = await runToEnd(test.node, isolatedPod(script(text), uid, paths));
      assert.equal(status.phase, 'Succeeded', log + JSON.stringify(status.containerStatuses));
    };
    const asFile = `echo x > ${path}; sleep 0.4; grep x ${path}`;
    const asFolder = `sleep 0.2; echo y > ${path}/inner && ls ${path} | grep inner; sleep 0.2`;
    await Promise.all([
      one('a', file(path), asFile),
      one('b', directory(path), asFolder),
      one('c', file(path), asFile),
    ]);
    await Promise.all([one('d', directory(path), asFolder), one('e', file(path), asFile)]);
    assert.equal(existsSync(path), false);
  });

  test('leave what others write at the same path on the machine', async () => {
    await using test = testNode();
    const path = fresh();
    const paths = pathsOf(test.folder, 'u1', [file(path)]);
    test.node.runPod(isolatedPod(script('echo up; sleep 0.5'), 'u1', paths), noSources);
    await untilStatus(test.node, 'u1', ({ phase }) => phase === 'Running');
    await runToEnd(test.node, isolatedPod(script(`echo shared > ${path}`), 'u2'));
    await untilStatus(test.node, 'u1', ({ phase }) => phase === 'Succeeded');
    assert.equal(readFileSync(path, 'utf8'), 'shared\n');
    rmSync(path);
  });
});

describe('private folders', { timeout: 60_000, skip }, () => {
  test('can be anywhere, and nothing of them is left on the machine', async () => {
    await using test = testNode();
    const paths = ['/mnt/chandlery-test/out', '/chandlery-test', `${fresh()}/deep/er`, '/var/run/chandlery-test'];
    const one = async (uid: string): Promise<void> => {
      const declared = pathsOf(test.folder, uid, paths.map(directory));
      const text = paths.map(path => `echo ${uid} > ${path}/file`).join(' && ');
      const { status, log } = await runToEnd(test.node, isolatedPod(script(`${text} && sleep 0.2`), uid, declared));
      assert.equal(status.phase, 'Succeeded', log);
      for (const path of paths) assert.equal(read(declared, `${path}/file`), `${uid}\n`);
    };
    await Promise.all([one('a'), one('b')]);
    for (const path of [
      '/mnt/chandlery-test',
      '/chandlery-test',
      '/run/chandlery-test',
      dirname(dirname(paths[2] ?? '')),
    ])
      assert.equal(existsSync(path), false, path);
  });

  test('are volumes too, one in another, and outputs in them are in the volume', async () => {
    await using test = testNode();
    const paths = pathsOf(test.folder, 'u1', [directory('/work/inner'), file('/work/inner/result')]);
    const volumeMounts = [{ name: 'shared', mountPath: '/work/' }];
    const container = (name: string, text: string) => ({ ...shell(text), name, volumeMounts });
    const spec: PodSpec = {
      volumes: [{ name: 'shared', emptyDir: {} }],
      initContainers: [container('init', 'echo init > /work/a')],
      containers: [container('main', 'cat /work/a; echo done > /work/inner/result; ls /work')],
    };
    const { log } = await runToEnd(test.node, isolatedPod(spec, 'u1', paths));
    assert.equal(log, 'init\na\ninner\n');
    assert.equal(read(paths, '/work/inner/result'), 'done\n');
    assert.equal(readFileSync(join(test.node.volumeFolder('u1', 'shared'), 'a'), 'utf8'), 'init\n');
  });

  test('show the entries of a folder in which the user can make nothing', {
    skip: process.getuid?.() === 0,
  }, async () => {
    await using test = testNode();
    const paths = pathsOf(test.folder, 'u1', [directory('/usr/share/chandlery-test')]);
    const text = 'echo x > /usr/share/chandlery-test/file; ls /usr/share';
    const { log } = await runToEnd(test.node, isolatedPod(script(text), 'u1', paths));
    assert.deepEqual(log.trim().split('\n').sort(), [...readdirSync('/usr/share'), 'chandlery-test'].sort());
    assert.ok(statSync(paths.hostPathOf('/usr/share/chandlery-test/file') ?? '').isFile());
  });
});
