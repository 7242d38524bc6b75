import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { attributesOfPath, attributesOfResource, verbOf } from './request-attributes.ts';
import { parseRequestPath, type RequestPath, type ResourcePath } from './request-path.ts';

const core = { type: 'resource', group: '', version: 'v1' } as const;
const apps = { type: 'resource', group: 'apps', version: 'v1' } as const;

const paths: readonly [string, RequestPath][] = [
  ['/', { type: 'root' }],
  ['/readyz', { type: 'health', check: 'readyz' }],
  ['/livez/ping', { type: 'health', check: 'livez' }],
  ['/version', { type: 'version' }],
  ['/version/x', { type: 'unknown' }],
  ['/api', { type: 'discovery', root: '/api' }],
  ['/api/', { type: 'discovery', root: '/api' }],
  ['/apis', { type: 'discovery', root: '/apis' }],
  ['/apis/apps', { type: 'group', group: 'apps' }],
  ['/api/v1', { type: 'groupVersion', group: '', version: 'v1' }],
  ['/apis/apps/v1', { type: 'groupVersion', group: 'apps', version: 'v1' }],
  ['/openapi/v3', { type: 'openapi', document: '' }],
  ['/openapi/v3/apis/apps/v1', { type: 'openapi', document: 'apis/apps/v1' }],
  ['/openapi/v2', { type: 'openapiV2' }],
  ['/.well-known/openid-configuration', { type: 'issuer', document: 'configuration' }],
  ['/openid/v1/jwks', { type: 'issuer', document: 'keys' }],
  ['/api/v1/pods', { ...core, plural: 'pods' }],
  ['/api/v1/namespaces', { ...core, plural: 'namespaces' }],
  ['/api/v1/namespaces/a', { ...core, plural: 'namespaces', name: 'a' }],
  ['/api/v1/namespaces/a/status', { ...core, plural: 'namespaces', name: 'a', subresource: 'status' }],
  ['/api/v1/namespaces/a/finalize', { ...core, plural: 'namespaces', name: 'a', subresource: 'finalize' }],
  ['/api/v1/namespaces/a/pods', { ...core, namespace: 'a', plural: 'pods' }],
  ['/api/v1/namespaces/a/pods/p', { ...core, namespace: 'a', plural: 'pods', name: 'p' }],
  ['/api/v1/namespaces/a/pods/p/log', { ...core, namespace: 'a', plural: 'pods', name: 'p', subresource: 'log' }],
  [
    '/apis/apps/v1/namespaces/a/deployments/d/scale',
    { ...apps, namespace: 'a', plural: 'deployments', name: 'd', subresource: 'scale' },
  ],
  ['/api/v1/nodes/n/status', { ...core, plural: 'nodes', name: 'n', subresource: 'status' }],
  ['/api/v1/nodes/a%2Fb', { ...core, plural: 'nodes', name: 'a/b' }],
  ['/api//v1', { type: 'unknown' }],
  ['/metrics', { type: 'unknown' }],
];

describe('a request path', () => {
  for (const [path, expected] of paths) {
    test(`${path} addresses ${expected.type}`, () => assert.deepEqual(parseRequestPath(path), expected));
  }

  test('is rejected when it is badly encoded', () => {
    assert.throws(
      () => parseRequestPath('/api/v1/nodes/%zz'),
      error => isError(error, 'BadRequest'),
    );
  });
});

const resourcePath = (path: string): ResourcePath => parseRequestPath(path) as unknown as ResourcePath;

const verbs: readonly [method: string, path: string, query: string, verb: string | undefined][] = [
  ['GET', '/api/v1/pods', '', 'list'],
  ['GET', '/api/v1/pods', 'watch=true', 'watch'],
  ['GET', '/api/v1/pods', 'watch=1', 'watch'],
  ['GET', '/api/v1/pods', 'watch=false', 'list'],
  ['GET', '/api/v1/namespaces/a/pods/p', '', 'get'],
  ['POST', '/api/v1/namespaces/a/pods', '', 'create'],
  ['POST', '/api/v1/namespaces/a/pods/p', '', undefined],
  ['PUT', '/api/v1/namespaces/a/pods/p', '', 'update'],
  ['PUT', '/api/v1/namespaces/a/pods', '', undefined],
  ['PATCH', '/api/v1/namespaces/a/pods/p', '', 'patch'],
  ['DELETE', '/api/v1/namespaces/a/pods/p', '', 'delete'],
  ['DELETE', '/api/v1/namespaces/a/pods', '', 'deletecollection'],
  ['OPTIONS', '/api/v1/pods', '', undefined],
];

describe('the attributes of a request', () => {
  for (const [method, path, query, verb] of verbs) {
    test(`${method} ${path}?${query} is ${verb ?? 'no verb'}`, () => {
      assert.equal(verbOf(resourcePath(path), method, new URLSearchParams(query)), verb);
    });
  }

  const attributes = (method: string, path: string, query = '') =>
    attributesOfResource(resourcePath(path), method, new URLSearchParams(query));

  test('name sub-resources, and POST on them is create', () => {
    assert.deepEqual(attributes('POST', '/api/v1/namespaces/a/serviceaccounts/s/token'), {
      verb: 'create',
      group: '',
      resource: 'serviceaccounts',
      subresource: 'token',
      namespace: 'a',
      name: 's',
    });
  });

  test('put a namespace into itself', () => {
    const { namespace, name } = attributes('GET', '/api/v1/namespaces/a');
    assert.deepEqual([namespace, name], ['a', 'a']);
  });

  test('count a list of one named object as access to that object', () => {
    assert.equal(attributes('GET', '/api/v1/namespaces/a/pods', 'fieldSelector=metadata.name%3Dp').name, 'p');
    assert.equal(attributes('GET', '/api/v1/namespaces/a/pods', 'fieldSelector=metadata.name!%3Dp').name, '');
    assert.equal(attributes('GET', '/api/v1/namespaces/a/pods', 'fieldSelector=metadata.name').name, '');
  });

  test('of other paths are the path and the method', () => {
    assert.deepEqual(attributesOfPath('/api/', 'GET'), { verb: 'get', path: '/api' });
    assert.deepEqual(attributesOfPath('/', 'HEAD'), { verb: 'get', path: '/' });
  });
});
