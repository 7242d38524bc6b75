import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OrdersError } from '../../errors.ts';
import { appServerModel } from './app-server-model.ts';

const artifact = 'urn:ivcap:artifact:00000000-0000-4000-8000-000000000001';

describe('the controller of a site', () => {
  const cases: readonly (readonly [fields: Readonly<Record<string, unknown>>, outcome: string])[] = [
    [{ host: 'site.example', artifact }, 'accepted'],
    [{ host: 'site.example', artifact, '404': '/index.html', further: true }, 'accepted'],
    [{ artifact }, 'controller.host'],
    [{ host: 'localhost', artifact }, 'controller.host'],
    [{ host: 'site.example' }, 'controller.artifact'],
    [{ host: 'site.example', artifact: 'urn:ivcap:order:x' }, 'controller.artifact'],
    [{ host: 'site.example', artifact, '404': 7 }, 'controller.404'],
    [{ host: 'site.example', artifact, '404': '../up' }, 'controller.404'],
  ];
  for (const [fields, outcome] of cases)
    test(`${JSON.stringify(fields)}: ${outcome}`, () => {
      try {
        appServerModel.verifyController({ $schema: appServerModel.schema, ...fields });
        assert.equal('accepted', outcome);
      } catch (error) {
        assert.ok(error instanceof OrdersError, String(error));
        assert.deepEqual([error.restCode, error.facts.name], ['invalid', outcome]);
      }
    });
});
