import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { hostedState, isRunning } from './find-endpoint.ts';
import { hostedDeployment } from './hosted-deployment.ts';
import { readHostedProcess } from './hosted-process.ts';
import { requestHeaders, responseHeaders } from './proxy-headers.ts';
import { readProxyPath } from './proxy-path.ts';

const from = { scheme: 'https', host: 'land.example:7443', clientAddress: '10.0.0.9', prefix: '/1/services2/s/proxy' };

describe('the headers of a request', () => {
  test('are without credentials, claims and those of the connection', () => {
    const headers = requestHeaders(
      {
        host: 'land.example:7443',
        authorization: 'Bearer secret',
        connection: 'keep-alive, X-Own',
        'x-own': '1',
        'x-forwarded-for': '1.1.1.1',
        'x-forwarded-user': 'admin',
        forwarded: 'for=1.1.1.1',
        'impersonate-user': 'admin',
        'proxy-authorization': 'Basic x',
        'x-chandlery-namespace': 'acme',
        'transfer-encoding': 'chunked',
        'sec-websocket-protocol': 'chat, base64url.bearer.authorization.k8s.io.c2VjcmV0',
        accept: 'text/html',
        'x-many': ['1', '2'],
      },
      from,
    );
    assert.deepEqual(headers, {
      accept: 'text/html',
      'x-many': ['1', '2'],
      'sec-websocket-protocol': 'chat',
      'x-forwarded-for': '10.0.0.9',
      'x-forwarded-host': 'land.example:7443',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': from.prefix,
    });
  });

  test('name no subprotocol when the only one was a token', () => {
    const headers = requestHeaders({ 'sec-websocket-protocol': 'base64url.bearer.x' }, from);
    assert.equal('sec-websocket-protocol' in headers, false);
  });
});

describe('the headers of a response', () => {
  const origin = 'http://127.0.0.1:4711';
  const locations: readonly (readonly [given: string, sent: string])[] = [
    ['/x', `${from.prefix}/x`],
    ['x', 'x'],
    ['//evil.example/x', '//evil.example/x'],
    ['https://example.com/x', 'https://example.com/x'],
    [`${origin}/x?y=1`, `${from.prefix}/x?y=1`],
    ['https://land.example:7443/x', `${from.prefix}/x`],
    [`https://land.example:7443${from.prefix}/x`, `${from.prefix}/x`],
    [`${from.prefix}/x`, `${from.prefix}/x`],
    [`${from.prefix}y`, `${from.prefix}${from.prefix}y`],
    ['http://127.0.0.1:47110/x', 'http://127.0.0.1:47110/x'],
  ];
  for (const [location, sent] of locations)
    test(`a redirect to ${location} leads to ${sent}`, () =>
      assert.equal(responseHeaders({ location }, { ...from, origin })['location'], sent));

  test('have cookies of the path alone, and a policy of their own besides that of the process', () => {
    const headers = responseHeaders(
      {
        'set-cookie': ['a=1', 'b=2; path=/app; Domain=example.com; Secure', `c=3; Path=${from.prefix}/z`],
        'content-security-policy': "default-src 'self'",
        'keep-alive': 'timeout=5',
      },
      { ...from, origin },
    );
    assert.deepEqual(headers['set-cookie'], [
      `a=1; Path=${from.prefix}/`,
      `b=2; Secure; Path=${from.prefix}/app`,
      `c=3; Path=${from.prefix}/z`,
    ]);
    assert.match(String(headers['content-security-policy']), /default-src 'self',sandbox/);
    assert.doesNotMatch(String(headers['content-security-policy']), /allow-same-origin/);
    assert.equal(headers['keep-alive'], undefined);
  });
});

test('the path of a proxy is read without being decoded', () => {
  const urn = 'urn:ivcap:service:1';
  const prefix = `/1/services2/${urn}/proxy`;
  assert.deepEqual(readProxyPath(`${prefix}/a%2Fb?x=/`), { service: urn, prefix, target: '/a%2Fb?x=/' });
  assert.deepEqual(readProxyPath(`${prefix}?x`), { service: urn, prefix, target: '' });
  assert.equal(readProxyPath('/1/services2/x/proxy/')?.target, '/');
  for (const url of ['/1/services2/x/proxyx', '/1/services2/x', '/1/orders/x/proxy/', '/2/services2/x/proxy/'])
    assert.equal(readProxyPath(url), undefined, url);
});

describe('the state of a process', () => {
  const pod = (at: number, state: object, more: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `p${at}`,
      uid: `u${at}`,
      creationTimestamp: `2026-01-01T00:00:0${at}Z`,
      annotations: {
        'clusters.chandlery.io/dynamic-ports': 'http',
        'clusters.chandlery.io/ports': `{"http":400${at}}`,
      },
      ...more,
    },
    status: { podIP: '127.0.0.1', containerStatuses: [{ restartCount: 0, ...state }] },
  });
  const ready = { ready: true, state: { running: {} } };
  const starting = { ready: false, state: { running: {} } };

  test('is that of the newest pod that is ready', () => {
    assert.equal(hostedState([pod(1, ready), pod(3, starting), pod(2, ready)]).endpoint?.port, 4002);
    const leaving = pod(2, ready, { deletionTimestamp: '2026-01-01T00:01:00Z' });
    assert.equal(hostedState([leaving, pod(1, starting)]).endpoint, undefined);
    assert.equal(hostedState([pod(1, ready, { annotations: {} })]).endpoint, undefined);
  });

  const problems: readonly (readonly [state: object, isStarting: boolean, problem: RegExp])[] = [
    [starting, true, /not ready yet/],
    [{ state: { waiting: { reason: 'ErrImagePull', message: 'no image x' } } }, false, /ErrImagePull: no image x/],
    [
      { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 7 } } },
      false,
      /CrashLoopBackOff; .* exit code 7/,
    ],
    [{ state: { waiting: { reason: 'ContainerCreating' } } }, true, /being started/],
  ];
  for (const [state, isStarting, problem] of problems)
    test(`says ${problem}`, () => {
      const found = hostedState([pod(1, state)]);
      assert.ok(found.endpoint === undefined && found.isStarting === isStarting);
      assert.match(found.problem, problem);
    });

  test('tells a process from the one that replaced it', () => {
    assert.equal(isRunning([pod(1, ready)], 'u1/0'), true);
    assert.equal(isRunning([pod(1, { ...ready, restartCount: 1 })], 'u1/0'), false);
    assert.equal(isRunning([], 'u1/0'), false);
  });
});

test('the Deployment of a service is isolated, waits for the ready-url and replaces without a gap', () => {
  const process = readHostedProcess({
    image: 'a',
    command: 'python server.py',
    'ready-url': 'http://localhost:8090/_healtz',
  });
  const binding = { env: [{ name: 'IVCAP_BASE_URL', value: 'x' }], volumes: [], volumeMounts: [] };
  const made = hostedDeployment({ id: 'i', tenant: 'acme', process, binding });
  assert.equal(made.metadata.namespace, 'orders-acme');
  const spec = JSON.stringify(made['spec']);
  for (const part of [
    '"clusters.chandlery.io/isolation":"namespaces"',
    '"automountServiceAccountToken":false',
    '"httpGet":{"path":"/_healtz","port":"http"}',
    '"maxUnavailable":0',
    '"command":["python","server.py"]',
    '{"name":"PORT","value":"$(PORT_HTTP)"}',
  ])
    assert.ok(spec.includes(part), part);
  assert.deepEqual(made, hostedDeployment({ id: 'i', tenant: 'acme', process, binding }));
});
