import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { type RunningLandscape, startLandscape } from '@chandlery/server';
import { freePort, runProcess, type TempFolder, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../test-cli.ts';

const start = (dataDir: string, ...flags: readonly string[]): Promise<RunningLandscape> =>
  startLandscape(
    loadServerConfig({ argv: ['--port=0', '--xds-port=0', `--data-dir=${dataDir}`, ...flags], env: {} }).values,
    { logger: silentLogger },
  );

describe('with a landscape', () => {
  let folder: TempFolder;
  let landscape: RunningLandscape;
  const cli = (...args: string[]): Promise<Ran> => runCli(args, { cwd: folder.path });

  before(async () => {
    folder = await tempFolder();
    landscape = await start(folder.join('.chandlery'));
  });
  after(async () => {
    await landscape[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('status reports that it is ready', async () => {
    const { code, stdout } = await cli('status');
    assert.equal(code, 0);
    assert.match(stdout, /^Landscape: +running and ready$/m);
    assert.ok(stdout.includes(landscape.url));
    for (const row of [/^store-sqlite +ok /m, /^disk +ok +.* free at /m, /^DOMAIN +OBJECTS +NOT READY +WHICH$/m])
      assert.match(stdout, row);
    assert.match(stdout, /^Proxies: +none connected$/m);
    assert.match(stdout, /^providers +\d+ +0 +-$/m);
    const { stdout: json } = await cli('status', '-o', 'json');
    const { isReady, address } = JSON.parse(json) as { isReady: boolean; address: string };
    assert.deepEqual([isReady, address], [true, landscape.url]);
    assert.match((await cli('status', '--color', 'always')).stdout, /store-sqlite +\u001b\[32mok\u001b/);
  });

  test('a logical cluster is created, listed, used and deleted', async () => {
    const created = await cli('clusters', 'create', 'team-a', '--display-name', 'Team A', '--admin-user', 'jane');
    assert.deepEqual([created.code, created.stderr], [0, '']);
    assert.match(created.stdout, /team-a created \(Ready\)/);
    assert.match((await cli('clusters', 'list')).stdout, /^team-a +Ready +<none> +Team A +\d+s$/m);
    const again = await cli('clusters', 'create', 'team-a');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /^Error: cannot create the logical cluster "team-a"\nWhy: {3}.*already exists\nNext: /);

    await using client = createClient(loadKubeconfig((await cli('kubeconfig', 'team-a')).stdout));
    const binding = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' };
    const { subjects } = await client.get({ ...binding, name: 'logical-cluster-admins' });
    assert.equal((subjects as { name: string }[])[0]?.name, 'jane');

    const deleted = await cli('clusters', 'delete', 'team-a', '--yes');
    assert.deepEqual([deleted.code, deleted.stderr], [0, '']);
    assert.match(deleted.stdout, /team-a deleted\n$/);
    assert.doesNotMatch((await cli('clusters', 'list')).stdout, /team-a/);
    assert.match((await cli('clusters', 'delete', 'team-a', '--yes')).stderr, /there is no logical cluster "team-a"/);
  });

  test('a deletion that is blocked says by what, and can be forced', async () => {
    await cli('clusters', 'create', 'stuck');
    await using client = createClient(loadKubeconfig((await cli('kubeconfig', 'stuck')).stdout));
    const configMaps = { group: '', version: 'v1', plural: 'configmaps', namespace: 'default' };
    const metadata = { name: 'held', finalizers: ['example.org/hold'] };
    await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    const blocked = await cli('clusters', 'delete', 'stuck', '-y', '--timeout', '2');
    assert.equal(blocked.code, 1);
    assert.match(blocked.stdout, /^waiting: .*configmaps.*example\.org\/hold/m);
    assert.match(blocked.stderr, /still there after 2 s: .*configmaps/);
    const forced = await cli('clusters', 'delete', 'stuck', '-y', '--force');
    assert.deepEqual([forced.code, forced.stderr], [0, '']);
  });

  test('a deletion is confirmed by typing the name, elsewhere by --yes', async () => {
    await cli('clusters', 'create', 'asked');
    const deleteWith = (stdin: string, ...flags: string[]): Promise<Ran> =>
      runCli(['clusters', 'delete', 'asked', ...flags], { cwd: folder.path, isInteractive: true, stdin });
    for (const answer of ['y\n', '\n', '']) {
      const refused = await deleteWith(answer);
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /^With the logical cluster "asked" go:\n {2}namespace default with everything in it$/m,
      );
      assert.match(refused.stderr, /^Delete the logical cluster "asked"\? Type "asked" to confirm: $/m);
      assert.match(refused.stderr, /it was not confirmed\nNext: .*--yes/);
      assert.match((await cli('clusters', 'list')).stdout, /^asked +Ready/m);
    }
    const unanswerable = await cli('clusters', 'delete', 'asked');
    assert.match(unanswerable.stderr, /no one can be asked here\nNext: {2}Confirm it with --yes/);
    assert.equal((await deleteWith('asked\n')).code, 0);
    assert.doesNotMatch((await cli('clusters', 'list')).stdout, /asked/);
    await cli('clusters', 'create', 'asked');
    const unasked = await deleteWith('', '--yes');
    assert.deepEqual([unasked.code, unasked.stderr], [0, '']);
  });

  test('a deletion need not be waited for', async () => {
    await cli('clusters', 'create', 'brief');
    assert.match((await cli('clusters', 'delete', 'brief', '-y', '--wait=false')).stdout, /is being deleted/);
  });

  test('what the landscape needs is not deleted', async () => {
    const { code, stderr } = await cli('clusters', 'delete', 'platform', '-y', '--force');
    assert.equal(code, 1);
    assert.match(stderr, /cannot do without the logical cluster/);
    assert.doesNotMatch((await cli('clusters', 'list', '-o', 'yaml')).stdout, /force-deletion/);
  });

  test('a kubeconfig for all has all contexts, for an unknown one there is none', async () => {
    const { contexts } = JSON.parse((await cli('kubeconfig', '-o', 'json')).stdout) as { contexts: { name: string }[] };
    assert.ok(['onboarding', 'platform'].every(name => contexts.some(context => context.name === name)));
    const unknown = await cli('kubeconfig', 'nowhere');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /there is no logical cluster "nowhere"\nNext: .*cluster list/);
  });

  test('a backup is private, whole, and restores into an empty folder only', async () => {
    await cli('clusters', 'create', 'kept');
    const saved = await cli('backup', 'b', '-o', 'json');
    assert.equal(saved.code, 0);
    assert.match(saved.stderr, /private keys/);
    const { bytes } = JSON.parse(saved.stdout) as Record<string, number>;
    assert.equal(bytes, readFileSync(folder.join('b')).length);
    assert.equal(statSync(folder.join('b')).mode & 0o777, 0o600);
    assert.equal(existsSync(folder.join('b.partial')), false);
    assert.match((await cli('backup', 'b')).stderr, /exists already/);
    assert.match((await cli('backup', 'no/b')).stderr, /^Why: {3}the folder .*no does not exist\nNext: {2}Create it/m);
    const again = await cli('backup', 'b', '--overwrite', '-o', 'json');
    assert.equal(again.code, 0);
    const { objects, revision } = JSON.parse(again.stdout) as Record<string, number>;

    assert.match((await cli('restore', 'b')).stderr, /is not empty/);
    mkdirSync(folder.join('new'));
    // What a server leaves that could not start, because its port was taken.
    for (const file of ['lock.db', 'identity.json']) writeFileSync(folder.join('new', file), '');
    const restored = await cli('restore', 'b', '--data-dir', 'new');
    assert.equal(restored.code, 0);
    assert.match(restored.stdout, new RegExp(`restored ${objects} objects at revision ${revision} into `));
    await using _other = await start(folder.join('new'));
    assert.match((await cli('clusters', 'list', '--data-dir', 'new')).stdout, /^kept +Ready/m);
  });

  test('half a backup leaves nothing behind', async () => {
    await cli('backup', 'half');
    truncateSync(folder.join('half'), 1000);
    const { code, stderr } = await cli('restore', 'half', '--data-dir', 'never');
    assert.equal(code, 1);
    assert.match(stderr, /its end is missing/);
    assert.equal(existsSync(folder.join('never')), false);
  });

  test('a backup without the right to it leaves no file', async () => {
    const { url, authorityPath } = landscape;
    const kubeconfig = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c' } }],
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority': authorityPath } }],
    };
    writeFileSync(folder.join('nobody'), JSON.stringify(kubeconfig));
    const { code, stderr } = await cli('backup', 'stolen', '--kubeconfig', 'nobody');
    assert.equal(code, 1);
    assert.match(stderr, /administrator/);
    assert.equal(existsSync(folder.join('stolen')) || existsSync(folder.join('stolen.partial')), false);
  });
});

describe('a landscape that cannot start', () => {
  test('says so when its data folder is a file', async () => {
    await using folder = await tempFolder();
    writeFileSync(folder.join('file'), '');
    await assert.rejects(start(folder.join('file')), { code: 'FolderNotUsable', hint: /--data-dir/ });
  });

  // In a process of its own, because the bug would keep this one busy forever.
  const onLinux = { skip: process.platform !== 'linux' };
  test('says so, rather than nothing, when its data folder cannot be made', onLinux, async () => {
    const program = join(import.meta.dirname, '../../bin/chandlery.mjs');
    const { code, stderr } = await runProcess(process.execPath, [program, 'up', '--data-dir', '/proc/x']);
    assert.equal(code, 1);
    assert.match(stderr, /cannot use the data folder \/proc\/x: nothing can be made in \/proc\n/);
  });

  test('leaves no data folder when its settings are wrong', async () => {
    await using folder = await tempFolder();
    const env = { CHANDLERY_SERVICE_MANAGER: '{"pollingInterval":1}' };
    const { stderr } = await runCli(['up', '--port=0', '--xds-port=0', '--data-dir', folder.join('new')], { env });
    assert.match(stderr, /"pollingInterval" .* did you mean "pollingIntervalMs"\?/);
    assert.equal(existsSync(folder.join('new')), false);
  });

  test('points to the database when that cannot be reached', async () => {
    await using folder = await tempFolder();
    const database = `--database=postgres://nobody:secret@127.0.0.1:${await freePort()}/nothing`;
    await assert.rejects(start(folder.join('data'), database), { message: /ECONNREFUSED/, hint: /correct --database/ });
  });
});
