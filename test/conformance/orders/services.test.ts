import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { basicService, missing, setStage } from './support/stage.ts';

describe('services', () => {
  const stage = setStage();
  const { ask, expect } = stage;
  const create = async (body: object, path = '/1/services2') => (await expect(201, 'POST', path, { body })).body;

  test('are created, read, replaced and removed', async () => {
    const { body, headers } = await expect(201, 'POST', '/1/services2', { body: basicService() });
    assert.match(body.id, /^urn:ivcap:service:[0-9a-f-]{36}$/);
    assert.equal(headers.get('location'), `${stage.landscape.url}/1/services2/${body.id}`);
    assert.equal(body['status'], 'active');
    assert.match(String(body['account']), /^urn:ivcap:account:/);
    assert.equal(body['policy'], 'urn:ivcap:policy:ivcap.open.service');
    assert.equal(body['controller-schema'], 'urn:ivcap:schema.service.basic.1', 'as the author spelt it');
    const path = `/1/services2/${body.id}`;
    assert.deepEqual((await expect(200, 'GET', path)).body, body);
    assert.equal((await expect(200, 'GET', `/1/services2/${encodeURIComponent(body.id)}`)).body.id, body.id);
    const replaced = await expect(200, 'PUT', path, { body: basicService({ name: 'other' }) });
    assert.deepEqual([replaced.body.id, replaced.body.name], [body.id, 'other']);
    assert.equal((await expect(204, 'DELETE', path)).text, '');
    await expect(404, 'GET', path);
    await expect(404, 'DELETE', path);
  });

  test('can be created with an id, once, and by PUT only when forced', async () => {
    const id = `urn:ivcap:service:${randomUUID()}`;
    assert.equal((await create(basicService({ id }))).id, id);
    const again = await expect(409, 'POST', '/1/services2', { body: basicService({ id }) });
    assert.equal(again.body.id, id);
    const other = `urn:ivcap:service:${randomUUID()}`;
    await expect(404, 'PUT', `/1/services2/${other}`, { body: basicService() });
    const forced = await expect(200, 'PUT', `/1/services2/${other}?force-create=true`, { body: basicService() });
    assert.equal(forced.body.id, other);
    const placeholder = await create(basicService({ id: '#SERVICE_ID#' }));
    assert.match(placeholder.id, /^urn:ivcap:service:[0-9a-f-]{36}$/);
  });

  test('of an unknown schema can be created, those without one have status error', async () => {
    const unknown = await create(basicService({ controller: { $schema: 'urn:ivcap:schema:service.magic.7' } }));
    assert.equal(unknown.status, 'active');
    assert.equal((await create(basicService({ controller: {} }))).status, 'error');
  });

  test('of both generations are read by both', async () => {
    const workflow = { type: 'basic', basic: { image: 'alpine', command: ['echo'], cpu: {} } };
    const first = await create({ name: 'old', description: 'd', parameters: [], workflow }, '/1/services');
    assert.deepEqual(first['workflow'], workflow);
    const converted = await expect(200, 'GET', `/1/services2/${first.id}`);
    assert.deepEqual(converted.body['controller'], { $schema: 'urn:ivcap:schema:service.basic.1', ...workflow.basic });
    const second = await create(basicService());
    const shown = await expect(200, 'GET', `/1/services/${second.id}`);
    assert.deepEqual(shown.body['workflow'], { type: 'basic', basic: { image: 'alpine', command: ['echo'] } });
  });

  test('that are wrong are rejected with the field', async () => {
    const cases: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
      [{ description: undefined }, 'description'],
      [{ controller: undefined }, 'controller'],
      [{ 'controller-schema': 'urn:ivcap:schema:service.argo.1' }, 'controller-schema'],
      [{ parameters: [{ name: 'a', type: 'what', description: '' }] }, 'parameters[0].type'],
    ];
    for (const [changes, name] of cases) {
      const { body } = await expect(422, 'POST', '/1/services2', { body: basicService(changes) });
      assert.deepEqual([body.name, body.code], [name, 'invalid']);
      assert.ok(body.message.length > 0);
    }
    for (const body of ['{', '[]', '"text"', '']) await expect(400, 'POST', '/1/services2', { body });
  });

  test('can be read as they were', async () => {
    const { id } = await create(basicService({ name: 'before' }));
    const { body } = await expect(200, 'GET', '/1/services2?limit=1');
    const time = encodeURIComponent(String(body['at-time']));
    await expect(200, 'PUT', `/1/services2/${id}`, { body: basicService({ name: 'after' }) });
    assert.equal((await expect(200, 'GET', `/1/services2/${id}?at-time=${time}`)).body.name, 'before');
    assert.equal((await expect(200, 'GET', `/1/services2/${id}`)).body.name, 'after');
    await expect(204, 'DELETE', `/1/services2/${id}`);
    const past = await expect(200, 'GET', `/1/services2?at-time=${time}&filter=${encodeURIComponent(`id == '${id}'`)}`);
    assert.deepEqual(
      past.body.items.map(({ name }) => name),
      ['before'],
    );
    assert.ok(past.body.items[0]?.['valid-to']);
    assert.equal((await ask('GET', '/1/services2?at-time=2001-01-01T00:00:00Z')).body.code, 'at-time-too-old');
  });

  test('are objects of the onboarding cluster, and what kubectl writes is served', async () => {
    const { id } = await create(basicService({ name: 'seen' }));
    const path = '/apis/orders.chandlery.io/v1alpha1/namespaces/acme/services';
    const object = await stage.kube('GET', `${path}/${id.split(':').at(-1)}`);
    assert.equal((object.body['spec'] as { name: string }).name, 'seen');
    const name = randomUUID();
    const spec = { name: 'by kubectl', description: 'd', controller: { $schema: 'urn:ivcap:schema:service.rest.1' } };
    const made = await stage.kube('POST', path, {
      apiVersion: 'orders.chandlery.io/v1alpha1',
      kind: 'Service',
      metadata: { name },
      spec,
    });
    assert.equal(made.status, 201, made.text);
    assert.equal((await expect(200, 'GET', `/1/services2/urn:ivcap:service:${name}`)).body.name, 'by kubectl');
  });

  test('that do not exist, or are named by a bare UUID, are not found', async () => {
    const { id } = await create(basicService());
    for (const wrong of [missing('service'), id.split(':').at(-1), id.replace('service', 'order'), 'x']) {
      const { body } = await expect(404, 'GET', `/1/services2/${wrong}`);
      assert.equal(body.id, wrong);
    }
  });
});
