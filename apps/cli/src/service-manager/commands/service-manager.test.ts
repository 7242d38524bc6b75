import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { startOsbBroker, type TestOsbBroker } from './test-osb-broker.ts';
import { startTestServiceManager, type TestServiceManager } from './test-service-manager.ts';

interface Item {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

interface Items {
  readonly items: readonly Item[];
}

describe('the verbs of the service manager', () => {
  let sm: TestServiceManager;
  let broker: TestOsbBroker;
  const run: TestServiceManager['run'] = (...args) => sm.run(...args);

  before(async () => {
    sm = await startTestServiceManager();
    broker = await startOsbBroker('database');
    const registered = await run('register-broker', 'pg', broker.url, 'Databases', '-b', 'admin:secret');
    assert.deepEqual([registered.code, registered.stderr], [0, '']);
  });
  after(async () => {
    await sm[Symbol.asyncDispose]();
    await broker[Symbol.asyncDispose]();
  });

  describe('for brokers', () => {
    test('show and list them, without secrets', async () => {
      const shown = await run('gb', 'pg');
      assert.match(shown.stdout, /^Name: +pg$/m);
      assert.match(shown.stdout, /^Description: +Databases$/m);
      const listed = await run('lb', '-f', `name eq 'pg'`);
      assert.match(listed.stdout, /^NAME +URL +DESCRIPTION +READY +LAST OP +LABELS$/m);
      assert.match(listed.stdout, /^pg +http:\S+ +Databases +true +create succeeded +<none>$/m);
      for (const { stdout } of [shown, listed, await run('gb', 'pg', '-o', 'json')])
        assert.doesNotMatch(stdout, /secret/);
    });

    test('take credentials from the environment and the standard input', async () => {
      const env = { CHANDLERY_BROKER_CREDENTIALS: 'admin:secret' };
      assert.equal((await sm.runWith({ env }, 'rb', 'by-env', broker.url)).code, 0);
      assert.equal((await sm.runWith({ stdin: 'admin:secret\n' }, 'rb', 'by-pipe', broker.url, '-b', '-')).code, 0);
      const wrong = await run('rb', 'wrong', broker.url, '-b', 'no-colon-secret');
      assert.equal(wrong.code, 2);
      assert.doesNotMatch(wrong.stderr, /no-colon-secret/);
      for (const name of ['by-env', 'by-pipe']) assert.equal((await run('delete-broker', name, '-f')).code, 0);
    });

    test('register asynchronously and print progress', async () => {
      const begun = await run('rb', 'later', broker.url, '-b', 'admin:secret', '--mode', 'async');
      const [, path = ''] = /npx chandlery operation get (\S+)$/m.exec(begun.stdout) ?? [];
      assert.match(path, /^\/v1\/service_brokers\/.+\/operations\/.+$/);
      const followed = await run('status', path, '--wait');
      assert.match(followed.stdout, /^State: +succeeded$/m);
      assert.match(followed.stderr, /^succeeded \(\d+ s\)$/m);
      const waited = await run('rb', 'waited', broker.url, '-b', 'admin:secret', '--wait');
      assert.match(waited.stderr, /^succeeded \(\d+ s\)$/m);
      assert.match(waited.stdout, /^Name: +waited$/m);
      for (const name of ['later', 'waited']) assert.equal((await run('db', name, '-f')).code, 0);
    });

    test('say why a registration fails, what next, and no secret', async () => {
      const { code, stdout, stderr } = await run('rb', 'bad', broker.url, '-b', 'admin:not-it');
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(
        stderr,
        /^Error: cannot register the service broker "bad"\nWhy: {3}.*bad.*\nNext: {2}.*-b USER:PASSWORD.*\nCode: {2}\w+\n$/,
      );
      assert.doesNotMatch(stderr, /not-it/);
      const waited = await run('rb', 'bad', broker.url, '-b', 'admin:not-it', '--wait', '--timeout', '20');
      assert.equal(waited.code, 1);
      assert.match(waited.stderr, /^failed \(\d+ s\)\nError: .+\nWhy: .+answered 401.*\nNext: .+broker update NAME/m);
      assert.match((await run('lb', '-f', `name eq 'bad'`)).stdout, / create failed +/m);
      assert.match((await run('ub', 'bad', '-b', 'admin:secret')).stdout, /^Ready: +true$/m);
      assert.equal((await run('db', 'bad', '-f')).code, 0);
    });

    test('are changed, also by a file', async () => {
      writeFileSync(sm.path('change.json'), JSON.stringify({ description: 'From a file' }));
      assert.match((await run('ub', 'pg', '@change.json')).stdout, /From a file/);
      assert.match((await run('ub', 'pg', '{"description": "Databases"}')).stdout, /Databases/);
      const piped = await sm.runWith({ stdin: '{"description": "Piped"}' }, 'ub', 'pg', '-');
      assert.match(piped.stdout, /^Description: +Piped$/m);
      assert.equal((await run('ub', 'pg')).code, 0);
      const malformed = await run('ub', 'pg', '{nonsense}');
      assert.equal(malformed.code, 2);
      assert.match(malformed.stderr, /not valid JSON/);
      assert.match((await run('ub', 'pg', '[]')).stderr, /is not an object/);
      assert.match((await run('ub', 'pg', '@nowhere.json')).stderr, /cannot read the file .*nowhere\.json/);
    });

    test('are deleted when their name is typed', async () => {
      await run('rb', 'short-lived', broker.url, '-b', 'admin:secret');
      const remove = (stdin: string) => sm.runWith({ stdin, isInteractive: true }, 'db', 'short-lived');
      const refused = await remove('y\n');
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /^With the service broker "short-lived" \(.+\) go:\n {2}the offering "database" with/,
      );
      assert.match(refused.stderr, /^Delete the service broker .* Type "short-lived" to confirm: \nError: /m);
      assert.equal((await run('gb', 'short-lived')).code, 0);
      const unasked = await sm.runWith({ stdin: 'short-lived\n' }, 'db', 'short-lived');
      assert.match(
        unasked.stderr,
        /no one can be asked here\nNext: {2}Confirm it with --yes \(-y\)\.\nCode: {2}NotConfirmed/,
      );
      const agreed = await remove('short-lived\n');
      assert.equal(agreed.code, 0);
      assert.match(agreed.stdout, /"short-lived" is deleted/);
      const again = await run('db', 'short-lived', '-f');
      assert.equal(again.code, 1);
      assert.match(again.stderr, /there is no service broker "short-lived"\nNext: .*broker list/);
      assert.equal((await run('db', 'short-lived', '-f', '--ignore-missing')).code, 0);
    });
  });

  describe('for platforms', () => {
    test('show new credentials once, with a hint', async () => {
      const made = await run('rp', 'eu-1', 'kubernetes', 'Europe', '-i', 'eu-1-id');
      assert.match(made.stdout, /^ID: +eu-1-id$/m);
      assert.match(made.stdout, /^Credentials:\n {2}basic:\n {4}username: .+\n {4}password: .+\n$/m);
      assert.match(made.stderr, /not shown again/);
      const changed = await run('update-platform', 'eu-1', '{"description": "EU"}');
      assert.match(changed.stdout, /^Description: +EU$/m);
      assert.doesNotMatch(changed.stdout, /Credentials/);
      assert.match((await run('update-platform', 'eu-1', '-c')).stdout, /Credentials/);
    });

    test('label, list by label and delete them', async () => {
      await run('rp', 'cf', 'cloudfoundry', '-i', 'cf-id');
      const labelled = await run('label', 'platform', 'cf-id', 'add', 'tier', '--val', 'prod', '--val', 'stage');
      assert.match(labelled.stdout, /^Labels: +tier=prod,stage$/m);
      await run('label', 'platform', 'cf-id', 'remove-values', 'tier', '--val', 'stage');
      const { items } = await sm.json<Items>('lp', '-l', `tier in ('prod')`);
      assert.deepEqual(
        items.map(({ id, labels }) => [id, labels]),
        [['cf-id', { tier: ['prod'] }]],
      );
      assert.equal((await run('label', 'planet', 'x', 'add', 'y')).code, 2);
      assert.equal((await run('label', 'platform', 'x', 'paint', 'y')).code, 2);
      const gone = await run('delete-platform', 'cf', '--cascade', '-f', '--wait');
      assert.equal(gone.code, 0);
      assert.match(gone.stdout, /platform "cf" is deleted/);
      assert.match(gone.stderr, /succeeded/);
    });

    test('read lists to the last page', async () => {
      const names = Array.from({ length: 205 }, (_, index) => `many-${index}`);
      await using client = createClient(loadKubeconfig(sm.path('.chandlery/admin.kubeconfig')));
      const create = (name: string) =>
        client.raw('/v1/platforms', { method: 'POST', isFromRoot: true, body: JSON.stringify({ name, type: 'many' }) });
      for (const name of names) await (await create(name)).text();
      const { items } = await sm.json<Items>('list-platforms', '-f', `type eq 'many'`);
      assert.deepEqual(
        items.map(({ name }) => name),
        names,
      );
      assert.equal((await run('curl', `/v1/platforms?fieldQuery=type%20eq%20'many'`, '-X', 'DELETE')).code, 0);
    });
  });

  describe('for the catalog', () => {
    test('show what can be ordered', async () => {
      const market = await run('marketplace');
      assert.match(market.stdout, /^NAME +PLANS +DESCRIPTION +BROKER$/m);
      assert.match(market.stdout, /^database +.*small, large, slow, broken.* +A database\. +pg$/m);
      assert.match((await run('m', '-s', 'database')).stdout, /^large +The plan large\. +pg +<none>$/m);
      assert.match((await run('m', '-s', 'nonsense')).stderr, /there is no service offering "nonsense"/);
      assert.match((await run('m', '-s', 'databse')).stderr, /"databse"; did you mean "database"\?/);
      const ofTenant = await run('marketplace', '-n', 'default');
      assert.match(ofTenant.stdout, /^database +.*small, large, /m, 'a tenant may order what the landscape offers');
      assert.match((await run('lo')).stdout, /^NAME +DESCRIPTION +BROKER +READY +LABELS$/m);
      assert.match((await run('list-plans', '-f', `name eq 'large'`)).stdout, /^large +database +The plan large/m);
    });

    test('open plans to platforms and close them again', async () => {
      await run('rp', 'visible', 'kubernetes');
      const one = await sm.json<Item>('rv', 'visible', 'database/small', '--label', 'org=a', '--label', 'org=b');
      assert.deepEqual(one['labels'], { org: ['a', 'b'] });
      const all = await sm.json<Item>('rv', '*', 'database/large');
      assert.equal(all['platform_id'], '');
      assert.match((await run('lv')).stdout, /^\* +database\/large /m);
      assert.match((await run('lv')).stdout, /^visible +database\/small /m);
      const moved = await sm.json<Item>('uv', all.id, '{"platform_id": "eu-1-id"}');
      assert.equal(moved['platform_id'], 'eu-1-id');
      for (const { id } of [one, all]) assert.equal((await run('dv', id, '-f')).code, 0);
      assert.match((await run('rv', 'nowhere', 'database/small')).stderr, /there is no platform "nowhere"/);
      const noPlan = await run('rv', 'visible', 'database');
      assert.equal(noPlan.code, 2);
      assert.match(noPlan.stderr, /"database" is an offering, not a plan\nNext: {2}Say which plan: database\/broken, /);
      const unknown = await run('rv', 'visible', 'database/huge');
      assert.match(unknown.stderr, /has no plan "huge"\nNext: {2}It has broken, down, large, /);
    });
  });

  describe('for instances and bindings', () => {
    test('order in the background and say how to follow it', async () => {
      const begun = await run('provision', 'background', 'database', 'small');
      assert.deepEqual([begun.code, begun.stderr], [0, '']);
      const [, path = ''] = /npx chandlery operation get (\S+)$/m.exec(begun.stdout) ?? [];
      assert.equal((await run('status', path, '--wait')).code, 0);
      const { operation } = await sm.json<{ operation: string }>('deprovision', 'background', '-f');
      assert.equal((await run('status', operation, '--wait')).code, 0);
    });

    test('follow a slow one with progress, and change, show and delete it', async () => {
      const made = await run('provision', 'shop', 'database', 'slow', '-c', '{"size": 3}', '--wait');
      assert.deepEqual([made.code, /^Usable: +true$/m.test(made.stdout)], [0, true], made.stderr);
      assert.match(made.stderr, /^in progress \(\d+ s\)/m);
      assert.match(made.stderr, /^succeeded \(\d+ s\)/m);
      assert.deepEqual(broker.bodies.at(-1)?.['parameters'], { size: 3 });
      assert.deepEqual(JSON.parse((await run('gi', 'shop', '--show-instance-params')).stdout), { size: 3 });

      const shown = (await run('gi', 'shop')).stdout;
      assert.match(shown, /^Plan: +database\/slow\nPlatform: +service-manager$/m);
      const again = await run('provision', 'shop', 'database', 'slow', '--mode', 'sync');
      assert.match(again.stderr, /^Why: {3}there is a service instance of this name already \(id \S+\)$/m);

      const before = await sm.json<Item>('gi', 'shop');
      assert.equal((await run('update-instance', 'shop', '--plan', 'large', '--wait')).code, 0);
      assert.notEqual((await sm.json<Item>('gi', 'shop'))['service_plan_id'], before['service_plan_id']);
      assert.equal((await run('update-instance', 'shop', '--new-name', 'store', '--mode', 'sync')).code, 0);
      assert.equal((await run('update-instance', 'store')).code, 2);
      assert.match((await run('update-instance', 'store', '--plan', 'huge')).stderr, /has no plan "huge"\n/);
      assert.match((await run('update-instance', 'store', '--plan', 'smal')).stderr, /; did you mean "small"\?/);
      assert.equal((await run('deprovision', 'store', '-f', '--mode', 'sync')).code, 0);
      assert.match((await run('gi', 'store')).stderr, /there is no service instance "store"/);
    });

    test('bind, show credentials and unbind', async () => {
      await run('provision', 'bound', 'database', 'small', '--mode', 'sync');
      const bound = await run('bind', 'bound', 'app', '-c', '{"role": "reader"}', '--wait');
      assert.match(bound.stdout, /^Instance: +bound$/m);
      assert.match(bound.stdout, /^Credentials:\n {2}uri: db:\/\/user:pw@host\n$/m);
      assert.deepEqual(broker.bodies.at(-1)?.['parameters'], { role: 'reader' });
      const listed = await run('lsb');
      assert.match(listed.stdout, /^NAME +INSTANCE +READY +LAST OP +LABELS$/m);
      assert.match(listed.stdout, /^app +bound /m);
      assert.doesNotMatch(listed.stdout, /pw@host/);
      assert.equal((await sm.json<Item>('gsb', 'app')).name, 'app');
      assert.match((await run('deprovision', 'bound', '-f', '--mode', 'sync')).stderr, /1 existing bindings/);
      assert.equal((await run('unbind', 'bound', 'app', '-f', '--wait')).code, 0);
      assert.match((await run('unbind', 'bound', 'app', '-f')).stderr, /there is no service binding "app"/);
      for (const [flags, why] of [
        [['--consumer', 'a/b/c'], /--consumer must be NAMESPACE\/ACCOUNT or ACCOUNT, not "a\/b\/c"/],
        [['--consumer', 'a/'], /not "a\/"/],
        [['--consumer-cluster', 'eu'], /--consumer-cluster needs --consumer/],
      ] as const) {
        const { code, stderr } = await run('bind', 'bound', 'wrong', ...flags);
        assert.deepEqual([code, why.test(stderr)], [2, true], stderr);
      }
      await run('bind', 'bound', 'again', '--mode', 'sync');
      const forced = await run('deprovision', 'bound', '--force-delete', '-f', '--wait');
      assert.equal(forced.code, 0, forced.stderr);
      assert.equal((await sm.json<Items>('lsb')).items.length, 0);
    });

    test('exit with 1 when an operation fails, and retry it', async () => {
      const made = await run('provision', 'unlucky', 'database', 'broken', '-c', '{"size": 3}', '--wait');
      assert.deepEqual([made.code, made.stdout], [1, '']);
      assert.match(made.stderr, /^failed \(\d+ s\)/m);
      assert.match(made.stderr, /Error: cannot provision the service instance "unlucky"\nWhy: {3}.*no room in the inn/);
      assert.match(made.stderr, /Next: {2}.*operation retry .* or delete it/);
      const { items } = await sm.json<Items>('list-operations', '-f', `state eq 'failed' and type eq 'create'`);
      const failed = items.find(({ resource_type }) => resource_type === '/v1/service_instances');
      const id = failed?.id ?? '';
      assert.match((await run('list-operations')).stdout, /create +failed +service_instances +unlucky .*no room/);
      assert.match((await run('status', id)).stdout, /^Description: +.*no room in the inn/m);
      assert.match((await run('retry-operation', id, '--wait')).stderr, /Why: {3}.*no room in the inn/);
      broker.repair();
      const retried = await run('retry-operation', id, '--wait');
      assert.match(retried.stdout, /^State: +succeeded$/m, retried.stderr);
      assert.match((await run('gi', 'unlucky')).stdout, /^Ready: +true$/m);
      const again = await run('retry-operation', id);
      assert.match(again.stderr, /cannot be retried: it is succeeded/);
      assert.equal((await run('deprovision', 'unlucky', '-f', '--mode', 'sync')).code, 0);
    });

    test('say to order again what a broken broker left nothing of', async () => {
      const made = await run('provision', 'hopeless', 'database', 'down', '--wait');
      assert.match(made.stderr, /Why: {3}.*out of order/);
      assert.match(made.stderr, /Next: {2}.*give the same command again/);
      assert.doesNotMatch(made.stderr, /operation retry/);
      await eventually(async () => (await run('gi', 'hopeless')).code === 1, { what: 'nothing to be left' });
      const again = await run('provision', 'hopeless', 'database', 'down', '--wait');
      assert.match(again.stderr, /Why: {3}.*out of order/, 'the name is free');
      await eventually(async () => (await run('gi', 'hopeless')).code === 1, { what: 'nothing to be left' });
    });

    test('list the newest operations first, and not all', async () => {
      const { items } = await sm.json<Items>('list-operations', '--limit', '0');
      const newest = await run('list-operations', '--limit', '2', '-o', 'json');
      const shown = (JSON.parse(newest.stdout) as Items).items;
      assert.deepEqual(shown, items.slice(0, 2));
      const [first, second] = shown.map(item => String(item['created_at']));
      assert.ok((first ?? '') >= (second ?? ''));
      assert.match(newest.stderr, /^The newest 2 of \d+; --limit 0 shows all/);
    });

    test('name the candidates when a name has several', async () => {
      await using other = await startOsbBroker('database');
      await run('rb', 'pg2', other.url, '-b', 'admin:secret');
      const order = await run('provision', 'twice', 'database', 'small', '--mode', 'sync');
      assert.equal(order.code, 1);
      for (const name of ['pg', 'pg2']) assert.match(order.stderr, new RegExp(`Why: .*broker ${name}\\b`));
      assert.match(order.stderr, /Next: {2}Say which one with -b BROKER/);
      const opened = await run('rv', '*', 'database/small');
      assert.match(opened.stderr, /2 offerings with the name "database": .+ \(broker pg2?\), .+\nNext: {2}.*-b BROKER/);

      assert.equal((await run('provision', 'twice', 'database', 'small', '-b', 'pg', '--mode', 'sync')).code, 0);
      const { items } = await sm.json<Items>('li', '-f', `name eq 'twice'`);
      const [first] = items;
      const plan = first?.['service_plan_id'];
      const twin = { id: 'twin', name: 'twice', platform_id: 'eu-1-id', service_plan_id: plan };
      assert.equal((await run('curl', '/v1/service_instances/import', '-d', JSON.stringify(twin))).code, 0);
      const ambiguous = await run('gi', 'twice');
      assert.equal(ambiguous.code, 1);
      assert.match(ambiguous.stderr, /Why: .*2 with the name "twice".*twin \(platform eu-1-id, broker pg\)/);
      assert.match(ambiguous.stderr, /Next: {2}Say which one with --id ID/);
      assert.match((await run('gi', 'twice', '--id', 'twin')).stdout, /^ID: +twin$/m);
      assert.match((await run('gi', 'other', '--id', 'twin')).stderr, /has the name "twice", not "other"/);

      assert.equal((await run('transfer-instance', 'twice', '-f')).code, 2);
      const moved = await run('transfer-instance', 'twice', '--from', 'eu-1', '-f', '--wait');
      assert.equal(moved.code, 1);
      assert.match(moved.stderr, /Why: .*service instance of this name already/);
      await run('update-instance', 'twice', '--id', first?.id ?? '', '--new-name', 'first', '--mode', 'sync');
      const now = await run('transfer-instance', 'twice', '--from', 'eu-1', '--to', 'service-manager', '-f', '--wait');
      assert.match(now.stdout, /^Platform: +service-manager$/m);
      for (const name of ['first', 'twice']) await run('deprovision', name, '-f', '--mode', 'sync');
      assert.equal((await run('db', 'pg2', '-f')).code, 0);
    });

    test('keep to a tenant', async () => {
      await using client = createClient(loadKubeconfig(sm.path('.chandlery/admin.kubeconfig')));
      const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
      const order = ['provision', 'ours', 'database', 'small', '-b', 'pg', '--mode', 'sync'];
      assert.equal((await run(...order, '--tenant', 'team')).code, 0);
      assert.equal((await run(...order)).code, 0);
      assert.match((await run('gi', 'ours')).stderr, /2 with the name "ours"/);
      const [ours] = (await sm.json<Items>('li', '--tenant', 'team')).items;
      assert.equal((await sm.json<Item>('gi', 'ours', '--tenant', 'team')).id, ours?.id);
      const bound = await run('bind', 'ours', 'app', '--tenant', 'team', '--mode', 'sync');
      assert.equal(bound.code, 0, bound.stderr);
      assert.equal((await run('unbind', 'ours', 'app', '-f', '--mode', 'sync')).code, 0);
      assert.match((await run('m', '-s', 'database', '-b', 'pg', '--tenant', 'team')).stdout, /^small /m);
      assert.match((await run(...order, '--tenant', 'nobody')).stderr, /there is no tenant "nobody"/);
      assert.equal((await run('deprovision', 'ours', '--tenant', 'team', '-f', '--mode', 'sync')).code, 0);
      assert.equal((await run('deprovision', 'ours', '-f', '--mode', 'sync')).code, 0);
    });

    test('share and unshare', async () => {
      await run('provision', 'common', 'database', 'small', '--mode', 'sync');
      assert.match((await run('share-instance', 'common')).stdout, /^Shared: +true$/m);
      assert.match((await run('unshare-instance', 'common')).stdout, /^Shared: +false$/m);
      assert.equal((await run('deprovision', 'common', '-f', '--mode', 'sync')).code, 0);
    });
  });

  describe('for anything else', () => {
    test('send requests with the credentials of the kubeconfig', async () => {
      assert.match((await run('curl', '/v1/info')).stdout, /token_issuer_url/);
      assert.match((await run('c', '/v1/platforms', '--param', 'max_items=0')).stdout, /^\{"num_items":\d+\}$/m);
      const failed = await run('curl', '/v1/platforms/none');
      assert.equal(failed.code, 1);
      assert.match(failed.stdout, /"error":"NotFound"/);
      assert.match(failed.stderr, /Why: {3}could not find such platform/);
      assert.equal((await run('curl', 'v1/info')).code, 2);
      assert.equal((await run('curl', '/v1/info', '-X', 'BREW')).code, 2);
    });

    test('show the service manager, and still the landscape', async () => {
      assert.match((await run('info')).stdout, /^address: +https:\/\/127\.0\.0\.1:\d+$/m);
      assert.match((await run('status')).stdout, /^Landscape: +running and ready$/m);
      assert.match((await run('status', '/v1/operations/none')).stderr, /could not find such operation/);
    });

    for (const args of [
      ['list-brokers', '-o', 'xml'],
      ['provision', 'a', 'b', 'c', '--mode', 'never'],
      ['list-instances', '--param', 'novalue'],
    ]) {
      test(`refuse "${args.join(' ')}"`, async () => {
        assert.equal((await run(...args)).code, 2);
      });
    }

    test('pass the words of the service manager on', async () => {
      const { code, stderr } = await run('li', '-f', 'nonsense');
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^Error: cannot list the service instances\nWhy: {3}.+\nNext: {2}A query looks like .+\nCode: {2}\w+\n$/,
      );
    });
  });
});
