import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ParameterDefinition } from '../../kinds/index.ts';
import { commandLine, workflowArguments } from './command-line.ts';
import { verifyParameters } from './verify-parameters.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const ready = uuid(1);
const pending = uuid(2);
const foreign = uuid(3);

/** The orderer may read what ends in 1; what ends in 2 is not ready; others are not theirs. */
const check = (kind: string, id: string): string | undefined =>
  id === ready ? undefined : id === pending ? `the ${kind} is not ready` : `there is no ${kind}`;

const p = (changes: Partial<ParameterDefinition>): ParameterDefinition => ({
  name: 'p',
  type: 'string',
  description: 'd',
  ...changes,
});

interface Row {
  readonly why: string;
  readonly defined?: Partial<ParameterDefinition>;
  readonly given?: string | readonly (readonly [string, string])[];
  /** The value that is passed on; null: the parameter is left out. */
  readonly passed?: string | null;
  /** A part of the message. */
  readonly refused?: RegExp;
}

const rows: readonly Row[] = [
  { why: 'an undeclared name', given: [['q', 'x']], refused: /no parameter 'q'/ },
  { why: 'a reserved name', given: [['ivcap:x', 'x']], refused: /reserved/ },
  { why: 'the other reserved prefix', given: [['cre:x', 'x']], refused: /reserved/ },
  {
    why: 'a name twice',
    given: [
      ['p', 'a'],
      ['p', 'a'],
    ],
    refused: /twice/,
  },
  { why: 'a constant with another value', defined: { constant: true, default: 'a' }, given: 'b', refused: /constant/ },
  { why: 'a constant with its value', defined: { constant: true, default: 'a' }, given: 'a', passed: 'a' },
  {
    why: 'a constant in another form',
    defined: { type: 'int', constant: true, default: '7' },
    given: '+07',
    passed: '7',
  },
  { why: 'a constant that is not given', defined: { constant: true, default: 'a' }, passed: 'a' },
  { why: 'a missing one with default', defined: { default: 'd', optional: false }, passed: 'd' },
  { why: 'a missing optional one', defined: { optional: true }, passed: null },
  { why: 'a missing one', refused: /is missing/ },
  { why: 'a missing bool', defined: { type: 'bool' }, passed: 'false' },
  { why: 'an empty string', given: '', passed: '' },
  { why: 'text with braces', given: '{{workflow.name}}', passed: '{{workflow.name}}' },
  { why: 'an int with sign and zeros', defined: { type: 'int' }, given: '+007', passed: '7' },
  { why: 'the largest int', defined: { type: 'int' }, given: '9223372036854775807', passed: '9223372036854775807' },
  { why: 'an int of more than 64 bits', defined: { type: 'int' }, given: '9223372036854775808', refused: /64 bits/ },
  { why: 'an int with a point', defined: { type: 'int' }, given: '1.0', refused: /integer/ },
  { why: 'a float in exponent form', defined: { type: 'float' }, given: '1e3', passed: '1e3' },
  { why: 'a float that is no number', defined: { type: 'float' }, given: 'NaN', refused: /finite/ },
  { why: 'an infinite float', defined: { type: 'float' }, given: '1e999', refused: /finite/ },
  { why: 'a bool in capitals', defined: { type: 'bool' }, given: 'True', passed: 'true' },
  { why: 'a bool that is none', defined: { type: 'bool' }, given: 'yes', refused: /true or false/ },
  { why: 'an option', defined: { type: 'option', options: [{ value: 'a' }] }, given: 'a', passed: 'a' },
  { why: 'no such option', defined: { type: 'option', options: [{ value: 'a' }] }, given: 'A', refused: /one of 'a'/ },
  {
    why: 'a ready artifact',
    defined: { type: 'artifact' },
    given: `urn:ivcap:artifact:${ready}`,
    passed: `urn:ivcap:artifact:${ready}`,
  },
  {
    why: 'an artifact that is not ready',
    defined: { type: 'artifact' },
    given: `urn:ivcap:artifact:${pending}`,
    refused: /not ready/,
  },
  {
    why: "another tenant's artifact",
    defined: { type: 'artifact' },
    given: `urn:ivcap:artifact:${foreign}`,
    refused: /there is no artifact/,
  },
  { why: 'an artifact by URL', defined: { type: 'artifact' }, given: 'https://x.test/a', passed: 'https://x.test/a' },
  {
    why: 'an artifact by URN of a URL',
    defined: { type: 'artifact' },
    given: 'urn:https://x.test/a',
    passed: 'urn:https://x.test/a',
  },
  { why: 'an artifact by bare UUID', defined: { type: 'artifact' }, given: ready, refused: /URN/ },
  {
    why: 'a collection',
    defined: { type: 'collection' },
    given: `urn:ivcap:collection:${ready}`,
    passed: `urn:ivcap:collection:${ready}`,
  },
  {
    why: 'an artifact as a collection of one',
    defined: { type: 'collection' },
    given: `urn:ivcap:artifact:${ready}`,
    passed: `urn:ivcap:artifact:${ready}`,
  },
  {
    why: 'a queue as a collection',
    defined: { type: 'collection' },
    given: `urn:ivcap:queue:${ready}`,
    passed: `urn:ivcap:queue:${ready}`,
  },
  {
    why: "another tenant's collection",
    defined: { type: 'collection' },
    given: `urn:ivcap:collection:${foreign}`,
    refused: /there is no collection/,
  },
  {
    why: 'a queue',
    defined: { type: 'queue' },
    given: `urn:ivcap:queue:${ready}`,
    passed: `urn:ivcap:queue:${ready}`,
  },
  {
    why: "another tenant's queue",
    defined: { type: 'queue' },
    given: `urn:ivcap:queue:${foreign}`,
    refused: /there is no queue/,
  },
  {
    why: 'a default that refers to what is gone',
    defined: { type: 'queue', default: `urn:ivcap:queue:${foreign}` },
    refused: /there is no queue/,
  },
];

describe('verification of parameters', () => {
  for (const { why, defined = {}, given, passed, refused } of rows)
    test(`${why}: ${refused === undefined ? `is passed on as ${JSON.stringify(passed)}` : `is refused, ${refused}`}`, () => {
      const supplied = given === undefined ? [] : typeof given === 'string' ? [['p', given] as const] : given;
      const verified = verifyParameters(
        [p(defined)],
        supplied.map(([name, value]) => ({ name, value })),
        check,
      );
      if (refused !== undefined) return assert.match(verified.problem?.message ?? 'accepted', refused);
      assert.ok(verified.problem === undefined, JSON.stringify(verified));
      assert.deepEqual(verified.values, passed === null ? [] : [{ name: 'p', value: passed }]);
    });

  test('reports an undeclared name before anything else, and keeps the order of the definitions', () => {
    const defined = [p({ name: 'a', type: 'int' }), p({ name: 'b', default: 'x' })];
    const first = verifyParameters(
      defined,
      [
        { name: 'a', value: 'no' },
        { name: 'zz', value: '' },
      ],
      check,
    );
    assert.equal(first.problem?.name, 'zz');
    const second = verifyParameters(
      defined,
      [
        { name: 'b', value: 'y' },
        { name: 'a', value: '1' },
      ],
      check,
    );
    assert.deepEqual(second.problem === undefined && second.values.map(({ name }) => name), ['a', 'b']);
  });
});

describe('the command line of a container', () => {
  test('has pairs in the order of the definitions, flags without value, and no value as text', () => {
    const defined = [
      p({ name: 'msg' }),
      p({ name: 'on', type: 'bool', unary: true }),
      p({ name: 'off', type: 'bool', unary: true }),
      p({ name: 'plain', type: 'bool' }),
      p({ name: 'odd name' }),
      p({ name: 'left-out', optional: true }),
    ];
    const values = workflowArguments([
      { name: 'msg', value: '{{evil}}' },
      { name: 'on', value: 'true' },
      { name: 'off', value: 'false' },
      { name: 'plain', value: 'false' },
      { name: 'odd name', value: 'x' },
    ]);
    assert.deepEqual(commandLine(defined, values), [
      ...['--msg', '{{workflow.parameters.msg}}', '--on', '--plain', '{{workflow.parameters.plain}}'],
      ...['--odd name', '{{workflow.parameters.parameter-4}}'],
    ]);
  });
});
