import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { OrderRecord } from '../../orders/orders.ts';
import { startTestOrdersLandscape, type TestOrdersLandscape } from '../../test-orders-landscape.ts';

const basic = (name: string, script: string, fields: object = {}) => ({
  name,
  description: `${name}\nand more`,
  parameters: [{ name: 'msg', type: 'string', description: 'what is said', default: 'hello' }],
  controller: {
    $schema: 'urn:ivcap:schema:service.basic.1',
    image: 'alpine:3.7',
    command: ['sh', '-c', script, 'service'],
  },
  ...fields,
});

/** Containers share /tmp with the machine, and do not see the folder of the test. */
const shared = `/tmp/chandlery-cli-${process.pid}`;

let landscape: TestOrdersLandscape;
before(async () => {
  landscape = await startTestOrdersLandscape();
});
after(async () => {
  rmSync(shared, { force: true });
  await landscape?.[Symbol.asyncDispose]();
});

const run: TestOrdersLandscape['run'] = (...args) => landscape.run(...args);
const apply = (document: object, ...more: string[]) =>
  landscape.runWith({ stdin: JSON.stringify(document) }, 'service', 'apply', '-', ...more);
const urnIn = (text: string): string => /urn:ivcap:\w+:[0-9a-f-]{36}/.exec(text)?.[0] ?? assert.fail(text);
const describeOrder = (id: string) => landscape.json<OrderRecord>('order', 'describe', id);
const untilStatus = (id: string, status: string) =>
  eventually(async () => (await describeOrder(id)).status === status, { what: `${id} is ${status}` });

describe('service', () => {
  test('apply creates, changes and leaves alone', async () => {
    const created = await apply(basic('echo', 'echo "said $*"'));
    assert.match(created.stdout, /^urn:ivcap:service:\S+ created\n$/, created.stderr);
    assert.match((await apply(basic('echo', 'echo "said $*"'))).stdout, /^urn:ivcap:service:\S+ unchanged\n$/);
    const changed = await apply(basic('echo', 'echo "said $*"', { description: 'shorter' }));
    assert.equal(urnIn(changed.stdout), urnIn(created.stdout));
    assert.match(changed.stdout, / configured\n {2}~ description: "echo\\nand more" -> "shorter"\n$/);
    const id = 'urn:ivcap:service:7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01';
    const named = basic('chosen', 'true', { $id: id });
    assert.match((await apply(named)).stdout, new RegExp(`^${id} created`));
    assert.match((await apply(named)).stdout, new RegExp(`^${id} unchanged`));
  });

  test('list and describe show them', async () => {
    const { stdout } = await run('service', 'list');
    assert.match(stdout, /^NAME +MODEL +AGE +DESCRIPTION$/m);
    assert.match(stdout, /^echo +basic\.1 +\d+s +shorter$/m);
    assert.equal((await run('service', 'list', '--limit', '1', '-o', 'name')).stdout.split('\n').length, 2);
    const described = (await run('service', 'describe', 'echo')).stdout;
    assert.match(described, /^Name: +echo$/m);
    assert.match(described, /^PARAMETER +TYPE +DEFAULT +DESCRIPTION\nmsg +string +hello +what is said$/m);
  });

  test('apply says of what it was given that it is probably not meant', async () => {
    const first = await apply(basic('typo', 'true', { paramters: [], colour: 'red' }));
    assert.equal(first.code, 0);
    assert.match(
      first.stderr,
      /^warning: "paramters" means nothing to a service; did you mean "parameters"\?\n {2}Next/,
    );
    assert.match(first.stderr, /^ {2}Next: {2}npx chandlery service describe typo\n$/m);
    const controller = { $schema: 'urn:ivcap:schema:service.basics.1', image: 'a' };
    const { code, stderr } = await apply(basic('typo', 'true', { controller }));
    assert.equal(code, 0);
    assert.match(stderr, /^warning: no model of this landscape executes .*service\.basics\.1.*rejected\n$/);
    await mkdir(landscape.path('empty'));
    const nothing = await run('service', 'apply', 'empty');
    assert.equal(nothing.code, 1);
    assert.match(nothing.stderr, /no YAML or JSON file in empty[\s\S]*Code: {2}NoObjects/);
  });

  test('describe says where servers are used, and delete removes any service', async () => {
    const controller = { $schema: 'urn:ivcap:schema:service.rest.1', image: 'a', command: ['sleep', '600'] };
    await apply({ name: 'answers', description: 'answers', parameters: [], controller });
    assert.match(
      (await run('service', 'describe', 'answers')).stdout,
      /^Link jobs: +https:\S+\/1\/services2\/\S+\/jobs$/m,
    );
    for (const name of ['answers', 'typo']) {
      assert.match((await run('service', 'delete', name)).stderr, /Next: {2}Confirm it with --yes/);
      assert.match((await run('service', 'delete', name, '--yes')).stdout, /^urn:ivcap:service:\S+ deleted\n$/);
      assert.match((await run('service', 'describe', name)).stderr, /there is no service/);
    }
  });

  test('says what is wrong', async () => {
    const twice = basic('twice', 'true');
    await landscape.client.raw('/1/services2', {
      method: 'POST',
      isFromRoot: true,
      body: JSON.stringify(twice),
      headers: { 'content-type': 'application/json' },
    });
    await landscape.client.raw('/1/services2', {
      method: 'POST',
      isFromRoot: true,
      body: JSON.stringify(twice),
      headers: { 'content-type': 'application/json' },
    });
    const cases = [
      [await run('service', 'describe', 'nobody'), /there is no service "nobody"\nNext: .*service list/],
      [await run('service', 'describe', 'twice'), /2 services have the name "twice"\nNext: .*urn:ivcap:service:/],
      [await landscape.runWith({ stdin: '- 1' }, 'service', 'apply', '-'), /holds no document with keys/],
      [
        await apply(basic('odd', 'true', { parameters: [{ name: 'a', type: 'colour' }] })),
        /^Error: cannot apply the service "-"\nWhy: .*type must be one of string/m,
      ],
    ] as const;
    for (const [{ code, stderr }, why] of cases) {
      assert.equal(code, 1);
      assert.match(stderr, why);
    }
    assert.equal((await run('service', 'list', '--limit', '0')).code, 2);
  });
});

describe('order create of an offering', () => {
  const order = (...args: string[]) => run('order', 'create', ...args);

  test('says what was meant by a misspelt offering, plan or parameter', async () => {
    const cases = [
      { args: ['dinosaur'], why: /no service or offering "dinosaur"; did you mean "dinosaurs"\?/ },
      { args: ['dinosaurs'], why: /"dinosaurs" has several plans/ },
      { args: ['dinosaurs', '--plan', 'standard.x'], why: /no plan "standard.x"; did you mean "standard.x1"\?/ },
      {
        args: ['dinosaurs', '--plan', 'standard.x1', '-p', 'regon=x'],
        why: /no parameter "regon"; did you mean "region"\?/,
      },
      {
        args: ['dinosaurs', '--plan', 'standard.x1', '-p', 'multi_az=maybe'],
        why: /"multi_az" must be of type boolean, not "maybe"/,
      },
      {
        args: ['dinosaurs', '--plan', 'standard.x1', '-p', 'cloud_provider=moon'],
        why: /"cloud_provider" must be one of local, not "moon"/,
      },
    ];
    for (const { args, why } of cases) {
      const { code, stderr } = await order(...args);
      assert.notEqual(code, 0);
      assert.match(stderr, why);
    }
  });

  test('an instance may have parameters that its plan does not know, and a misspelt one is said', async () => {
    const create = (name: string, plan: string, parameters: string) =>
      landscape.run('instance', 'create', name, 'dinosaurs', plan, '-c', parameters);
    const made = await create('warned', 'standard.x1', '{"regon":"local"}');
    assert.match(made.stderr, /^warning: the plan has no parameter "regon"; did you mean "region"\?\n/);
    assert.match(
      (await create('plain', 'standard.x2', '{}')).stderr,
      /no plan "standard.x2"; did you mean "standard.x1"/,
    );
  });

  test('orders a service of the marketplace by its plan as well', async () => {
    await apply(basic('offered', 'echo "said $*"'));
    const placed = await eventually(async () => {
      const done = await order('offered', '--plan', 'default', '-p', 'msg=hi', '--name', 'first', '--wait');
      assert.equal(done.code, 0, done.stderr);
      return done.stdout;
    });
    assert.match(placed, /^first is ready\n {2}ID: +\S+\n {2}Next: +npx chandlery binding create first BINDING\n$/);
    const { name } = await describeOrder(/ID: +(\S+)/.exec(placed)?.[1] ?? '');
    assert.equal(name, 'first');
    assert.match((await run('marketplace', '-s', 'offered')).stderr, /order create offered --wait/);
  });
});

describe('order', () => {
  test('create waits for the end, and what it printed can be read', async () => {
    const { code, stdout, stderr } = await run(
      'order',
      'create',
      'echo',
      '-p',
      'msg=hi there',
      '--name',
      'greeting',
      '--wait',
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^pending \(0 s\)\n(.*\n)*succeeded \(\d+ s\)\n$/);
    const id = urnIn(stdout);
    assert.match(stdout, new RegExp(`^${id} succeeded\\n(.*\\n)* {2}Next: +npx chandlery order logs ${id}\\n$`));
    assert.equal((await run('order', 'logs', id)).stdout, 'said --msg hi there\n');
    const described = (await run('order', 'describe', '@latest')).stdout;
    assert.match(described, /^Name: +greeting$/m);
    assert.equal((await run('order', 'logs', 'greeting')).stdout, 'said --msg hi there\n');
    const uuid = id.replace('urn:ivcap:order:', '');
    assert.match((await run('order', 'list')).stdout, new RegExp(`^${uuid} +greeting +echo +succeeded`, 'm'));
    assert.match((await run('order', 'describe', uuid)).stdout, /^Service: +echo \(urn:ivcap:service:\S+\)$/m);
    assert.match(described, /^Parameters: +msg=hi there$/m);
    assert.match(described, /^STEP +TEMPLATE +PODNAME +DURATION +MESSAGE\n ✔ order-/m);
  });

  test('top shows what its containers use', async () => {
    await apply(basic('sleeper', 'sleep 600'));
    const id = urnIn((await run('order', 'create', 'sleeper')).stdout);
    await untilStatus(id, 'executing');
    await eventually(async () => /\/main +\d+m +\d+Ki +0 +\d+Ki$/m.test((await run('order', 'top', id)).stdout), {
      what: 'its container is measured',
    });
    assert.match((await run('order', 'top', id)).stdout, /^CONTAINER +CPU +MEMORY +STORAGE +EPHEMERAL-STORAGE$/m);
    await run('order', 'cancel', id, '--terminate', '--wait');
    const { code, stdout, stderr } = await run('order', 'top', id);
    assert.equal(code, 0);
    assert.match(stdout + stderr, /No container of the order runs/);
  });

  test('an order that fails says why, and succeeds when it is retried', async () => {
    await apply(basic('fails', `test -e ${shared} || { echo no luck; exit 3; }`));
    const failed = await run('order', 'create', 'fails', '--wait');
    assert.equal(failed.code, 1);
    assert.match(
      failed.stderr,
      /^Error: cannot order the service "fails"\nWhy: {3}it has ended as failed: .*3.*\nNext: .*order logs urn:/m,
    );
    const id = urnIn(failed.stdout);
    assert.match(
      (await run('order', 'list', '--status', 'failed', '--service', 'fails')).stdout,
      new RegExp(`^${id.replace('urn:ivcap:order:', '')} +<none> +\\S+ +failed `, 'm'),
    );
    writeFileSync(shared, '');
    const retried = await run('order', 'retry', id, '--wait');
    assert.equal(retried.code, 0, retried.stderr);
    const again = await run('order', 'resubmit', id, '--wait');
    assert.equal(again.code, 0, again.stderr);
    assert.notEqual(urnIn(again.stdout), id);
    assert.equal((await describeOrder(urnIn(again.stdout)))['resubmit-of'], id);
  });

  test('logs are followed to the end, and a running order is cancelled once', async () => {
    await apply(basic('talks', 'echo one; sleep 1; echo two'));
    const talking = urnIn((await run('order', 'create', 'talks')).stdout);
    assert.deepEqual(await run('order', 'logs', talking, '-f'), { code: 0, stdout: 'one\ntwo\n', stderr: '' });
    await apply(basic('sleeps', 'exec sleep 300'));
    const id = urnIn((await run('order', 'create', 'sleeps')).stdout);
    await untilStatus(id, 'executing');
    const cancelled = await run('order', 'cancel', id, '--wait');
    assert.deepEqual([cancelled.code, /cancelled/.test(cancelled.stdout)], [0, true], cancelled.stderr);
    const twice = await run('order', 'cancel', id);
    assert.deepEqual([twice.code, /Next: .*order describe ID/.test(twice.stderr)], [1, true], twice.stderr);
  });

  test('the same key places an order once', async () => {
    const place = async (value: string) =>
      await run('order', 'create', 'echo', '-p', `msg=${value}`, '--idempotency-key', 'k1', '-o', 'name');
    const first = await place('a');
    assert.equal((await place('a')).stdout, first.stdout);
    assert.equal((await place('b')).code, 1);
  });

  test('says what is wrong', async () => {
    await apply(basic('unknown', '', { controller: { $schema: 'urn:ivcap:schema:service.nonsense.1' } }));
    const cases = [
      [await run('order', 'create', 'nobody'), /there is no service or offering "nobody"/],
      [
        await run('order', 'create', 'unknown'),
        /service\.nonsense\.1.*\nNext: .*a model that this landscape does not have/,
      ],
      [await run('order', 'create', 'echo', '-p', 'colour=red'), /colour.*\nNext: .*service describe/],
      [await run('order', 'describe', 'nonsense'), /"nonsense" is not the id or name of an order/],
      [await run('order', 'logs', '7b0d0c4e-3c7e-4c55-8d8e-1f1a5a7d9a01'), /There is no urn:ivcap:order:7b0d/],
      [
        await run('order', 'create', 'sleeps', '--wait', '--timeout', '1'),
        /its status is \w+ after 1 s\nNext: {2}It continues/,
      ],
    ] as const;
    for (const [{ code, stderr }, why] of cases) {
      assert.equal(code, 1, String(why));
      assert.match(stderr, why);
    }
    assert.equal((await run('order', 'cancel', '@latest', '--terminate', '--wait')).code, 0);
    assert.equal((await run('order', 'create', 'echo', '-p', 'novalue')).code, 2);
  });
});
