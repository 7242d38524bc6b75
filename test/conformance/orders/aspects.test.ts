import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { missing, setStage } from './support/stage.ts';

describe('aspects', () => {
  const stage = setStage();
  const { expect } = stage;
  const entity = 'urn:ivcap:artifact:00000000-0000-4000-8000-0000000000aa';
  const path = (schema: string, of = entity) => `/1/aspects?entity=${of}&schema=${schema}`;
  const add = async (schema: string, body: object) => (await expect(201, 'POST', path(schema), { body })).body;
  const list = async (query: string) => (await expect(200, 'GET', `/1/aspects?${query}`)).body;
  const timeNow = async () => encodeURIComponent(String((await list('limit=1'))['at-time']));

  test('say who stated what, since when', async () => {
    const aspect = await add('urn:x:schema:a.1', { $schema: 'urn:x:schema:a.1', size: 7 });
    assert.match(aspect.id, /^urn:ivcap:aspect:[0-9a-f-]{36}$/);
    assert.deepEqual(
      [aspect['entity'], aspect['schema'], aspect['content']],
      [entity, 'urn:x:schema:a.1', { $schema: 'urn:x:schema:a.1', size: 7 }],
    );
    assert.equal(aspect['asserter'], 'system:serviceaccount:acme:robot');
    assert.ok(aspect['valid-from']);
    assert.equal(aspect['valid-to'], undefined);
    assert.deepEqual((await expect(200, 'GET', `/1/aspects/${aspect.id}`)).body, aspect);
  });

  test('are added, and replaced when there is one', async () => {
    const schema = 'urn:x:schema:r.1';
    const first = (await expect(200, 'PUT', path(schema), { body: { n: 1 } })).body;
    assert.equal(first['replaces'], undefined);
    const before = await timeNow();
    const second = (await expect(200, 'PUT', path(schema), { body: { n: 2 } })).body;
    assert.equal(second['replaces'], first.id);
    const now = await list(`entity=${entity}&schema=${schema}&include-content=true`);
    assert.deepEqual(
      now.items.map(({ content }) => content),
      [{ n: 2 }],
    );
    const then = await list(`entity=${entity}&schema=${schema}&include-content=true&at-time=${before}`);
    assert.deepEqual(
      then.items.map(({ content }) => content),
      [{ n: 1 }],
    );
    await expect(404, 'GET', `/1/aspects/${first.id}`);
    const old = (await expect(200, 'GET', `/1/aspects/${first.id}?at-time=${before}`)).body;
    assert.deepEqual([old['content'], old['retracter']], [{ n: 1 }, 'system:serviceaccount:acme:robot']);
    assert.ok(old['valid-to']);
    await add(schema, { n: 3 });
    const several = await expect(424, 'PUT', path(schema), { body: { n: 4 } });
    assert.equal(several.body.code, 'ambiguous');
  });

  test('are replaced one after the other, however many clients do so at once', async () => {
    const schema = 'urn:x:schema:race.1';
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, n) => expect(200, 'PUT', path(schema), { body: { n } })),
    );
    assert.equal(new Set(all.map(({ body }) => body['replaces'])).size, 10, 'each replaced another one');
    assert.equal((await list(`schema=${schema}`)).items.length, 1);
  });

  test('are retracted, and can be read as of before', async () => {
    const { id } = await add('urn:x:schema:gone.1', { here: true });
    const before = await timeNow();
    assert.equal((await expect(204, 'DELETE', `/1/aspects/${id}`)).text, '');
    await expect(404, 'GET', `/1/aspects/${id}`);
    assert.deepEqual((await list('schema=urn:x:schema:gone.1')).items, []);
    assert.deepEqual((await expect(200, 'GET', `/1/aspects/${id}?at-time=${before}`)).body['content'], { here: true });
    assert.equal((await list(`schema=urn:x:schema:gone.1&at-time=${before}`)).items[0]?.id, id);
  });

  test('are listed by entity and by pattern of schema, without content unless asked for', async () => {
    await add('urn:x:schema:list.1', { n: 1 });
    await add('urn:x:schema:list.2', { n: 2 });
    await expect(201, 'POST', path('urn:x:schema:list.1', 'urn:x:other'), { body: { n: 3 } });
    const found = await list(`entity=${entity}&schema=${encodeURIComponent('urn:x:schema:list.%')}`);
    assert.deepEqual(
      found.items.map(({ schema, content }) => [schema, content]),
      [
        ['urn:x:schema:list.2', undefined],
        ['urn:x:schema:list.1', undefined],
      ],
    );
    assert.equal((await list('entity=urn:x:other')).items.length, 1);
    assert.deepEqual((await list('entity=urn:x:nobody')).items, []);
  });

  test('that are wrong are rejected', async () => {
    await expect(422, 'POST', '/1/aspects?schema=urn:x:a', { body: {} });
    assert.equal((await expect(422, 'POST', `/1/aspects?entity=${entity}`, { body: {} })).body.name, 'schema');
    await expect(415, 'POST', path('urn:x:a'), { body: 'x', headers: { 'content-type': 'text/plain' } });
    await expect(400, 'POST', path('urn:x:a'), { body: '[1]' });
    await expect(404, 'DELETE', `/1/aspects/${missing('aspect')}`);
    await expect(404, 'GET', `/1/aspects/${missing('aspect')}`, { token: stage.token('other/robot') });
  });

  test('secrets are set and listed, their values are not told', async () => {
    const secret = { 'secret-name': 'key', 'secret-value': 's3cr3t', 'expiry-time': 0 };
    await expect(201, 'POST', '/1/secrets', { body: secret });
    await expect(201, 'POST', '/1/secrets', { body: { ...secret, 'secret-value': 'n3w' } });
    const listed = await expect(200, 'GET', '/1/secrets/list');
    assert.deepEqual(listed.body.items, [{ 'secret-name': 'key', 'secret-type': 'raw', 'expiry-time': 0 }]);
    const one = await expect(200, 'GET', '/1/secrets?secret-name=key');
    assert.ok(!one.text.includes('n3w') && !listed.text.includes('n3w'));
    await expect(404, 'GET', '/1/secrets?secret-name=key', { token: stage.token('other/robot') });
    const { text } = await stage.kube('GET', '/apis/orders.chandlery.io/v1alpha1/namespaces/acme/servicesecrets');
    assert.ok(!text.includes('n3w'), 'the value is not in the record');
    await expect(204, 'DELETE', '/1/secrets?secret-name=key');
    await expect(404, 'GET', '/1/secrets?secret-name=key');
    const { text: secrets } = await stage.kube('GET', '/api/v1/namespaces/acme/secrets');
    assert.ok(!secrets.includes('service-secret-'), 'the value is gone too');
  });
});
