import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forbidden } from './forbidden.ts';
import type { RequestAttributes } from './rbac.ts';
import { person } from './test-objects.ts';

const table: readonly (readonly [RequestAttributes, message: string, details: object])[] = [
  [
    { verb: 'get', group: '', resource: 'pods', namespace: 'd', name: 'x' },
    'pods "x" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "d"',
    { name: 'x', kind: 'pods' },
  ],
  [
    { verb: 'list', group: 'apps', resource: 'deployments', namespace: 'd' },
    'deployments.apps is forbidden: User "u" cannot list resource "deployments" in API group "apps" in the namespace "d"',
    { kind: 'deployments', group: 'apps' },
  ],
  [
    { verb: 'create', group: '', resource: 'namespaces' },
    'namespaces is forbidden: User "u" cannot create resource "namespaces" in API group "" at the cluster scope',
    { kind: 'namespaces' },
  ],
  [
    { verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: 'd', name: 'x' },
    'pods "x" is forbidden: User "u" cannot get resource "pods/log" in API group "" in the namespace "d"',
    { name: 'x', kind: 'pods' },
  ],
  [{ verb: 'get', path: '/x' }, 'forbidden: User "u" cannot get path "/x"', {}],
];

for (const [attributes, message, details] of table) {
  test(`a rejection says: ${message}`, () => {
    const error = forbidden(person('u'), attributes);
    assert.equal(error.code, 'Forbidden');
    assert.equal(error.message, message);
    assert.deepEqual(error.details, details);
  });
}
