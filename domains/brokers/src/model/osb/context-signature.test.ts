import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { test } from 'node:test';
import { canonicalJson, hashParameters } from '../json.ts';
import { createContextSigner, originatingIdentity } from './context-signature.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });

test('a signed context can be verified after sorting its keys', () => {
  const sign = createContextSigner({ contextPrivateKey: pem });
  const signed = sign?.({ platform: 'kubernetes', b: { d: 1, c: 2 }, signature: 'forged' }, 'i-1');
  assert.ok(signed);
  const text = '{"b":{"c":2,"d":1},"platform":"kubernetes","service_instance_id":"i-1"}';
  const signature = Buffer.from(signed['signature'] as string, 'base64');
  assert.ok(verify('sha256', Buffer.from(text), createPublicKey(privateKey), signature));
  assert.deepEqual(Object.keys(signed).sort(), ['b', 'platform', 'service_instance_id', 'signature']);
});

test('without a key nothing is signed', () => {
  assert.equal(createContextSigner({}), undefined);
});

test('canonical JSON sorts keys everywhere, keeps the order of lists and leaves out what is absent', () => {
  assert.equal(
    canonicalJson({ b: [{ z: 1, a: null }, 2], a: undefined, __proto__: null as never, ä: 'x' }),
    '{"b":[{"a":null,"z":1},2],"ä":"x"}',
  );
  const awkward = JSON.parse('{"__proto__":{"b":1,"a":2}}') as { [key: string]: never };
  assert.equal(canonicalJson(awkward), '{"__proto__":{"a":2,"b":1}}');
});

test('parameters are the same whatever their order, and none are as good as empty ones', () => {
  assert.equal(hashParameters({ a: 1, b: { c: 2, d: 3 } }), hashParameters({ b: { d: 3, c: 2 }, a: 1 }));
  assert.equal(hashParameters(undefined), hashParameters({}));
  assert.equal(hashParameters(null), hashParameters({}));
  assert.notEqual(hashParameters({ a: [1, 2] }), hashParameters({ a: [2, 1] }));
});

test('an identity is the platform and a JSON object in base64', () => {
  const [platform, encoded = ''] = originatingIdentity('kubernetes', { username: 'Jürgen' }).split(' ');
  assert.equal(platform, 'kubernetes');
  assert.deepEqual(JSON.parse(Buffer.from(encoded, 'base64').toString()), { username: 'Jürgen' });
});
