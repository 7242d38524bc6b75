import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { WorkflowError } from '../errors.ts';
import {
  compileExpression,
  type Environment,
  type EvaluateOptions,
  evaluateExpression,
  referencedPaths,
} from './expression.ts';
import { insertedText } from './inserted-text.ts';
import { languageErrors, languageValues } from './test-language-rows.ts';
import { sprigErrors, sprigValues } from './test-sprig-rows.ts';

const evaluate = (source: string, env: Environment = {}, options: EvaluateOptions = {}): unknown =>
  evaluateExpression(compileExpression(source), env, options);

const textOf = (source: string): string | null => {
  const value = evaluateExpression(compileExpression(source), {});
  return value === undefined ? null : insertedText(value);
};

describe('values are those of the genuine library', () => {
  for (const [source, text] of [...languageValues, ...sprigValues])
    test(source, () => assert.equal(textOf(source), text));
});

describe('messages are those of the genuine library', () => {
  for (const [source, message] of [...languageErrors, ...sprigErrors]) {
    test(source, () => assert.throws(() => textOf(source), { name: 'WorkflowError', message }));
  }
});

const env = { inputs: { parameters: { count: '3', 'my-name': 'x' } }, workflow: { name: 'wf' } };

test('names of the environment are read, with members that names cannot spell', () => {
  assert.equal(evaluate('asInt(inputs.parameters.count) + 1', env), 4);
  assert.equal(evaluate("inputs.parameters['my-name'] + workflow.name", env), 'xwf');
});

test('a member that is not there is nil, and may be replaced', () => {
  assert.equal(evaluate('workflow.status', env), undefined);
  assert.equal(evaluate("workflow.status ?? 'none'", env), 'none');
  assert.equal(evaluate('workflow.a?.b.c', env), undefined);
  assert.throws(() => evaluate('workflow.a.b', env), { message: /^cannot fetch b from <nil> \(1:12\)/ });
});

test('a name that is not there is an error, also where it is not evaluated', () => {
  assert.throws(() => evaluate('true ? 1 : steps', env), { code: 'expression-failed', message: /^unknown name steps/ });
});

for (const key of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
  test(`nothing is reached by ${key}`, () => {
    assert.equal(evaluate(`workflow.${key}`, env), undefined);
    assert.equal(evaluate(`fromJSON('{}')["${key}"]`), undefined);
    assert.equal(evaluate(`{a: 1}.${key}`), undefined);
    assert.throws(() => evaluate(key), { code: 'expression-failed' });
    assert.throws(() => evaluate(`${key}()`), WorkflowError);
    assert.throws(() => evaluate(`"text".${key}`), WorkflowError);
    assert.throws(() => evaluate(`[1].${key}`), WorkflowError);
  });
}

test('keys that objects of JavaScript treat specially are keys', () => {
  assert.equal(textOf(`{"__proto__": 1, "constructor": 2}`), '{"__proto__":1,"constructor":2}');
  assert.equal(textOf(`fromJSON('{"__proto__": {"a": 1}}').__proto__.a`), '1');
});

test('the time and random numbers come from the caller alone', () => {
  assert.equal(evaluate("now().Format('2006')", {}, { now: 0 }), '1970');
  assert.equal(evaluate("sprig.date('2006', '')", {}, { now: 0 }), '1970');
  assert.equal(evaluate('sprig.randNumeric(3)', {}, { random: () => 0 }), '000');
  assert.match(
    String(evaluate('sprig.uuidv4()', {}, { random: () => 0.5 })),
    /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
  );
  assert.throws(() => evaluate('now()'), { code: 'expression-failed' });
  assert.throws(() => evaluate('sprig.uuidv4()'), { code: 'expression-failed' });
});

test('the environment of the process and the network are not reached', () => {
  for (const source of ["sprig.env('HOME')", "sprig.expandenv('$HOME')", "sprig.getHostByName('localhost')"]) {
    assert.throws(() => evaluate(source), { code: 'expression-failed' });
  }
});

test('paths that an expression reads are found', () => {
  const paths = (source: string): string[] => referencedPaths(compileExpression(source)).map(path => path.join('.'));
  assert.deepEqual(paths("inputs.parameters['a'] + item.x + string(retries)"), [
    'inputs.parameters.a',
    'item.x',
    'retries',
  ]);
  assert.deepEqual(paths('workflow.parameters[item]'), ['workflow.parameters', 'item']);
  assert.deepEqual(paths('lastRetry.exitCode ?? workflow?.status'), ['lastRetry.exitCode', 'workflow.status']);
});

describe('an expression ends within its limits', () => {
  const costly = [
    'map(1..1000000, map(1..1000000, 1))',
    'reduce(1..100000, #acc + #acc, "x")',
    'let a = repeat("x", 1000000); let b = repeat(a, 1000000); b',
    `${Array.from({ length: 60 }, (_, at) => `let v${at + 1} = [v${at}, v${at}];`)
      .join(' ')
      .replace('v0, v0', '1, 1')} v60`,
    'sprig.repeat(999999999, "x")',
    'sprig.until(999999999)',
    'sprig.indent(999999999, "a")',
    'repeat("a", 1000000) matches "(a*)*(a*)*(a*)*(a*)*(a*)*b"',
    'replace(repeat("a", 1000000), "", repeat("b", 1000000))',
    'join(split(repeat("a", 1000000), ""), repeat("b", 1000000))',
    'reduce(1..100000, [#acc], [1])',
    'flatten(reduce(1..20000, [#acc, #acc], [1]))',
    'toJSON(reduce(1..30, [#acc, #acc], [1]))',
  ];
  for (const source of costly) {
    test(source.slice(0, 60), () => {
      const started = process.cpuUsage();
      assert.throws(
        () => evaluate(source),
        (error: unknown) => isError(error, 'expression-too-costly', 'expression-failed'),
      );
      assert.ok(process.cpuUsage(started).user < 5_000_000, 'it took more than 5 s');
    });
  }
});

test('a large or deeply nested expression is refused', () => {
  for (const source of [
    '('.repeat(20_000),
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
    `1${'+1'.repeat(20_000)}`,
    '!'.repeat(10_000),
    '-'.repeat(10_000),
  ]) {
    assert.throws(() => compileExpression(source), { code: 'invalid-expression' });
  }
});
