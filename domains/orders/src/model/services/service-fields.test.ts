import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { OrdersError } from '../../errors.ts';
import { controllerOf, workflowOf } from './convert-workflow.ts';
import { readService1, readService2 } from './service-fields.ts';

const controller = { $schema: 'urn:ivcap:schema.service.basic.1', image: 'alpine', command: ['sh'] };
const valid = { description: 'd', controller };
const fieldOf = (read: () => unknown): string | undefined => {
  try {
    read();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof OrdersError && isError(error, 'Orders:invalid'), String(error));
    return error.facts.name;
  }
};

describe('a service of generation 2', () => {
  const cases: readonly (readonly [changes: Readonly<Record<string, unknown>>, field: string | undefined])[] = [
    [{}, undefined],
    [{ description: undefined }, 'description'],
    [{ description: '' }, 'description'],
    [{ controller: undefined }, 'controller'],
    [{ controller: 'x' }, 'controller'],
    [{ controller: {} }, undefined],
    [{ 'controller-schema': 'urn:ivcap:schema:service.basic.1' }, undefined],
    [{ 'controller-schema': 'urn:ivcap:schema:service.batch.1' }, 'controller-schema'],
    [{ tags: 'x' }, 'tags'],
    [{ parameters: {} }, 'parameters'],
    [{ parameters: [{ name: 'a' }] }, 'parameters[0].type'],
    [{ parameters: [{ name: 'a', type: 'what' }] }, 'parameters[0].type'],
    [{ parameters: [{ name: 'a', type: 'int', default: 7 }] }, undefined],
    [{ parameters: [{ name: 'a', type: 'option', options: [{}] }] }, 'parameters[0].options[0].value'],
    [{ 'request-schema': [] }, 'request-schema'],
  ];
  for (const [changes, field] of cases)
    test(`with ${JSON.stringify(changes)}: ${field ?? 'is accepted'}`, () =>
      assert.equal(
        fieldOf(() => readService2({ ...valid, ...changes })),
        field,
      ));

  test('keeps the spelling of the author, fills the policy, and echoes what it does not know', () => {
    const spec = readService2({ ...valid, colour: 'red', status: 'mine' });
    assert.equal(spec.controllerSchema, controller.$schema);
    assert.equal(spec.policy, 'urn:ivcap:policy:ivcap.open.service');
    assert.deepEqual(spec.extra, { colour: 'red' });
  });
});

describe('a service of generation 1', () => {
  const basic = { image: 'alpine', command: ['sh'], cpu: {} };
  const cases: readonly (readonly [workflow: unknown, field: string | undefined])[] = [
    [{ type: 'basic', basic }, undefined],
    [{ type: 'argo', argo: { spec: {} } }, undefined],
    [undefined, 'workflow'],
    [{ type: 'other' }, 'workflow.type'],
    [{ type: 'basic' }, 'workflow.basic'],
    [{ type: 'basic', basic: { image: 'x' } }, 'workflow.basic.command'],
    [{ type: 'basic', basic: { command: [] } }, 'workflow.basic.image'],
  ];
  for (const [workflow, field] of cases)
    test(`with ${JSON.stringify(workflow)}: ${field ?? 'is accepted'}`, () =>
      assert.equal(
        fieldOf(() => readService1({ description: 'd', parameters: [], workflow })),
        field,
      ));

  test('is read as one of generation 2, and back', () => {
    const ofBasic = controllerOf({ workflow: { type: 'basic', basic } });
    assert.deepEqual(ofBasic, { $schema: 'urn:ivcap:schema:service.basic.1', ...basic });
    const document = { kind: 'Workflow' };
    const ofArgo = controllerOf({ workflow: { type: 'argo', argo: document } });
    assert.deepEqual(ofArgo, { $schema: 'urn:ivcap:schema:service.argo.1', workflow: document });
    for (const workflow of [
      { type: 'basic', basic },
      { type: 'argo', argo: document },
    ])
      assert.deepEqual(workflowOf({ controller: controllerOf({ workflow }) ?? {} }), workflow);
    assert.equal(workflowOf({ controller: { $schema: 'urn:ivcap:schema:service.rest.1' } }), undefined);
    assert.equal(controllerOf({ workflow: { type: 'nonsense' } }), undefined);
  });
});
