import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { tarOf } from '../../../domains/orders/src/adapters/sites/test-archives.ts';
import { setOrderStage, shell, text } from './support/order-stage.ts';
import { missing } from './support/stage.ts';

const stage = setOrderStage();
const at = (order: string, part = ''): string => `/1/orders/${order}${part}`;

/** Begins to read a response; `cut` resolves when the server ends its connection, and rejects at a regular end. */
async function openFollower(path: string, token: string): Promise<{ readonly cut: Promise<void> }> {
  const { url, ca } = stage.landscape;
  const request = get(`${url}${path}`, { ca, headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  response.resume();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  response.once('error', () => resolve()).once('end', () => reject(new Error(`${path} has ended as if it was whole`)));
  return { cut: promise };
}

/** The seed's workflow, word for word. */
const seedWorkflow = {
  parameters: [{ name: 'message', description: 'message to display', type: 'string' }],
  controller: {
    $schema: 'urn:ivcap:schema:service.argo-wf.1',
    entrypoint: 'main-workflow',
    templates: [
      {
        name: 'main-workflow',
        dag: {
          tasks: [
            { name: 'first-task', template: 'task1' },
            { name: 'second-task', dependencies: ['first-task'], template: 'task2' },
          ],
        },
      },
      {
        name: 'task1',
        inputs: { parameters: [{ name: 'message' }] },
        container: { image: 'alpine:3.7', command: ['sh', '-c'], args: ["echo '{{inputs.parameters.message}}'"] },
      },
      { name: 'task2', container: { image: 'alpine:3.7', command: ['sh', '-c'], args: ['echo Hello from task 2!'] } },
    ],
  },
};

describe('what an order does', () => {
  test('is followed by its Workflow and by the log of one node', async () => {
    const service = await stage.service(seedWorkflow);
    const id = await stage.order(service, { message: 'Hi' });
    const { text: lines } = await stage.expect(200, 'GET', at(id, '/workflow?follow=true'));
    assert.equal((await stage.until(id, 'succeeded', 'failed', 'error')).status, 'succeeded');
    const states = lines
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { status?: { phase?: string; nodes?: Record<string, Record<string, string>> } });
    assert.equal(states.at(-1)?.status?.phase, 'Succeeded');
    const nodes = Object.values(states.at(-1)?.status?.nodes ?? {});
    const second = nodes.find(({ displayName }) => displayName === 'second-task')?.['id'] ?? '';
    for (const query of ['', '&follow=true'])
      assert.equal(
        (await stage.expect(200, 'GET', at(id, `/logs?node=${second}${query}`))).text,
        'Hello from task 2!\n',
      );
    assert.equal((await stage.expect(200, 'GET', at(id, '/logs?node=nothing'))).text, '');
    for (const part of ['/workflow?follow=true', `/logs?node=${second}`])
      assert.equal((await stage.ask('GET', at(id, part), { token: stage.token('other/robot') })).status, 404);
  });

  test('is not followed any longer by who loses the right to read it', async () => {
    const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/acme/rolebindings';
    const given = await stage.kube('POST', bindings, {
      metadata: { name: 'following' },
      subjects: [{ kind: 'ServiceAccount', name: 'unbound', namespace: 'acme' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'orders-reader' },
    });
    assert.equal(given.status, 201, given.text);
    const id = await stage.order(await stage.service(shell('sleep 300')));
    await stage.until(id, 'executing');
    const token = stage.token('acme/unbound');
    await eventually(async () => (await stage.ask('GET', at(id), { token })).status === 200);
    const parts = ['/workflow?follow=true', '/logs?follow=true'];
    const followers = await Promise.all(parts.map(part => openFollower(at(id, part), token)));
    await stage.kube('DELETE', `${bindings}/following`);
    for (const { cut } of followers) await cut;
    assert.equal((await stage.expect(200, 'GET', at(id))).body.status, 'executing');
    for (const part of parts) assert.equal((await stage.ask('GET', at(id, part), { token })).status, 403);
    await stage.expect(200, 'POST', at(id, '/cancel'));
  });
});

describe('an order of a basic service', () => {
  test('runs with its parameters as command line, and its record says so', async () => {
    const service = await stage.service({
      ...shell('echo "args: $*"'),
      parameters: [
        text('msg'),
        { name: 'loud', type: 'bool', description: 'd', unary: true },
        text('end', { default: '.' }),
      ],
    });
    const { status, body } = await stage.ask('POST', '/1/orders', {
      body: {
        service,
        name: 'first',
        tags: ['a'],
        parameters: [
          { name: 'msg', value: 'hi {{workflow.name}} $(id)' },
          { name: 'loud', value: true },
        ],
      },
    });
    assert.equal(status, 200);
    assert.match(body.id, /^urn:ivcap:order:[0-9a-f-]{36}$/);
    assert.equal(body.status, 'pending');
    assert.deepEqual((body['products'] as typeof body).items, []);
    const ended = await stage.until(body.id, 'succeeded', 'failed', 'error');
    assert.equal(ended.status, 'succeeded', JSON.stringify(ended));
    for (const field of ['ordered-at', 'started-at', 'finished-at']) assert.ok(ended[field], field);
    assert.deepEqual(ended['parameters'], [
      { name: 'msg', value: 'hi {{workflow.name}} $(id)' },
      { name: 'loud', value: 'true' },
    ]);
    assert.equal(await stage.log(body.id), 'args: --msg hi {{workflow.name}} $(id) --loud --end .\n');
    const link = ended.links.find(({ rel }) => rel === 'workflow');
    const workflow = await stage.ask('GET', new URL(link?.href ?? '').pathname, { token: stage.landscape.token });
    assert.equal((workflow.body['metadata'] as { name: string }).name, `order-${body.id.split(':').at(-1)}`);
    const { items } = (await stage.expect(200, 'GET', at(body.id, '/metadata'))).body;
    const schemas = items.map(item => String(item['schema']).replace('urn:ivcap:schema:', '')).sort();
    assert.deepEqual(schemas, ['order-finished.1', 'order-placed.1', 'order-uses-workflow.1']);
  });

  test('fails with the exit code of the service', async () => {
    const ended = await stage.run(await stage.service(shell('echo oh; exit 3')));
    assert.equal(ended.status, 'failed');
    assert.match(String(ended['error-message']), /exit code 3/);
    assert.equal(await stage.log(ended.id), 'oh\n');
  });

  test('ends as an error when nothing runs its image', async () => {
    const controller = { $schema: 'urn:ivcap:schema:service.basic.1', image: 'registry.example/none:1', command: [] };
    const ended = await stage.run(await stage.service({ controller }));
    assert.equal(ended.status, 'error', JSON.stringify(ended));
    assert.match(String(ended['error-message']), /registry\.example\/none:1/);
  });

  test('reaches artifacts, results and secrets through the data proxy', async () => {
    const input = await stage.expect(201, 'POST', '/1/artifacts', {
      body: 'from the artifact',
      headers: { 'content-type': 'text/plain' },
    });
    await stage
      .expect(201, 'PUT', '/1/secrets', { body: { 'secret-name': 'key', 'secret-value': 's3cret' } })
      .catch(() =>
        stage.expect(201, 'POST', '/1/secrets', { body: { 'secret-name': 'key', 'secret-value': 's3cret' } }),
      );
    const service = await stage.service({
      ...shell(
        [
          'set -e',
          'curl -fsS --head "$IVCAP_STORAGE_URL/readyz" >/dev/null',
          'curl -fsS "$IVCAP_STORAGE_URL/$2" | tr a-z A-Z | curl -fsS -X POST -H "Content-Type: text/plain" -H "X-Name: out" --data-binary @- "$IVCAP_STORAGE_URL" >/dev/null',
          'curl -fsS "$SECRETMGR_PROXY/1/secret?secret-name=key&secret-type=raw" | grep -o s3cret',
          'echo "{\\"ok\\": true}" > "$IVCAP_RESULT_PATH"',
          'echo "$IVCAP_ORDER_ID $IVCAP_INSIDE_CONTAINER"; touch "$IVCAP_OUT_DIR/x"; test -n "$ARGO_NODE_ID"',
          'case "$IVCAP_STORAGE_URL" in http://127.0.0.1:*) echo loopback;; esac',
        ].join('\n'),
      ),
      parameters: [{ name: 'in', type: 'artifact', description: 'd' }],
    });
    const ended = await stage.run(service, { in: input.body.id });
    assert.equal(ended.status, 'succeeded', `${JSON.stringify(ended)} ${await stage.log(ended.id)}`);
    assert.equal(await stage.log(ended.id), `s3cret\n${ended.id} Yes\nloopback\n`);
    assert.deepEqual(ended['result'], { contentType: 'application/json', content: '{"ok": true}' });
    const { items } = (await stage.expect(200, 'GET', at(ended.id, '/products'))).body;
    assert.deepEqual(
      items.map(({ name }) => name),
      ['out'],
    );
    const { text: bytes } = await stage.expect(200, 'GET', `/1/artifacts/${items[0]?.id ?? ''}/blob`);
    assert.equal(bytes, 'FROM THE ARTIFACT');
  });

  test('is refused with the two errors of services that cannot be executed', async () => {
    const site = (await tarOf({ 'index.html': 'x' })).toString('latin1');
    const { body: archive } = await stage.expect(201, 'POST', '/1/artifacts', { body: site });
    const cases = [
      [
        'urn:ivcap:schema:service.app-server.1',
        { host: 'a.example', artifact: archive.id },
        422,
        'controller-not-orderable',
      ],
      ['urn:ivcap:schema.controller.service-proxy.1', { image: 'x' }, 422, 'controller-not-orderable'],
      ['urn:ivcap:schema:service.basic.9', {}, 501, 'controller-unknown'],
    ] as const;
    for (const [$schema, fields, status, code] of cases) {
      const service = await stage.service({ controller: { $schema, ...fields } });
      for (const path of ['/1/orders', `/1/services2/${service}/jobs`]) {
        const answer = await stage.ask('POST', path, { body: path === '/1/orders' ? { service, parameters: [] } : {} });
        assert.deepEqual([answer.status, answer.body.code], [status, code], `${path} ${answer.text}`);
        assert.ok(answer.body.message.includes($schema), answer.text);
      }
    }
    await stage.expect(404, 'POST', '/1/orders', { body: { service: missing('service'), parameters: [] } });
  });
});

describe("the seed's workflow", () => {
  test('runs word for word, and values of parameters are inert', async () => {
    const service = await stage.service(seedWorkflow);
    const ended = await stage.run(service, { message: 'hi {{workflow.uid}}' });
    assert.equal(ended.status, 'succeeded', JSON.stringify(ended));
    assert.equal(await stage.log(ended.id), 'hi {{workflow.uid}}\nHello from task 2!\n');
    await stage.expect(422, 'POST', '/1/orders', { body: { service, parameters: [] } });
  });

  test('is refused when it is created with what cannot be wired, or may not be used', async () => {
    const refuse = async (fields: object) => {
      const body = { name: 'x', description: 'x', parameters: [], ...fields };
      return (await stage.expect(422, 'POST', '/1/services2', { body })).body;
    };
    assert.match((await refuse({ ...seedWorkflow, parameters: [] })).message, /message was not supplied/);
    const controller = { ...seedWorkflow.controller, hostNetwork: true };
    assert.equal((await refuse({ ...seedWorkflow, controller })).name, 'controller.hostNetwork');
  });
});

describe('the idempotency key', () => {
  test('returns the first order for the same body, rejects another one, also after a restart', async () => {
    const service = await stage.service({ ...shell('true'), parameters: [text('a')] });
    const post = (value: string) =>
      stage.ask('POST', '/1/orders', {
        headers: { 'idempotency-key': 'key-1' },
        body: { service, parameters: [{ name: 'a', value }] },
      });
    const answers = await Promise.all([post('1'), post('1'), post('1')]);
    assert.deepEqual(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size, 1);
    const conflict = await post('2');
    assert.deepEqual([conflict.status, conflict.body.id], [409, answers[0]?.body.id]);
    await stage.landscape.restart();
    assert.equal((await post('1')).body.id, answers[0]?.body.id);
  });
});

describe('control of an order', () => {
  const suspended = {
    controller: {
      $schema: 'urn:ivcap:schema:service.argo-wf.1',
      entrypoint: 'main',
      templates: [
        {
          name: 'main',
          steps: [
            [{ name: 'approve', template: 'gate' }],
            [
              {
                name: 'say',
                template: 'say',
                arguments: { parameters: [{ name: 'x', value: '{{steps.approve.outputs.parameters.answer}}' }] },
              },
            ],
          ],
        },
        { name: 'gate', suspend: {}, outputs: { parameters: [{ name: 'answer', valueFrom: { supplied: {} } }] } },
        {
          name: 'say',
          inputs: { parameters: [{ name: 'x' }] },
          container: { image: 'a', command: ['echo', 'said {{inputs.parameters.x}}'] },
        },
      ],
    },
  };
  const waiting = async (): Promise<string> => {
    const id = await stage.order(await stage.service(suspended));
    await stage.until(id, 'executing');
    await eventually(
      async () =>
        (
          await stage.ask('POST', at(id, '/set'), {
            body: { selector: 'displayName=approve', parameters: { nothing: 'x' } },
          })
        ).status === 422,
      { what: 'the node is suspended' },
    );
    return id;
  };

  test('sets and resumes suspended nodes', async () => {
    const id = await waiting();
    const followed = stage.expect(200, 'GET', at(id, '/workflow?follow=true'));
    const early = await stage.expect(422, 'POST', at(id, '/resume'), { body: {} });
    assert.match(early.body.message, /has not been set/);
    await stage.expect(200, 'POST', at(id, '/set'), {
      body: { selector: 'displayName=approve', parameters: { answer: 'yes' } },
    });
    await stage.expect(200, 'POST', at(id, '/resume'), { body: { selector: 'displayName=approve' } });
    assert.equal((await stage.until(id, 'succeeded', 'failed', 'error')).status, 'succeeded');
    assert.equal(await stage.log(id), 'said yes\n');
    const phases = [...(await followed).text.matchAll(/^.*"phase":"(Running|Succeeded)"/gm)].length;
    assert.ok(phases >= 2, 'who follows it sees it change');
    assert.equal((await stage.ask('POST', at(id, '/suspend'))).status, 409);
  });

  test('tells what its containers use while they run', async () => {
    const service = await stage.service(shell('head -c 50000 /dev/zero > "$IVCAP_OUT_DIR/x"; echo begun; sleep 600'));
    const id = await stage.order(service);
    await eventually(async () => (await stage.log(id)).includes('begun'), { what: 'the service runs' });
    const { text: list, headers } = await stage.expect(200, 'GET', at(id, '/top'));
    const [usage, ...rest] = JSON.parse(list) as Record<string, string>[];
    assert.ok(usage !== undefined && rest.length === 0, list);
    assert.deepEqual(Object.keys(usage).sort(), ['container', 'cpu', 'ephemeral-storage', 'memory', 'storage']);
    assert.match(usage['container'] ?? '', /\/main$/);
    assert.match(usage['cpu'] ?? '', /^\d+m$/);
    assert.match(usage['memory'] ?? '', /^[1-9]\d*Ki$/);
    assert.ok(Number.parseInt(usage['ephemeral-storage'] ?? '', 10) >= 48, list);
    assert.equal(headers.get('warning'), null);
    await stage.expect(200, 'POST', at(id, '/cancel'), { body: { mode: 'terminate' } });
    await stage.until(id, 'cancelled');
    assert.equal((await stage.expect(200, 'GET', at(id, '/top'))).text, '[]');
  });

  test('cancels by stop and by terminate, once', async () => {
    const service = await stage.service(shell('echo begun; sleep 600'));
    for (const mode of [undefined, 'terminate']) {
      const id = await stage.order(service);
      await eventually(async () => (await stage.log(id)).includes('begun'), { what: 'the service runs' });
      const { body } = await stage.expect(200, 'POST', at(id, '/cancel'), mode === undefined ? {} : { body: { mode } });
      assert.equal(body.status, 'cancelling');
      assert.equal((await stage.until(id, 'cancelled', 'failed', 'error')).status, 'cancelled');
      assert.equal((await stage.ask('POST', at(id, '/cancel'))).status, 409);
    }
    const other = await stage.order(service);
    assert.equal((await stage.ask('POST', at(other, '/cancel'), { body: { mode: 'gently' } })).status, 422);
    assert.equal((await stage.ask('POST', at(other, '/cancel'), { token: stage.token('other/robot') })).status, 404);
    await stage.expect(200, 'POST', at(other, '/cancel'), {
      token: stage.landscape.token,
      body: { mode: 'terminate' },
    });
    await stage.until(other, 'cancelled');
  });

  test('retries a failed order from its failure, and resubmits one', async () => {
    const flag = `/tmp/chandlery-orders-${process.pid}-${Date.now()}`;
    const service = await stage.service(
      shell(`test -e ${flag} && rm ${flag} && echo again || { touch ${flag}; exit 1; }`),
    );
    const failed = await stage.run(service);
    assert.equal(failed.status, 'failed');
    const { body } = await stage.expect(200, 'POST', at(failed.id, '/retry'));
    assert.equal(body.status, 'executing');
    assert.equal(body['finished-at'], undefined);
    assert.equal((await stage.until(failed.id, 'succeeded', 'failed', 'error')).status, 'succeeded');
    assert.equal((await stage.ask('POST', at(failed.id, '/retry'))).status, 409);
    const again = (await stage.expect(200, 'POST', at(failed.id, '/resubmit'))).body;
    assert.notEqual(again.id, failed.id);
    assert.equal(again['resubmit-of'], failed.id);
    await stage.until(again.id, 'failed');
    await stage.expect(200, 'POST', at(again.id, '/retry'));
    await stage.until(again.id, 'succeeded');
  });
});

describe('a standing order', () => {
  test('processes what comes to its queue in runs, and ends by cancel', async () => {
    const queue = (await stage.expect(201, 'POST', '/1/queues', { body: { name: 'work' } })).body.id;
    const send = (content: string) => stage.expect(201, 'POST', `/1/queues/${queue}/messages`, { body: { content } });
    const service = await stage.service(
      shell(
        [
          'while headers=$(curl -fsS -D - -o /dev/null "$IVCAP_QUEUE_URL") && echo "$headers" | grep -q " 307 "; do',
          '  curl -fsS "$(echo "$headers" | grep -i "^location" | cut -d" " -f2 | tr -d "\\r")"; echo',
          '  token=$(echo "$headers" | grep -i "^x-ack-token" | cut -d" " -f2 | tr -d "\\r")',
          '  curl -fsS -X DELETE -d "$token" "$IVCAP_QUEUE_URL"',
          'done',
        ].join('\n'),
      ),
    );
    const execution = { type: 'standing', selector: { queue } };
    const { body } = await stage.expect(200, 'POST', '/1/orders', { body: { service, parameters: [], execution } });
    await stage.until(body.id, 'scheduled');
    await send('one');
    const runs = (count: number) =>
      eventually(
        async () => {
          const { body: order } = await stage.expect(200, 'GET', at(body.id));
          return order.status === 'scheduled' && order['runs'] === count;
        },
        { what: `${count} runs`, timeoutMs: 30_000 },
      );
    await runs(1);
    assert.equal(await stage.log(body.id), '{"content":"one"}\n');
    await send('two');
    await runs(2);
    await stage.expect(200, 'POST', at(body.id, '/cancel'));
    await stage.until(body.id, 'cancelled');
    assert.equal(await stage.log(body.id), '{"content":"one"}\n{"content":"two"}\n');
    const left = await stage.expect(200, 'GET', `/1/queues/${queue}/messages`);
    assert.deepEqual(left.body.messages, []);
  });
});

test('an order that is made with kubectl is checked like any other', async () => {
  const service = await stage.service({ ...shell('echo "$2"'), parameters: [text('msg')] });
  const path = '/apis/orders.chandlery.io/v1alpha1/namespaces/acme/orders';
  const create = (name: string, spec: object) =>
    stage.kube('POST', path, { apiVersion: 'orders.chandlery.io/v1alpha1', kind: 'Order', metadata: { name }, spec });
  const [good, bad] = ['00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-0000000000a2'];
  assert.equal((await create(good, { service, parameters: [{ name: 'msg', value: 'by kubectl' }] })).status, 201);
  assert.equal((await create(bad, { service, parameters: [{ name: 'nope', value: '' }] })).status, 201);
  await stage.until(`urn:ivcap:order:${good}`, 'succeeded');
  assert.equal(await stage.log(`urn:ivcap:order:${good}`), 'by kubectl\n');
  const refused = await stage.until(`urn:ivcap:order:${bad}`, 'error');
  assert.match(String(refused['error-message']), /no parameter 'nope'/);
  assert.equal((await stage.kube('DELETE', `${path}/${good}`)).status, 200);
});
