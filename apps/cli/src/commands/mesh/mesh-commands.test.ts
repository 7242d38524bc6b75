import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Script, startTestMeshServer } from '../../mesh/test-mesh-server.ts';

const answering =
  (answers: Readonly<Record<string, unknown>>): Script =>
  ({ path }) =>
    Object.hasOwn(answers, path) ? { body: answers[path] } : undefined;

describe('mesh status', () => {
  const proxy = {
    nodeId: 'web-1',
    identity: 'spiffe://d/web-1',
    namespace: 'shop',
    serviceAccount: 'web',
    cluster: 'onboarding',
    dialect: 'grpc',
    types: [
      {
        type: 'listener',
        state: 'ERROR',
        counts: { sent: 1, acked: 0 },
        error: { code: 3, message: 'bad', at: '2026-01-01T00:00:00Z' },
      },
    ],
  };

  test('shows who is connected, and exits with 0 even in trouble', async () => {
    await using mesh = await startTestMeshServer(
      answering({ '/mesh/v1/meshes/onboarding/proxies': { mesh: 'onboarding', items: [proxy] } }),
    );
    const { code, stdout, stderr } = await mesh.run('mesh', 'status');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Trouble:\n {2}web-1 +LDS: refused .+ ago: bad\n/);
    assert.match(stdout, /^web-1 +shop\/web +onboarding +grpc +- +- +ERROR 0\/1 +- +-$/m);
    assert.equal(mesh.requests[0]?.authorization, 'Bearer admin-token');
    const json = await mesh.run('mesh', 'status', '-o', 'json');
    assert.deepEqual(JSON.parse(json.stdout), { mesh: 'onboarding', items: [proxy] });
  });

  test('names replicas that do not answer', async () => {
    const list = { mesh: 'onboarding', items: [proxy], silentReplicas: ['b', 'c'] };
    await using mesh = await startTestMeshServer(answering({ '/mesh/v1/meshes/onboarding/proxies': list }));
    const { code, stdout, stderr } = await mesh.run('mesh', 'status');
    assert.match(stdout, /web-1/);
    const lines = ['b', 'c'].map(replica => `Replica ${replica} does not answer: its proxies are not shown.\n`);
    assert.deepEqual([code, stderr], [0, lines.join('')]);
  });

  test('says so when nobody is connected', async () => {
    await using mesh = await startTestMeshServer(
      answering({ '/mesh/v1/meshes/shops/proxies': { mesh: 'shops', items: [] } }),
    );
    const { code, stdout, stderr } = await mesh.run('mesh', 'status', '--mesh', 'shops');
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /^No proxy is connected to the mesh "shops"\.\n {2}Next: {2}npx chandlery .+\n$/);
  });

  test('of a mesh that is not there says what to do', async () => {
    await using mesh = await startTestMeshServer(() => undefined);
    const { code, stdout, stderr } = await mesh.run('mesh', 'status', '--mesh', 'no/such');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^Error: cannot show the proxies of the mesh\nWhy: {3}nothing at \/mesh\/v1\/meshes\/no%2Fsuch\/proxies\nNext: {2}Name the mesh with --mesh: .+\nCode: {2}\w+\n$/,
    );
  });
});

describe('mesh config', () => {
  test('prints what the proxy was told, as it came', async () => {
    const config = { mesh: 'onboarding', items: [{ nodeId: 'a b', config: { cluster: [] } }] };
    await using mesh = await startTestMeshServer(answering({ '/mesh/v1/meshes/onboarding/proxies/a%20b': config }));
    assert.deepEqual(JSON.parse((await mesh.run('mesh', 'config', 'a b')).stdout), config);
    assert.match((await mesh.run('mesh', 'config', 'a b', '-o', 'yaml')).stdout, /^mesh: onboarding\n/);
    assert.match((await mesh.run('mesh', 'config', 'other')).stderr, /^Next: {2}See who is connected/m);
    assert.equal((await mesh.run('mesh', 'config', 'other', '-o', 'table')).code, 2);
  });
});

describe('mesh endpoints', () => {
  const service = {
    namespace: 'shop',
    name: 'api',
    ports: [],
    addresses: [],
    clusters: ['onboarding'],
    serviceAccounts: [],
    endpoints: [{ ip: '10.1.0.1', port: 8080, portName: '', health: 'draining', cluster: 'onboarding' }],
    staleProviders: [],
  };

  test('shows where a service runs', async () => {
    await using mesh = await startTestMeshServer(
      answering({ '/mesh/v1/meshes/onboarding/services/shop/api/endpoints': service }),
    );
    const { code, stdout } = await mesh.run('mesh', 'endpoints', 'shop/api');
    assert.equal(code, 0);
    assert.match(stdout, /^Service: +shop\/api$/m);
    assert.match(stdout, /^10\.1\.0\.1 +8080 +draining +onboarding /m);
    assert.deepEqual(JSON.parse((await mesh.run('mesh', 'endpoints', 'shop/api', '-o=json')).stdout), service);
    assert.match((await mesh.run('mesh', 'endpoints', 'shop/none')).stderr, /^Next: {2}See what there is/m);
  });
});

describe('mesh explain', () => {
  const explained = (verdict: string) => ({ verdict, message: `it is ${verdict}`, destinations: [] });
  const cases = [
    { verdict: 'allowed', code: 0 },
    { verdict: 'partly', code: 0 },
    { verdict: 'denied', code: 1 },
  ];
  for (const { verdict, code } of cases) {
    test(`exits with ${code} when a call is ${verdict}, and explains it on stdout`, async () => {
      await using mesh = await startTestMeshServer(() => ({ body: explained(verdict) }));
      const ran = await mesh.run('mesh', 'explain', 'shop/web', 'shop/api');
      assert.deepEqual([ran.code, ran.stderr], [code, '']);
      assert.match(ran.stdout, new RegExp(`: it is ${verdict}\n$`));
      assert.equal(mesh.requests[0]?.path, '/mesh/v1/meshes/onboarding/explain?from=shop%2Fweb&to=shop%2Fapi');
    });
  }

  test('asks about the request and the port that are given', async () => {
    await using mesh = await startTestMeshServer(() => ({ body: explained('allowed') }));
    const { stdout } = await mesh.run(
      ...['mesh', 'explain', 'shop/web', 'shop/api', 'get', '/a?b=c', '--port', '80', '--mesh', 'm', '-o', 'json'],
    );
    const { pathname, searchParams } = new URL(mesh.requests[0]?.path ?? '', mesh.url);
    assert.equal(pathname, '/mesh/v1/meshes/m/explain');
    const asked = { from: 'shop/web', to: 'shop/api', method: 'get', path: '/a?b=c', port: '80' };
    assert.deepEqual(Object.fromEntries(searchParams), asked);
    assert.deepEqual(JSON.parse(stdout), explained('allowed'));
  });
});

describe('a wrong command line', () => {
  const account = ['--account', 'shop/web'];
  const cases: readonly { args: readonly string[]; why: RegExp }[] = [
    {
      args: ['mesh'],
      why: /say what to do with mesh: status, endpoints, explain, config, bootstrap, agent, join, rotate-root/,
    },
    {
      args: ['mesh', 'endpoints', 'api'],
      why: /NS\/SERVICE must be a namespace and a name, such as shop\/web, not "api"/,
    },
    { args: ['mesh', 'explain', 'a/b', 'c/d/e'], why: /NS\/SERVICE must be/ },
    { args: ['mesh', 'explain', '/b', 'c/d'], why: /NS\/ACCOUNT must be/ },
    { args: ['mesh', 'explain', 'a/b', 'c/d', 'GET'], why: /PATH is missing after METHOD/ },
    { args: ['mesh', 'explain', 'a/b', 'c/d', 'GET', 'books'], why: /PATH must begin with a slash/ },
    { args: ['mesh', 'explain', 'a/b', 'c/d', '--port', 'http'], why: /--port must be the number of a port/ },
    { args: ['mesh', 'bootstrap', 'nginx', ...account], why: /say for whom: envoy or grpc, not "nginx"/ },
    { args: ['mesh', 'bootstrap', 'grpc'], why: /--account NS\/ACCOUNT is missing/ },
    { args: ['mesh', 'bootstrap', 'grpc', ...account, '-o', 'yaml'], why: /--output must be one of json/ },
    { args: ['mesh', 'bootstrap', 'grpc', ...account, '--node-id', 'a/b'], why: /--node-id must be 1 to 64/ },
    { args: ['mesh', 'bootstrap', 'grpc', ...account, '--listen', '18001'], why: /--listen must be HOST:PORT/ },
    { args: ['mesh', 'bootstrap', 'grpc', ...account, '--listen', 'unix:a'], why: /--listen must be unix:\/\/\/PATH/ },
    { args: ['mesh', 'bootstrap', 'envoy', ...account, '--xds-address', 'a'], why: /--xds-address must be HOST:PORT/ },
    { args: ['mesh', 'agent', ...account], why: /--dir DIR is missing/ },
    { args: ['mesh', 'agent', '--dir', 'd'], why: /--account NS\/ACCOUNT is missing/ },
    { args: ['mesh', 'agent', ...account, '--dir', 'd', '--renew-every', 'x'], why: /--renew-every must be a time/ },
    {
      args: ['mesh', 'join', '--rule', 'a/b', '--cloud', 'aws', '--dir', 'd', '--metadata-url', 'http://127.0.0.1:80.'],
      why: /--metadata-url must be a URL such as .+, not "http:\/\/127\.0\.0\.1:80\."/,
    },
    { args: ['mesh', 'rotate-root', '--validity-days', '0'], why: /--validity-days must be a number of days/ },
  ];
  for (const { args, why } of cases) {
    test(`"${args.join(' ')}" ends with 2 and asks nobody`, async () => {
      await using mesh = await startTestMeshServer(() => undefined);
      const { code, stdout, stderr } = await mesh.run(...args);
      assert.deepEqual([code, stdout, mesh.requests.length], [2, '', 0]);
      assert.match(stderr, why);
    });
  }
});
