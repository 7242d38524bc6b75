import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  defaultsOf,
  type FormSchema,
  fieldsOf,
  isFurther,
  problemsIn,
  readField,
  valueAt,
  withValue,
} from './schema-fields.ts';

const schema: FormSchema = {
  type: 'object',
  required: ['version', 'storage'],
  properties: {
    version: { type: 'string', enum: ['16', '17'], default: '17' },
    storage: {
      type: 'object',
      required: ['gigabytes'],
      properties: { gigabytes: { type: 'integer', description: 'The size.' }, fast: { type: ['boolean', 'null'] } },
    },
    hosts: { type: 'array', items: { type: 'string' } },
    rules: { type: 'array', items: { type: 'object' } },
    extra: { type: 'object' },
  },
};

test('nested objects have their fields among the others, by path', () => {
  const fields = fieldsOf(schema).map(({ path, type, isRequired }) => [path.join('.'), type, isRequired]);
  assert.deepEqual(fields, [
    ['version', 'choice', true],
    ['storage.gigabytes', 'integer', true],
    ['storage.fast', 'boolean', false],
    ['hosts', 'list', false],
    ['rules', 'structure', false],
    ['extra', 'structure', false],
  ]);
});

test('optional lists, structures and parts of them are needed by few', () => {
  const names = fieldsOf(schema)
    .filter(isFurther)
    .map(({ path }) => path.join('.'));
  assert.deepEqual(names, ['storage.fast', 'hosts', 'rules', 'extra']);
});

test('a form begins with the defaults and says what is missing', () => {
  const fields = fieldsOf(schema);
  const values = defaultsOf(fields);
  assert.deepEqual(values, { version: '17' });
  assert.deepEqual(problemsIn(fields, values), ['storage.gigabytes is required']);
  const wrong = withValue(values, ['storage', 'gigabytes'], 1.5);
  assert.deepEqual(problemsIn(fields, wrong), ['storage.gigabytes must be a whole number']);
});

test('removing the last value of an object removes the object', () => {
  const values = withValue({ version: '16' }, ['storage', 'gigabytes'], 5);
  assert.equal(valueAt(values, ['storage', 'gigabytes']), 5);
  assert.deepEqual(withValue(values, ['storage', 'gigabytes'], undefined), { version: '16' });
});

test('the text of a field is read as its type', () => {
  assert.equal(readField({ type: 'integer' }, '5'), 5);
  assert.equal(readField({ type: 'text' }, '5'), '5');
  assert.deepEqual(readField({ type: 'list' }, 'a\nb\n'), ['a', 'b']);
  assert.equal(readField({ type: 'text' }, ''), undefined);
});
