import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetErrorCode } from '../errors.ts';
import { throwsFleetError } from '../test-errors.ts';
import { exampleConfiguration } from './configuration/test-document.ts';
import { checkInstanceName } from './names.ts';
import { sizeOfPlan, typeOfPlan } from './plan.ts';
import { findLocation, regionLimits } from './region.ts';

const configuration = exampleConfiguration();

const badNames: readonly [string, FleetErrorCode, string][] = [
  ['', 33, 'empty'],
  ['a'.repeat(33), 34, '33 characters'],
  ['A'.repeat(33), 34, 'length before pattern'],
  ['Upper', 32, 'capital'],
  ['1abc', 32, 'begins with a digit'],
  ['-abc', 32, 'begins with a dash'],
  ['abc-', 32, 'ends with a dash'],
  ['a b', 32, 'space'],
  ['ä', 32, 'not ASCII'],
  ['abc\n', 32, 'line break'],
];

for (const [name, number, why] of badNames)
  test(`a name is rejected with ${number}: ${why}`, () => {
    throwsFleetError(() => checkInstanceName(name), number, why);
  });

test('names of 1 to 32 characters are accepted', () => {
  for (const name of ['a', 'a1', 'a-b', 'a'.repeat(32)]) checkInstanceName(name);
});

const badPlans: readonly [string, FleetErrorCode, string][] = [
  ['standard', 21, 'no size'],
  ['standard.', 21, 'empty size'],
  ['.x1', 21, 'empty type'],
  ['standard.x1.y', 21, 'three parts'],
  ['magic.x1', 21, 'unknown type'],
  ['standard.x9', 42, 'unknown size'],
];

for (const [plan, number, why] of badPlans)
  test(`a plan is rejected with ${number}: ${why}`, () => {
    throwsFleetError(() => sizeOfPlan(typeOfPlan(plan, configuration)), number, why);
  });

test('a plan names type and size, a type alone means its first size', () => {
  assert.equal(sizeOfPlan(typeOfPlan('standard.x2', configuration)).id, 'x2');
  const type = typeOfPlan('standard.x2', configuration).type;
  assert.equal(sizeOfPlan({ type, sizeId: undefined }).id, 'x1');
});

test('provider and region have defaults, each of its own', () => {
  const find = (cloudProvider?: string, region?: string) =>
    findLocation({ cloudProvider, region }, configuration).region.name;
  assert.equal(find(), 'eu-central-1');
  assert.equal(find('aws'), 'eu-central-1');
  assert.equal(find(undefined, 'eu-north-1'), 'eu-north-1');
  assert.equal(find('', ''), 'eu-central-1');
});

test('unknown providers, regions and types of a region are rejected', () => {
  const error = throwsFleetError(() => findLocation({ cloudProvider: 'gcp', region: 'x' }, configuration), 30);
  assert.match(error.message, /gcp is not supported, supported providers are: aws/);
  throwsFleetError(() => findLocation({ cloudProvider: 'aws', region: 'x' }, configuration), 31);
  const north = findLocation({ cloudProvider: 'aws', region: 'eu-north-1' }, configuration);
  throwsFleetError(() => regionLimits(north, 'eval'), 41);
  assert.equal(regionLimits(north, 'standard').limit, 10);
});
