import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OpenApi, operationsOf } from './open-api.ts';
import { curlOf, fillable, missingValues, requestOf } from './try-request.ts';

const document: OpenApi = {
  paths: {
    '/clusters/{cluster}/things/{id}': {
      put: {
        parameters: [
          { name: 'cluster', in: 'path', required: true },
          { name: 'id', in: 'path' },
          { name: 'dryRun', in: 'query' },
          { name: 'X-Note', in: 'header' },
          { name: 'Authorization', in: 'header', required: true },
          { name: 'Impersonate-User', in: 'header' },
          { name: 'session', in: 'cookie' },
        ],
        requestBody: { content: { 'application/json': {} } },
      },
    },
  },
};
const [operation] = operationsOf(document);
assert.ok(operation);

const values = {
  'path cluster': 'a/../b',
  'path id': 'x?y#z',
  'query dryRun': 'All',
  'header X-Note': "it's",
  'header Authorization': 'Bearer mine',
  'header Impersonate-User': 'root',
  'cookie session': 'c',
};

test('values become a request, and cannot change its path or identity', () => {
  const request = requestOf(operation, { values, body: '{}' });
  assert.equal(request.path, '/clusters/a%2F..%2Fb/things/x%3Fy%23z?dryRun=All');
  assert.deepEqual(request.headers, { 'X-Note': "it's", 'content-type': 'application/json' });
  assert.deepEqual(
    fillable(operation).map(({ name }) => name),
    ['cluster', 'id', 'dryRun', 'X-Note'],
  );
});

test('parameters that must be given are named', () => {
  assert.deepEqual(missingValues(operation, { values: { 'path id': 'x' }, body: '' }), ['cluster']);
});

test('the command has no token, and quotes what users typed', () => {
  const command = curlOf(requestOf(operation, { values, body: `{"a":"it's"}` }), 'https://here');
  assert.match(command, /^curl -X PUT --cacert ca\.crt -H "Authorization: Bearer \$TOKEN" /);
  assert.ok(command.includes(`--data-binary '{"a":"it'\\''s"}'`));
  assert.ok(!command.includes('mine') && !command.includes('root'));
});
