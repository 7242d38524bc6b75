import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEndpointSet } from './check-endpoint-set.ts';

const endpoint = (ip: string) => ({ ip, port: 80, portName: '', state: 'Running' as const, weight: 1 });

test('an EndpointSet has addresses of machines only', () => {
  assert.deepEqual(checkEndpointSet({ service: 'web', endpoints: [endpoint('10.0.0.1'), endpoint('fd00::1')] }), []);
  const problems = checkEndpointSet({
    service: 'web',
    endpoints: [endpoint('10.0.0.1'), endpoint('web.test'), endpoint('::')],
  });
  assert.deepEqual(
    problems.map(({ field }) => field),
    ['spec.endpoints[1].ip', 'spec.endpoints[2].ip'],
  );
});
