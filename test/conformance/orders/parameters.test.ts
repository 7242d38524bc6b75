import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setOrderStage, shell } from './support/order-stage.ts';
import { missing } from './support/stage.ts';

const stage = setOrderStage();
const parameter = (type: string, more: object = {}): object => ({ name: 'p', type, description: 'd', ...more });

describe('parameters of an order', () => {
  const refused: readonly (readonly [why: string, defined: object, given: readonly object[]])[] = [
    ['an undeclared name', parameter('string'), [{ name: 'q', value: 'x' }]],
    ['a reserved name', parameter('string'), [{ name: 'ivcap:x', value: 'x' }]],
    [
      'a name twice',
      parameter('string'),
      [
        { name: 'p', value: 'x' },
        { name: 'p', value: 'x' },
      ],
    ],
    ['a constant', parameter('string', { constant: true, default: 'a' }), [{ name: 'p', value: 'b' }]],
    ['a missing one', parameter('string'), []],
    ['no int', parameter('int'), [{ name: 'p', value: '1.5' }]],
    ['no float', parameter('float'), [{ name: 'p', value: 'Infinity' }]],
    ['no bool', parameter('bool'), [{ name: 'p', value: 'yes' }]],
    ['no option', parameter('option', { options: [{ value: 'a', description: 'A' }] }), [{ name: 'p', value: 'b' }]],
    ['no artifact', parameter('artifact'), [{ name: 'p', value: 'ftp://x' }]],
    ['a missing artifact', parameter('artifact'), [{ name: 'p', value: missing('artifact') }]],
    ['a missing collection', parameter('collection'), [{ name: 'p', value: missing('collection') }]],
    ['a missing queue', parameter('queue'), [{ name: 'p', value: missing('queue') }]],
  ];
  for (const [why, defined, parameters] of refused)
    test(`are refused before anything is created: ${why}`, async () => {
      const service = await stage.service({ ...shell('true'), parameters: [defined] });
      const { body } = await stage.expect(422, 'POST', '/1/orders', { body: { service, parameters } });
      assert.equal(body.name, parameters[0] === undefined ? 'p' : (parameters[0] as { name: string }).name);
      assert.ok(body.message.includes(`'${body.name}'`), body.message);
      const { items } = (
        await stage.expect(200, 'GET', `/1/orders?filter=${encodeURIComponent(`service == '${service}'`)}`)
      ).body;
      assert.deepEqual(items, []);
    });

  test('refer to what the orderer may read, and to what is ready', async () => {
    const foreign = await stage.expect(201, 'POST', '/1/artifacts', { body: 'x', token: stage.token('other/robot') });
    const pending = await stage.expect(201, 'POST', '/1/artifacts', { headers: { 'upload-length': '5' } });
    const service = await stage.service({ ...shell('true'), parameters: [parameter('artifact')] });
    for (const { body } of [foreign, pending]) {
      const parameters = [{ name: 'p', value: body.id }];
      await stage.expect(422, 'POST', '/1/orders', { body: { service, parameters } });
    }
  });

  test('that are collections reach the container as a queue of artifacts', async () => {
    for (const content of ['one', 'two'])
      await stage.expect(201, 'POST', '/1/artifacts', {
        body: content,
        headers: { 'content-type': 'text/plain', 'x-collection': 'both' },
      });
    const collections = await stage.expect(200, 'GET', '/1/collections');
    const collection = collections.body.items.find(({ name }) => name === 'both')?.id ?? assert.fail();
    const service = await stage.service({
      ...shell(
        'echo "$2" | cut -d: -f3; curl -fsS -L "$IVCAP_STORAGE_URL/$2"; echo; curl -fsS -L "$IVCAP_STORAGE_URL/$2"; echo; curl -sS -o /dev/null -w "%{http_code}\\n" "$IVCAP_STORAGE_URL/$2"',
      ),
      parameters: [parameter('collection')],
    });
    const ended = await stage.run(service, { p: collection });
    assert.equal(await stage.log(ended.id), 'queue\none\ntwo\n204\n', JSON.stringify(ended));
    assert.deepEqual(ended['parameters'], [{ name: 'p', value: collection }]);
  });

  test('never act as tags or shell text', async () => {
    const service = await stage.service({ ...shell('printf "%s|" "$@"'), parameters: [parameter('string')] });
    for (const value of [
      '{{workflow.name}}',
      '{{=1+1}}',
      '$(id) `id` ; id',
      'a\'b"c',
      '}}{{inputs.parameters.p}}',
    ]) {
      const ended = await stage.run(service, { p: value });
      assert.equal(ended.status, 'succeeded', `${value}: ${JSON.stringify(ended)}`);
      assert.equal((await stage.log(ended.id)).trimEnd(), `--p|${value}|`);
    }
  });
});
