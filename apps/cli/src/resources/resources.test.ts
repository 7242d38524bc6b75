import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { loadServerConfig, silentLogger } from '@chandlery/platform';
import { type RunningLandscape, startLandscape } from '@chandlery/server';
import { type TempFolder, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../test-cli.ts';

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, shortNames: [wg] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          description: A widget of the test.
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: string, enum: [small, large], description: How large it is. }
            status:
              type: object
              x-kubernetes-preserve-unknown-fields: true
      additionalPrinterColumns:
        - { name: Size, type: string, jsonPath: .spec.size }
        - { name: Secretive, type: string, jsonPath: .metadata.uid, priority: 1 }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { colour: red }
`;

describe('commands for objects of any kind', () => {
  let folder: TempFolder;
  let landscape: RunningLandscape;
  const cli = (...args: string[]): Promise<Ran> => runCli([...args, '--cluster', 'shop'], { cwd: folder.path });
  const widget = (name: string, size: string): string =>
    JSON.stringify({ apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name }, spec: { size } });
  const apply = (document: string, ...flags: string[]): Promise<Ran> =>
    runCli(['apply', '--cluster', 'shop', '-f', '-', ...flags], { cwd: folder.path, stdin: document });

  before(async () => {
    folder = await tempFolder();
    const argv = ['--port=0', '--xds-port=0', `--data-dir=${folder.join('.chandlery')}`];
    landscape = await startLandscape(loadServerConfig({ argv, env: {} }).values, { logger: silentLogger });
    await runCli(['clusters', 'create', 'shop'], { cwd: folder.path });
    writeFileSync(folder.join('kinds.yaml'), widgets);
    const applied = await cli('apply', '-f', 'kinds.yaml');
    assert.deepEqual([applied.code, applied.stderr], [0, '']);
    assert.equal(
      applied.stdout,
      'customresourcedefinition.apiextensions.k8s.io/widgets.example.org created\nconfigmap/settings created\n',
    );
  });
  after(async () => {
    await landscape[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test('history lists revisions and compares them; rollback goes back, and leaves what others change', async () => {
    await apply(widget('old', 'small'));
    await apply(widget('old', 'large'));
    const listed = await cli('history', 'widget', 'old');
    assert.match(listed.stdout, /REVISION +AGE +CHANGE +BY +FIELDS/);
    assert.match(listed.stdout, /\d+ \(present\) +\d+s +updated +chandlery +spec\.size\n/);
    const [present = '', first = ''] = (await cli('history', 'widget/old', '-o', 'name')).stdout.trim().split('\n');
    assert.equal((await cli('history', 'wg/old', '--diff', first)).stdout, '  ~ spec.size: "small" -> "large"\n');
    assert.equal(
      (await cli('history', 'wg/old', '--diff', present, first)).stdout,
      '  ~ spec.size: "large" -> "small"\n',
    );
    const tried = await cli('rollback', 'widget', 'old', '--to', first, '--dry-run');
    assert.equal(tried.stdout, 'widget.example.org/old rolled back (dry run)\n  ~ spec.size: "large" -> "small"\n');
    assert.match((await cli('get', 'widget', 'old')).stdout, /large/);
    assert.match(
      (await cli('rollback', 'widget', 'old', '--to', first)).stdout,
      /^widget\.example\.org\/old rolled back\n/,
    );
    assert.match((await cli('get', 'widget', 'old')).stdout, /small/);
    assert.match((await cli('rollback', 'widget', 'old', '--to', first)).stdout, /unchanged/);
    await cli('delete', 'widget/old', '-y');
    assert.match((await cli('history', 'widget/old')).stdout, /deleted/);
    assert.match((await cli('rollback', 'widget/old', '--to', present)).stdout, /created again/);
    assert.match((await cli('get', 'widget', 'old')).stdout, /large/);
  });

  test('history and rollback say what is missing', async () => {
    await apply(widget('known', 'small'));
    assert.match((await cli('history', 'widget/none')).stderr, /"none" not found[\s\S]*Code: {2}NotFound/);
    assert.match((await cli('history', 'secret/any')).stderr, /revisions of Secret are not kept/);
    assert.match(
      (await cli('history', 'widget/known', '--diff', '999999')).stderr,
      /is not kept[\s\S]*Code: {2}Expired/,
    );
    for (const words of [
      ['history', 'widget/known', '7'],
      ['history', 'widget/known', '--diff'],
      ['rollback', 'widget/known'],
    ])
      assert.equal((await cli(...words)).code, 2, words.join(' '));
  });

  test('apply says created, unchanged and configured; a dry run stores nothing', async () => {
    assert.match(
      (await apply(widget('first', 'small'), '--dry-run')).stdout,
      /^widget\.example\.org\/first created \(dry run\)\n$/,
    );
    assert.match((await cli('get', 'widget', 'first')).stderr, /"first" not found[\s\S]*Code: {2}NotFound/);
    assert.match((await apply(widget('first', 'small'))).stdout, /first created\n$/);
    assert.match((await apply(widget('first', 'small'))).stdout, /first unchanged\n$/);
    assert.match((await apply(widget('first', 'large'))).stdout, /first configured\n$/);
  });

  test('a kind is found by plural, singular, short name and group, and lists by its own columns', async () => {
    await apply(widget('listed', 'small'));
    for (const word of ['widgets', 'widget', 'wg', 'Widget', 'widgets.example.org', 'widgets.v1.example.org']) {
      const { code, stdout } = await cli('get', word);
      assert.equal(code, 0, word);
      assert.match(stdout, /^NAME +SIZE$/m, word);
      assert.match(stdout, /^listed +small$/m, word);
    }
    assert.match((await cli('get', 'wg', '-A')).stdout, /^NAMESPACE +NAME +SIZE\n(.*\n)*default +listed +small$/m);
    assert.match((await cli('get', 'wg', '-o', 'wide')).stdout, /^NAME +SIZE +SECRETIVE$/m);
    assert.match((await cli('get', 'wg', 'listed', '-o', 'name')).stdout, /^widget\.example\.org\/listed\n$/);
    const lines = (await cli('get', 'wg', '-o', 'jsonl')).stdout.trim().split('\n');
    assert.ok(lines.some(line => (JSON.parse(line) as { metadata: { name: string } }).metadata.name === 'listed'));
    const yaml = (await cli('get', 'widget/listed', '-o', 'yaml')).stdout;
    assert.match(yaml, /size: small/);
    assert.doesNotMatch(yaml, /managedFields/);
    assert.match(
      (await cli('get', 'secrets', '-l', 'no=such')).stderr,
      /^No Secrets found in the namespace "default"; -A looks in all\.$/m,
    );
  });

  test('a misspelt kind, name or file is named, with what was probably meant', async () => {
    const kind = await cli('get', 'wigets');
    assert.equal(kind.code, 1);
    assert.match(kind.stderr, /serves no kind "wigets"; did you mean "widgets"\?[\s\S]*Code: {2}UnknownKind/);
    assert.match((await cli('get', 'instances')).stderr, /Next: {2}Did you mean "npx chandlery instance list"\?/);
    assert.match((await cli('apply', '-f', 'nowhere.yaml')).stderr, /nowhere\.yaml/);
    assert.equal((await cli('apply')).code, 2);
    assert.match((await apply('kind: Widget')).stderr, /has no apiVersion, no metadata\.name/);
    assert.match(
      (await apply(widget('wrong', 'huge'))).stderr,
      /widget\.example\.org\/wrong: .*spec\.size[\s\S]*Code: {2}Invalid/,
    );
  });

  test('describe shows facts, spec, conditions and events', async () => {
    await apply(widget('seen', 'large'));
    const { stdout } = await cli('describe', 'widget/seen');
    assert.match(stdout, /^Name: +seen$/m);
    assert.match(stdout, /^Kind: +Widget \(example\.org\/v1\)$/m);
    assert.match(stdout, /^Spec:\n {2}size: large$/m);
    assert.match((await cli('describe', 'namespace/default')).stdout, /^Kind: +Namespace \(v1\)$/m);
  });

  test('wait ends when the condition is there, and says what is missing when it is too late', async () => {
    await apply(widget('awaited', 'small'));
    const late = await cli('wait', 'wg/awaited', '--timeout', '1');
    assert.match(
      late.stderr,
      /it has not happened after 1 s\nNext: .*describe widget\.example\.org\/awaited -n default --cluster shop" [^\n]*\nCode: {2}Timeout/,
    );
    assert.match((await cli('wait', 'wg/awaited', '--for', 'jsonpath={.spec.size}=small')).stdout, /condition met\n$/);
    assert.equal((await cli('wait', 'wg/awaited', '--for', 'sunshine')).code, 2);
    assert.match((await cli('wait', 'wg/nobody')).stderr, /not found/);
    const gone = cli('wait', 'wg/awaited', '--for', 'deleted', '--timeout', '20');
    await cli('delete', 'wg/awaited');
    assert.match((await gone).stdout, /awaited deleted\n$/);
  });

  test('a deletion that does not end says what holds the object, and where to look', async () => {
    const held = { apiVersion: 'example.org/v1', kind: 'Widget', spec: { size: 'small' } };
    await apply(JSON.stringify({ ...held, metadata: { name: 'held', finalizers: ['example.org/hold'] } }));
    const { code, stderr } = await cli('delete', 'wg/held', '--yes', '--timeout', '1');
    assert.equal(code, 1);
    assert.match(stderr, /^Why: {3}it is still there after 1 s: finalizers: example\.org\/hold$/m);
    assert.match(stderr, /^Next: {2}.*"npx chandlery describe widget\.example\.org\/held -n default --cluster shop"/m);
    await apply(JSON.stringify({ ...held, metadata: { name: 'held', finalizers: [] } }));
  });

  test('on a terminal deletion asks for the name', async () => {
    await apply(widget('precious', 'small'));
    const remove = (stdin: string, ...flags: string[]): Promise<Ran> =>
      runCli(['delete', 'wg/precious', '--cluster', 'shop', ...flags], {
        cwd: folder.path,
        isInteractive: true,
        stdin,
      });
    assert.match((await remove('y\n')).stderr, /Type "precious" to confirm[\s\S]*Code: {2}NotConfirmed/);
    assert.equal((await cli('get', 'wg/precious')).code, 0);
    assert.match((await remove('', '--dry-run')).stdout, /deleted \(dry run\)/);
    assert.match((await remove('precious\n')).stdout, /precious deleted\n$/);
    assert.equal((await cli('get', 'wg/precious')).code, 1);
  });

  test('what goes with an object is shown, and scripts confirm it with --yes', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'full' } };
    await apply(JSON.stringify(namespace));
    await apply(widget('inside', 'small'), '-n', 'full');
    const tried = await cli('delete', 'ns/full', '--dry-run=server');
    assert.match(tried.stderr, /^with it: 1 Widget: inside$/m);
    assert.match(tried.stdout, /^namespace\/full deleted \(dry run\)\n$/);
    const unasked = await cli('delete', 'ns/full');
    assert.match(
      unasked.stderr,
      /deletes namespace\/full, and no one can be asked here\nNext: {2}Confirm it with --yes/,
    );
    const definition = await cli('delete', 'crd/widgets.example.org', '--dry-run');
    assert.match(definition.stderr, /^with it: \d+ Widget: /m);
    assert.match((await cli('delete', 'ns/full', '-y')).stdout, /deleted\n$/);
    await apply(widget('plain', 'small'));
    assert.equal((await cli('delete', 'wg/plain')).code, 0, 'nothing goes with it');
  });

  test('apply rejects misspelt fields, and leaves the object as it is', async () => {
    const kept = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } };
    await apply(JSON.stringify({ ...kept, data: { colour: 'red' } }));
    const { code, stderr } = await apply(JSON.stringify({ ...kept, dat: { colour: 'red' } }));
    assert.equal(code, 1);
    assert.match(stderr, /Why: +configmap\/kept: .*unknown field "dat"/);
    assert.match((await cli('get', 'configmap/kept', '-o', 'jsonl')).stdout, /"data":{"colour":"red"}/);
  });

  test('a dry run of apply says what apply would say', async () => {
    await apply(widget('tried', 'small'));
    assert.match((await apply(widget('tried', 'small'), '--dry-run')).stdout, /tried unchanged \(dry run\)\n$/);
    assert.match((await apply(widget('tried', 'large'), '--dry-run')).stdout, /tried configured \(dry run\)\n$/);
  });

  test('apply continues after an object that fails, and names each cause once', async () => {
    const all = [widget('huge', 'huge'), widget('Wrong', 'small'), widget('Worse', 'small'), widget('fine', 'small')];
    const { code, stdout, stderr } = await apply(all.join('\n---\n'));
    assert.deepEqual([code, stdout], [1, 'widget.example.org/fine created\n']);
    assert.match(
      stderr,
      /Why: +3 of 4 objects failed: widget\.example\.org\/huge: .*size.*; widget\.example\.org\/Wrong: /,
    );
  });

  test('an object that is not there: the error names the nearest one, or where it is', async () => {
    await apply(widget('sloop', 'small'));
    const misspelt = await cli('get', 'widget/slop');
    assert.match(
      misspelt.stderr,
      /"slop" not found; did you mean "sloop"\?\nNext: +See .*get widgets -A --cluster shop"/,
    );
    assert.match((await cli('describe', 'widget', 'slop')).stderr, /^Error: cannot describe widget\/slop\n/);
    const elsewhere = await cli('delete', 'widget/sloop', '-n', 'kube-system');
    assert.match(
      elsewhere.stderr,
      /"sloop" not found\nNext: +There is one in the namespace "default": add -n default\./,
    );
  });

  test('what goes with another object counts as deleted, and one that is missing keeps no other', async () => {
    const owner = JSON.parse(widget('owner', 'small')) as { metadata: object };
    await apply(JSON.stringify(owner));
    const { stdout: made } = await cli('get', 'widget/owner', '-o', 'json');
    const { uid } = (JSON.parse(made) as { metadata: { uid: string } }).metadata;
    const ownerReferences = [{ apiVersion: 'example.org/v1', kind: 'Widget', name: 'owner', uid }];
    await apply(
      JSON.stringify({
        ...(JSON.parse(widget('owned', 'small')) as object),
        metadata: { name: 'owned', ownerReferences },
      }),
    );
    const both = await cli('delete', 'widget', 'owner', 'absent', 'owned', '-y');
    assert.match(both.stdout, /owner deleted\n.*owned deleted\n/);
    assert.match(both.stderr, /Why: +1 of 3 objects failed: widget\.example\.org\/absent: .*not found/);
    assert.equal(both.code, 1);
  });

  test('a wait for a condition that an object does not have says which it has', async () => {
    await runCli(['project', 'create', 'waited', '--wait'], { cwd: folder.path });
    const wait = (what: string): Promise<Ran> =>
      runCli(['wait', 'project/waited', '--for', what, '--timeout', '1s'], { cwd: folder.path });
    assert.match(
      (await wait('condition=Raedy')).stderr,
      /no condition "Raedy"; did you mean "Ready"\?; it has .*Ready/,
    );
    assert.match((await wait('condition=Synced=False')).stderr, /after 1 s: Synced is True/);
  });

  test('diff shows what apply would change: 0 nothing, 1 something, 2 it cannot', async () => {
    const diff = (document: string): Promise<Ran> =>
      runCli(['diff', '--cluster', 'shop', '-f', '-'], { cwd: folder.path, stdin: document });
    const fresh = await diff(widget('compared', 'small'));
    assert.equal(fresh.code, 1);
    assert.match(fresh.stdout, /^widget\.example\.org\/compared is new\n[\s\S]*\+ spec/);
    await apply(widget('compared', 'small'));
    assert.deepEqual(await diff(widget('compared', 'small')), { code: 0, stdout: '', stderr: '' });
    const changed = await diff(widget('compared', 'large'));
    assert.deepEqual([changed.code, changed.stdout.split('\n')[1]], [1, '  ~ spec.size: "small" -> "large"']);
    assert.equal((await diff(widget('compared', 'huge'))).code, 2);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { word: 'xyzzy' } };
    await apply(JSON.stringify(secret));
    const other = await diff(JSON.stringify({ ...secret, stringData: { word: 'plugh' } }));
    assert.match(other.stdout, /~ data\.word$/m);
    assert.equal((await cli('get', 'wg/compared', '-o', 'yaml')).stdout.includes('size: small'), true);
  });

  test('explain shows the fields of a kind, and codes of errors', async () => {
    const { stdout } = await cli('explain', 'widget.spec');
    assert.match(stdout, /size <string> required; one of small, large\n {4}How large it is\./);
    assert.match((await cli('explain', 'widget.spec.sise')).stderr, /no field "sise"; did you mean "size"\?/);
    assert.match((await cli('explain', 'error', 'forbidden')).stdout, /^Code: +Forbidden\nMeans: .*\nNext: /);
    assert.match((await cli('explain', 'error', 'Forbiden')).stderr, /did you mean "Forbidden"\?/);
  });

  test('events are listed, also for one object', async () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'happened' },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'default' },
      type: 'Warning',
      reason: 'Faded',
      message: 'The colour faded.',
      lastTimestamp: '2026-01-01T00:00:00Z',
    };
    await apply(JSON.stringify(event));
    assert.match((await cli('events')).stdout, /Warning +Faded +configmap\/settings +The colour faded\.$/m);
    assert.match((await cli('events', '--for', 'configmap/settings')).stdout, /Faded/);
    assert.doesNotMatch((await cli('events', '--types', 'Normal')).stdout, /Faded/);
    assert.match((await cli('describe', 'cm/settings')).stdout, /^Events:\n[\s\S]*Faded/m);
    assert.equal((await cli('events', '--types', 'Loud')).code, 2);
  });

  test('KUBECONFIG is followed, with a warning when it leads elsewhere than the data folder', async () => {
    const kubeconfig = (await runCli(['kubeconfig', 'shop'], { cwd: folder.path })).stdout;
    writeFileSync(folder.join('shop.kubeconfig'), kubeconfig);
    const env = { KUBECONFIG: 'shop.kubeconfig' };
    const followed = await runCli(['get', 'cm/settings', '-o', 'name'], { cwd: folder.path, env });
    assert.deepEqual([followed.stdout, followed.stderr], ['configmap/settings\n', '']);
    const elsewhere = kubeconfig.replace(/https:\/\/[^/]+/, 'https://127.0.0.1:1');
    writeFileSync(folder.join('other.kubeconfig'), elsewhere);
    const warned = await runCli(['status'], { cwd: folder.path, env: { KUBECONFIG: 'other.kubeconfig' } });
    assert.match(
      warned.stderr,
      /^warning: KUBECONFIG leads to https:\/\/127\.0\.0\.1:1, not to the landscape of the data folder/,
    );
    assert.equal(
      (
        await runCli(['status', '--data-dir', '.chandlery'], {
          cwd: folder.path,
          env: { KUBECONFIG: 'other.kubeconfig' },
        })
      ).code,
      0,
    );
  });
});
