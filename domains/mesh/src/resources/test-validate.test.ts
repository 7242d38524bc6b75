import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceType } from '../model/resource.ts';
import { createResourceEncoder } from './encoding/resource-encoder.ts';
import { loadEnvoyProtos } from './proto/load-envoy-protos.ts';
import type { ResourceMessages } from './proto/messages.ts';
import { problemsOf } from './test-validate.ts';

interface Case<Type extends ResourceType> {
  readonly why: string;
  readonly type: Type;
  readonly message: ResourceMessages[Type];
  readonly problem: RegExp;
}

const broken = <Type extends ResourceType>(broken: Case<Type>): Case<ResourceType> => broken;
const manyHeaders = Array.from({ length: 1001 }, () => ({ header: { key: 'k' } }));

const cases = [
  broken({ why: 'a name is needed', type: 'cluster', message: {}, problem: /name must have 1/ }),
  broken({
    why: 'a list must not be empty',
    type: 'route',
    message: { virtual_hosts: [{ name: 'v' }] },
    problem: /virtual_hosts\.0\.domains must have 1 items/,
  }),
  broken({
    why: 'a list must not be too long',
    type: 'route',
    message: { request_headers_to_add: manyHeaders },
    problem: /request_headers_to_add must have 1000 items or less/,
  }),
  broken({
    why: 'a message is required',
    type: 'route',
    message: { virtual_hosts: [{ name: 'v', domains: ['*'], routes: [{ non_forwarding_action: {} }] }] },
    problem: /routes\.0\.match is required/,
  }),
  broken({
    why: 'one of several is needed',
    type: 'route',
    message: { virtual_hosts: [{ name: 'v', domains: ['*'], routes: [{ match: { prefix: '/' } }] }] },
    problem: /routes\.0 needs one of action/,
  }),
  broken({
    why: 'a wrapped number is too small',
    type: 'endpoints',
    message: { cluster_name: 'c', endpoints: [{ load_balancing_weight: { value: 0 } }] },
    problem: /load_balancing_weight must be >= 1/,
  }),
  broken({
    why: 'a number is too great',
    type: 'endpoints',
    message: { cluster_name: 'c', endpoints: [{ priority: 129 }] },
    problem: /priority must be <= 128/,
  }),
  broken({
    why: 'a duration must be positive',
    type: 'cluster',
    message: { name: 'c', connect_timeout: { seconds: 0 } },
    problem: /connect_timeout must be > 0/,
  }),
];

for (const { why, type, message, problem } of cases)
  test(`the validator sees that ${why}`, async () => {
    const root = await loadEnvoyProtos();
    const resource = createResourceEncoder(root).encode(type, 'r', message);
    assert.match(problemsOf(root, resource).join('\n'), problem);
  });

test('the validator checks packed messages', async () => {
  const root = await loadEnvoyProtos();
  const { pack, encode } = createResourceEncoder(root);
  const typed_config = pack('envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy', {
    stat_prefix: '',
    weighted_clusters: { clusters: [{ name: 'c', weight: 0 }] },
    idle_timeout: {},
    max_connect_attempts: { value: 1 },
  });
  const resource = encode('listener', 'l', { name: 'l', filter_chains: [{ filters: [{ name: 'f', typed_config }] }] });
  const problems = problemsOf(root, resource).join('\n');
  assert.match(problems, /TcpProxy\]\.stat_prefix must have 1/);
  assert.match(problems, /clusters\.0\.weight must be >= 1/);
});
