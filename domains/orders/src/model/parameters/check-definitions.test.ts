import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ParameterDefinition } from '../../kinds/index.ts';
import { findDefinitionProblem } from './check-definitions.ts';
import { checkValue } from './parameter-values.ts';

const uuid = '00000000-0000-4000-8000-000000000001';
const parameter = (changes: Partial<ParameterDefinition>): ParameterDefinition => ({
  name: 'p',
  type: 'string',
  description: 'd',
  ...changes,
});

describe('the definition of parameters', () => {
  const rejected: readonly { readonly defined: readonly ParameterDefinition[]; readonly path: string }[] = [
    { defined: [parameter({}), parameter({})], path: 'parameters' },
    { defined: [parameter({ type: 'number' })], path: 'parameters[0].type' },
    { defined: [parameter({ name: 'ivcap:x' })], path: 'parameters[0].name' },
    { defined: [parameter({ name: 'cre:x' })], path: 'parameters[0].name' },
    { defined: [parameter({ type: 'option' })], path: 'parameters[0].options' },
    { defined: [parameter({ type: 'option', options: [] })], path: 'parameters[0].options' },
    {
      defined: [parameter({ type: 'option', options: [{ value: 'a' }, { value: 'a' }] })],
      path: 'parameters[0].options',
    },
    { defined: [parameter({ options: [{ value: 'a' }] })], path: 'parameters[0].options' },
    { defined: [parameter({ name: 'ok' }), parameter({ type: 'int', default: 'x' })], path: 'parameters[1].default' },
    {
      defined: [parameter({ type: 'option', options: [{ value: 'a' }], default: 'b' })],
      path: 'parameters[0].default',
    },
    { defined: [parameter({ constant: true })], path: 'parameters[0].default' },
    { defined: [parameter({ unary: true })], path: 'parameters[0].unary' },
  ];
  for (const { defined, path } of rejected)
    test(`is rejected at ${path}: ${JSON.stringify(defined.at(-1))}`, () =>
      assert.equal(findDefinitionProblem(defined)?.path, path));

  test('is accepted in all types', () => {
    const accepted = [
      parameter({ name: 'a', type: 'int', default: '+007', constant: true }),
      parameter({ name: 'b', type: 'bool', unary: true }),
      parameter({ name: 'c', type: 'option', options: [{ value: 'x', description: 'X' }], default: 'x' }),
      parameter({ name: 'd', type: 'artifact', optional: true }),
      parameter({ name: 'e', type: 'queue' }),
      parameter({ name: 'f', options: [] }),
    ];
    assert.equal(findDefinitionProblem(accepted), undefined);
  });
});

describe('a value of a parameter', () => {
  const cases: readonly (readonly [type: string, value: string, passedOn: string | undefined])[] = [
    ['string', '', ''],
    ['int', '+007', '7'],
    ['int', '-9223372036854775808', '-9223372036854775808'],
    ['int', '9223372036854775808', undefined],
    ['int', '1.0', undefined],
    ['int', ' 1', undefined],
    ['int', '', undefined],
    ['int', '0x10', undefined],
    ['float', '1e3', '1e3'],
    ['float', '.5', '.5'],
    ['float', '1e999', undefined],
    ['float', 'NaN', undefined],
    ['float', 'Infinity', undefined],
    ['bool', 'TRUE', 'true'],
    ['bool', 'yes', undefined],
    ['option', 'a', 'a'],
    ['option', 'A', undefined],
    ['artifact', `urn:ivcap:artifact:${uuid}`, `urn:ivcap:artifact:${uuid}`],
    ['artifact', 'https://example.com/x', 'https://example.com/x'],
    ['artifact', 'urn:http://example.com/x', 'urn:http://example.com/x'],
    ['artifact', uuid, undefined],
    ['artifact', 'ftp://example.com/x', undefined],
    ['collection', `urn:ivcap:queue:${uuid}`, `urn:ivcap:queue:${uuid}`],
    ['collection', `urn:ivcap:service:${uuid}`, undefined],
    ['queue', `urn:ivcap:queue:${uuid}`, `urn:ivcap:queue:${uuid}`],
    ['queue', 'urn:ivcap:queue:1', undefined],
  ];
  for (const [type, value, passedOn] of cases)
    test(`of type ${type}: '${value}' ${passedOn === undefined ? 'is rejected' : `is passed on as '${passedOn}'`}`, () => {
      const checked = checkValue(parameter({ type, options: [{ value: 'a' }] }), value);
      assert.equal(checked.isValid ? checked.value : undefined, passedOn);
    });
});
