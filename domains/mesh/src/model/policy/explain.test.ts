import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explain } from './explain.ts';
import { allow, divide, get, httpPort, needsOf, shop, type TestMesh, tcpPort } from './test-policy-deps.ts';

const services = { web: 'web', api: 'api', 'api-v1': 'api', 'api-v2': 'api-two', empty: undefined };
const ports = { api: [httpPort, tcpPort] };

const ask = (
  mesh: Partial<TestMesh>,
  call: { from?: string; to?: string; method?: string; path?: string; port?: number } = {},
) => {
  const { from = 'web', to = 'api', ...request } = call;
  return explain(
    { source: shop(from), service: shop(to), method: 'GET', path: '/users/1', ...request },
    needsOf({ services, ports, ...mesh }),
  );
};

describe('a call is explained', () => {
  const targets = [allow('web', 'api')];
  const cases: readonly {
    why: string;
    mesh?: Partial<TestMesh>;
    call?: Parameters<typeof ask>[1];
    verdict: string;
    says: RegExp;
  }[] = [
    {
      why: 'an unknown service',
      call: { to: 'nobody' },
      verdict: 'denied',
      says: /no cluster .* has a service shop\/nobody/,
    },
    { why: 'an unknown port', call: { port: 81 }, verdict: 'denied', says: /no port 81; it has 80, 5432/ },
    { why: 'no target', verdict: 'denied', says: /no TrafficTarget lets shop\/web call shop\/api/ },
    { why: 'no endpoints', call: { to: 'empty' }, verdict: 'denied', says: /no endpoint/ },
    { why: 'permission', mesh: { isPermissive: true }, verdict: 'allowed', says: /permissive/ },
    { why: 'a target', mesh: { targets }, verdict: 'allowed', says: /TrafficTarget shop\/web-to-api allows it/ },
    { why: 'another method', mesh: { targets }, call: { method: 'POST' }, verdict: 'denied', says: /but not for this/ },
    {
      why: 'an escaped slash, although the rest would be allowed',
      mesh: { targets },
      call: { path: '/users/..%2fadmin' },
      verdict: 'denied',
      says: /escaped slash .* reject it with 400/,
    },
    {
      why: 'an escaped backslash in a permissive mesh',
      mesh: { isPermissive: true },
      call: { path: '/users%5c..' },
      verdict: 'denied',
      says: /reject it with 400/,
    },
    {
      why: 'the path in its usual form',
      mesh: { targets },
      call: { path: '/x/..//users/1?a=%2f' },
      verdict: 'allowed',
      says: /allows it/,
    },
    {
      why: 'a path that leads elsewhere',
      mesh: { targets },
      call: { path: '/users/../admin' },
      verdict: 'denied',
      says: /not for this/,
    },
    { why: 'a TCP port', mesh: { targets }, call: { port: 5432 }, verdict: 'denied', says: /not for this/ },
  ];
  for (const { why, mesh = {}, call = {}, verdict, says } of cases) {
    test(`by ${why}`, () => {
      const explanation = ask(mesh, call);
      assert.equal(explanation.verdict, verdict);
      assert.match(explanation.message, says);
    });
  }

  test('by the match that holds', () => {
    assert.deepEqual(ask({ targets }).destinations[0]?.access.allowedBy, { target: 'shop/web-to-api', match: 'get' });
  });

  const misses: readonly {
    why: string;
    target: Parameters<typeof allow>[2];
    call: Parameters<typeof ask>[1];
    says: RegExp;
  }[] = [
    { why: 'method', target: {}, call: { method: 'POST' }, says: /method must be GET/ },
    { why: 'path', target: {}, call: { path: '/admin/users' }, says: /path must begin like \/users/ },
    { why: 'header', target: { http: [{ ...get, headers: { a: 'b' } }] }, call: {}, says: /header a must be like b/ },
    { why: 'port of HTTP', target: { httpPorts: [81] }, call: {}, says: /port must be 81/ },
    { why: 'port of TCP', target: { tcpPorts: [1] }, call: { port: 5432 }, says: /port must be 1/ },
    { why: 'kind of route', target: { http: [], tcpPorts: 'all' }, call: {}, says: /no HTTPRouteGroup with matches/ },
    { why: 'route for TCP', target: {}, call: { port: 5432 }, says: /no TCPRoute that exists/ },
  ];
  for (const { why, target, call, says } of misses) {
    test(`by what is in the way: ${why}`, () => {
      const { destinations } = ask({ targets: [allow('web', 'api', target)] }, call);
      assert.match(destinations[0]?.access.nearMisses[0]?.why ?? '', says);
    });
  }
});

describe('a divided call is explained', () => {
  const splits = [divide('web', { 'api-v1': 1, 'api-v2': 3 })];

  test('by its shares, each with its own access', () => {
    const { verdict, split, destinations } = ask({ splits, targets: [allow('web', 'api')] }, { to: 'web' });
    assert.deepEqual([verdict, split?.source, split?.applies], ['partly', 'shop/web', true]);
    assert.deepEqual(
      destinations.map(({ service, share, access }) => [service.name, share, access.isAllowed]),
      [
        ['api-v1', 0.25, true],
        ['api-v2', 0.75, false],
      ],
    );
  });

  test('as a whole when the split is about other requests', () => {
    const matching = [divide('web', { 'api-v1': 1 }, { matches: [{ ...get, methods: ['POST'] }] })];
    const targets = [allow('web', 'web')];
    const { split, destinations, verdict } = ask({ splits: matching, targets }, { to: 'web' });
    assert.deepEqual(
      [verdict, split?.applies, destinations.map(({ service }) => service.name)],
      ['allowed', false, ['web']],
    );
  });

  test('when all weights are 0', () => {
    const { verdict, message } = ask({ splits: [divide('web', { 'api-v1': 0 })], isPermissive: true }, { to: 'web' });
    assert.deepEqual([verdict, message], ['denied', 'the weights of the split add up to 0: no service gets the call']);
    const missing = ask({ splits: [divide('web', { gone: 1 })], isPermissive: true }, { to: 'web' });
    assert.match(missing.message, /^no backend of the split can take the call: .*shop\/gone \(no such service\)$/);
  });
});

const manyMatches = (pathRegex: (index: number) => string) => ({
  http: Array.from({ length: 1000 }, (_, index) => ({ ...get, name: `m${index}`, pathRegex: pathRegex(index) })),
});

test('many usual patterns are evaluated, and the first near misses reported', () => {
  const targets = [
    allow(
      'web',
      'api',
      manyMatches(index => `/users/[0-9]+/(orders|bills)/${index}/.*`),
    ),
  ];
  const path = `/users/12345/orders/999/${'x'.repeat(200)}`;
  assert.equal(ask({ targets }, { path }).verdict, 'allowed');
  const { verdict, destinations } = ask({ targets }, { path: '/users/12345/orders/none' });
  assert.deepEqual([verdict, destinations[0]?.access.nearMisses.length], ['denied', 50]);
});

test('the evaluation of hostile patterns is stopped', () => {
  const targets = [
    allow(
      'web',
      'api',
      manyMatches(() => '/(a?){400}b'),
    ),
  ];
  const splits = [divide('api', { 'api-v1': 1 }, { matches: targets[0]?.http ?? [] })];
  const path = `/${'a'.repeat(500)}`;
  const startedAt = performance.now();
  for (const mesh of [{ targets }, { targets, splits }])
    assert.throws(() => ask(mesh, { path }), /too many, or too large/);
  assert.ok(performance.now() - startedAt < 20_000, 'without a limit it would take minutes');
});

test('a binding explains access, and its absence', () => {
  const grants = { api: [{ source: 'shop/binding', consumer: shop('web'), cluster: 'east' }] };
  const { verdict, message } = ask({ grants });
  assert.deepEqual(
    [verdict, message],
    ['allowed', 'ServiceBinding shop/binding allows it, to the account on cluster east'],
  );
  const other = ask({ grants, unproxied: ['api'] }, { from: 'cron' });
  assert.equal(other.verdict, 'denied');
  assert.match(other.message, /no ServiceBinding gives shop\/cron access to the service instance shop\/api/);
});
