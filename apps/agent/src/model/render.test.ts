import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '@chandlery/api';
import { placeholdersIn, render } from './render.ts';

const values = { host: 'rex.example.com', versions: { product: '1.0.0' }, accounts: [{ password: 'x{{ host }}' }] };

const rendered: readonly { why: string; template: JsonValue; result: JsonValue }[] = [
  { why: 'a whole text', template: '{{ host }}', result: 'rex.example.com' },
  { why: 'several in one text', template: 'a:{{versions.product}}@{{ host }}', result: 'a:1.0.0@rex.example.com' },
  {
    why: 'a member of a list, whose value is not rendered again',
    template: '{{ accounts.0.password }}',
    result: 'x{{ host }}',
  },
  {
    why: 'objects and lists, but not keys',
    template: { '{{ host }}': ['{{ host }}', 1, null] },
    result: { '{{ host }}': ['rex.example.com', 1, null] },
  },
  { why: 'an optional one without value', template: '[{{ accounts.1.password? }}]', result: '[]' },
  { why: 'an optional one with value', template: '{{ host? }}', result: 'rex.example.com' },
];
for (const { why, template, result } of rendered)
  test(`placeholders are replaced: ${why}`, () => assert.deepEqual(render(template, values), result));

const rejected: readonly { why: string; template: string; message: RegExp }[] = [
  { why: 'unknown', template: '{{ hots }}', message: /\{\{ hots \}\} has no value/ },
  { why: 'a member of a text', template: '{{ host.length }}', message: /has no value/ },
  { why: 'inherited', template: '{{ versions.constructor }}', message: /has no value/ },
  { why: 'not a text', template: '{{ versions }}', message: /has no value/ },
  { why: 'optional and not a text', template: '{{ versions? }}', message: /has no value/ },
  { why: 'an expression', template: '{{ host + 1 }}', message: /malformed/ },
  { why: 'empty', template: '{{ }}', message: /malformed/ },
  { why: 'not closed', template: '{{ host', message: /not closed/ },
  { why: 'not opened', template: 'host }}', message: /not closed/ },
];
for (const { why, template, message } of rejected)
  test(`a placeholder is rejected, without another attempt: ${why}`, () =>
    assert.throws(() => render({ deep: [template] }, values), { code: 'TerminalError', message }));

test('placeholders are found wherever they are', () =>
  assert.deepEqual([...placeholdersIn({ a: ['{{ x.y }}', { b: '{{z}}{{ x.y }}' }] })], ['x.y', 'z']));
