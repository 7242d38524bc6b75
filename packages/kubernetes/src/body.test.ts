import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decodeBody, mediaTypeOf } from './body.ts';
import { booleanOf, fieldValidationOf, integerOf, isDryRun, type ResourceCall, warn, writeOptions } from './call.ts';
import { deleteOptionsOf } from './handlers/delete-options.ts';
import { YamlDecoder } from './yaml/yaml-decoder.ts';

const yaml = new YamlDecoder();
const decode = async (text: string | Buffer, contentType?: string, isStrict = true) =>
  decodeBody(Buffer.from(text), { contentType, isStrict, messageOf: () => undefined, yaml, sender: 'me' });

describe('a request body', () => {
  for (const type of [
    undefined,
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/merge-patch+json',
    'application/yaml',
    'application/apply-patch+yaml',
  ]) {
    test(`of type ${type ?? '(none)'} may be JSON`, async () => {
      assert.deepEqual((await decode('{"a":[1,null,"ü"]}', type)).value, { a: [1, null, 'ü'] });
    });
  }

  test('may be YAML, but not more than JSON can say', async () => {
    assert.deepEqual((await decode('a: [1, "x"]\nb: &anchor {c: true}\nd: *anchor\n', 'application/yaml')).value, {
      a: [1, 'x'],
      b: { c: true },
      d: { c: true },
    });
  });

  test('reports duplicate fields on request', async () => {
    assert.deepEqual((await decode('{"a":{"b":1,"b":2}}')).problems, ['duplicate field "a.b"']);
    assert.deepEqual((await decode('{"a":{"b":1,"b":2}}', undefined, false)).problems, []);
  });

  const refusals: readonly { why: string; body: string | Buffer; type?: string; code: string }[] = [
    { why: 'broken JSON', body: '{"a":', code: 'BadRequest' },
    { why: 'broken YAML', body: 'a: [', type: 'application/yaml', code: 'BadRequest' },
    { why: 'YAML that says a key twice', body: 'a: 1\na: 2', type: 'application/yaml', code: 'BadRequest' },
    { why: 'bytes that are no text', body: Buffer.from([0x22, 0xff, 0x22]), code: 'BadRequest' },
    { why: 'JSON that is too deep', body: `${'['.repeat(100_000)}${']'.repeat(100_000)}`, code: 'BadRequest' },
    {
      why: 'YAML that grows without end',
      body: `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 10 }, () => `*a${i}`).join()}]`).join('\n')}`,
      type: 'application/yaml',
      code: 'BadRequest',
    },
    { why: 'an unknown type', body: 'x', type: 'text/plain', code: 'UnsupportedMediaType' },
  ];
  for (const { why, body, type, code } of refusals) {
    test(`is rejected for ${why}`, () =>
      assert.rejects(
        () => decode(body, type),
        error => isError(error, code),
      ));
  }

  test('has a media type without parameters', () => {
    assert.equal(mediaTypeOf(' Application/JSON ; a=b'), 'application/json');
    assert.equal(mediaTypeOf(undefined), '');
  });
});

const call = (query: string, parts: { body?: object; userAgent?: string } = {}): ResourceCall => {
  const headers = { 'user-agent': parts.userAgent };
  const body = parts.body === undefined ? undefined : Buffer.from(JSON.stringify(parts.body));
  return { query: new URLSearchParams(query), request: { headers, body } as unknown as FastifyRequest } as ResourceCall;
};

describe('the options of a request', () => {
  test('name the manager, or take it from the client', () => {
    const manager = (query: string, userAgent?: string) =>
      writeOptions(call(query, { ...(userAgent === undefined ? {} : { userAgent }) })).fieldManager;
    assert.equal(manager('fieldManager=me', 'kubectl/v1'), 'me');
    assert.equal(manager('', 'kubectl/v1.30 (linux)'), 'kubectl');
    assert.equal(manager(''), 'unknown');
    assert.throws(
      () => manager(`fieldManager=${'x'.repeat(129)}`),
      error => isError(error, 'Invalid'),
    );
  });

  test('say whether it is for real, and how strict', () => {
    assert.deepEqual(
      [isDryRun([], 'CreateOptions'), isDryRun(['All'], 'CreateOptions'), isDryRun([''], 'CreateOptions')],
      [false, true, false],
    );
    assert.throws(
      () => isDryRun(['Some'], 'CreateOptions'),
      error =>
        isError(error, 'Invalid') && error.message.startsWith('CreateOptions.meta.k8s.io "" is invalid: dryRun: '),
    );
    assert.equal(fieldValidationOf(call('')), 'Warn');
    assert.equal(fieldValidationOf(call('fieldValidation=Strict')), 'Strict');
    assert.throws(
      () => fieldValidationOf(call('fieldValidation=strict')),
      error => isError(error, 'Invalid'),
    );
  });

  test('are numbers or rejected, and truth values', () => {
    const query = new URLSearchParams('n=-5&empty=&bad=1.5&yes=1&no=False&odd=maybe');
    assert.deepEqual(
      [integerOf(query, 'n'), integerOf(query, 'empty'), integerOf(query, 'absent')],
      [-5, undefined, undefined],
    );
    assert.deepEqual(
      [booleanOf(query, 'yes'), booleanOf(query, 'no'), booleanOf(query, 'absent')],
      [true, false, undefined],
    );
    assert.throws(
      () => integerOf(query, 'bad'),
      error => isError(error, 'BadRequest'),
    );
    assert.equal(booleanOf(query, 'odd'), true);
  });

  test('may lead to warnings, which are quoted and said once', () => {
    const headers = new Map<string, unknown>();
    const reply = {
      getHeader: (name: string) => headers.get(name),
      header: (name: string, value: unknown) => headers.set(name, value),
    };
    warn(reply as unknown as FastifyReply, 'unknown field "a\\b"');
    warn(reply as unknown as FastifyReply, 'second\nline');
    warn(reply as unknown as FastifyReply, 'second\nline');
    assert.deepEqual(headers.get('warning'), ['299 - "unknown field \\"a\\\\b\\""', '299 - "second line"']);
  });
});

describe('the options of a deletion', () => {
  const options = (query: string, body?: object) => deleteOptionsOf(call(query, body === undefined ? {} : { body }));

  test('come from the query, and from the body first', () => {
    assert.deepEqual(options('gracePeriodSeconds=5&propagationPolicy=Orphan&dryRun=All'), {
      isDryRun: true,
      gracePeriodSeconds: 5,
      propagationPolicy: 'Orphan',
    });
    const body = {
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
      dryRun: ['All'],
    };
    assert.deepEqual(options('gracePeriodSeconds=5&propagationPolicy=Orphan', body), {
      isDryRun: true,
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
    });
  });

  test('know the old word for orphans', () => {
    assert.equal(options('', { orphanDependents: true }).propagationPolicy, 'Orphan');
    assert.equal(options('', { orphanDependents: false }).propagationPolicy, 'Background');
  });

  const refusals: readonly object[] = [
    { propagationPolicy: 'Sometimes' },
    { propagationPolicy: 'Orphan', orphanDependents: true },
    { gracePeriodSeconds: 'long' },
    { preconditions: { uid: 5 } },
    { dryRun: ['Some'] },
    [],
  ];
  for (const body of refusals) {
    test(`are rejected as ${JSON.stringify(body)}`, () =>
      assert.throws(
        () => options('', body),
        error => isError(error, 'BadRequest', 'Invalid'),
      ));
  }
});
