import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExplainedDestination, ProxyStream, ProxyType, ServiceEndpoints } from '@chandlery/mesh/kinds';
import fc from 'fast-check';
import { formatHostPort, parseHostPort, statedXds, xdsOnHost } from './addresses.ts';
import { errorOfResponse } from './answer-error.ts';
import { renderEndpoints } from './render-endpoints.ts';
import { renderExplanation } from './render-explanation.ts';
import { renderStatus } from './render-status.ts';
import { splitText } from './split-text.ts';

const now = new Date('2026-01-01T00:01:00Z');

const typeStatus = (type: string, more: Partial<ProxyType> = {}): ProxyType => ({
  type,
  state: 'SYNCED',
  subscribed: '*',
  isInFlight: false,
  counts: { sent: 2, acked: 2, refused: 0 },
  ...more,
});

const stream = (nodeId: string, types: readonly ProxyType[], more: Partial<ProxyStream> = {}): ProxyStream => ({
  nodeId,
  identity: `spiffe://d/${nodeId}`,
  namespace: 'shop',
  serviceAccount: 'web',
  cluster: 'eu-1',
  dialect: 'envoy',
  peer: '127.0.0.1:1',
  mode: 'delta',
  connectedAt: '2026-01-01T00:00:00Z',
  replica: 'r1',
  types,
  ...more,
});

describe('the status of proxies', () => {
  test('is a line for each, with a column for each type', () => {
    const text = renderStatus(
      [stream('web-1', [typeStatus('cluster'), typeStatus('route', { state: 'NOT_SENT' })])],
      now,
    );
    const [head = '', line = '', ...rest] = text.split('\n');
    assert.match(head, /^NODE +ACCOUNT +CLUSTER +DIALECT +CDS +EDS +LDS +RDS +SDS$/);
    assert.match(line, /^web-1 +shop\/web +eu-1 +envoy +SYNCED 2\/2 +- +- +NOT_SENT +-$/);
    assert.deepEqual(rest, ['']);
  });

  test('begins with what is wrong and why, refusals before silence', () => {
    const error = { code: 13, message: 'no such\n cluster ', at: '2026-01-01T00:00:55Z' };
    const text = renderStatus(
      [
        stream('a-fine', [typeStatus('cluster')]),
        stream('b-slow', [typeStatus('endpoints', { state: 'STALE', sentAt: '2026-01-01T00:00:20Z' })]),
        stream('c-bad', [typeStatus('route', { state: 'ERROR', error, counts: { sent: 3, acked: 2, refused: 1 } })]),
      ],
      now,
    );
    const [title, bad, slow, gap, , ...rows] = text.split('\n');
    assert.deepEqual([title, gap], ['Trouble:', '']);
    assert.match(bad ?? '', /^ {2}c-bad +RDS: refused 5s ago: no such; cluster$/);
    assert.match(slow ?? '', /^ {2}b-slow +EDS: no answer to what was sent 40s ago$/);
    assert.deepEqual(
      rows.map(row => row.split(' ')[0]),
      ['c-bad', 'b-slow', 'a-fine', ''],
    );
    assert.match(text, /^c-bad .* ERROR 2\/3 /m);
  });

  test('has one line for the streams of one proxy, but not for two with one name', () => {
    const two = [stream('web-1', [typeStatus('cluster')]), stream('web-1', [typeStatus('secret')])];
    assert.match(renderStatus(two, now), /^web-1 .* SYNCED 2\/2 +- +- +- +SYNCED 2\/2\n$/m);
    const others = [...two, stream('web-1', [], { identity: 'spiffe://d/other', serviceAccount: 'other' })];
    assert.equal(renderStatus(others, now).match(/^web-1 /gm)?.length, 2);
  });
});

describe('the endpoints of a service', () => {
  const service: ServiceEndpoints = {
    namespace: 'shop',
    name: 'api',
    ports: [{ name: 'grpc', port: 80, protocol: 'http' }],
    addresses: ['10.0.0.1'],
    clusters: ['eu-1'],
    serviceAccounts: ['shop/api'],
    split: { source: 'shop/canary', backends: [{ service: { namespace: 'shop', name: 'v1' }, weight: 3 }] },
    endpoints: [
      { ip: '10.1.0.1', port: 8080, portName: 'grpc', health: 'healthy', cluster: 'eu-1', source: 'pod api-1' },
    ],
    staleProviders: [{ id: 'kubernetes/eu-2', reason: 'no server listens there' }],
  };

  test('come with what clients know of it, and who may be behind the times', () => {
    const text = renderEndpoints(service);
    assert.match(text, /^Ports: +80 \(grpc, http\)$/m);
    assert.match(text, /^Split: +shop\/v1 100 % \(by shop\/canary\)$/m);
    assert.match(text, /^May be old: +kubernetes\/eu-2: no server listens there$/m);
    assert.match(text, /^10\.1\.0\.1 +8080 +healthy +eu-1 +<none> +<none> +1 +<none> +pod api-1$/m);
  });

  test('on machines of a cloud are in no cluster', () => {
    const [pod] = service.endpoints;
    assert.ok(pod !== undefined);
    const machine = { ...pod, ip: '10.2.0.1', cluster: 'laptop', isCloud: true, source: 'm-1' };
    const text = renderEndpoints({ ...service, endpoints: [pod, machine] });
    assert.match(text, /^ADDRESS +PORT +HEALTH +CLUSTER +CLOUD +REGION/m);
    assert.match(text, /^10\.1\.0\.1 +8080 +healthy +eu-1 +<none> +<none>/m);
    assert.match(text, /^10\.2\.0\.1 +8080 +healthy +<none> +laptop +<none>/m);
  });

  test('may be none', () => {
    const { split: _, ...plain } = service;
    const text = renderEndpoints({ ...plain, endpoints: [], addresses: [], staleProviders: [] });
    assert.match(text, /\n\nIt has no endpoints at present\.\n$/);
    assert.doesNotMatch(text, /Addresses|Split|May be old/);
  });
});

describe('the shares of a split', () => {
  const backends = (...weights: number[]) =>
    weights.map((weight, index) => ({ service: { namespace: 'n', name: `v${index}` }, weight }));

  test('are told in per cent', () => {
    assert.equal(splitText(backends(1, 2)), 'n/v0 33.3 %, n/v1 66.7 %');
    assert.match(splitText(backends(0, 0)), /all weights are 0/);
  });
});

describe('an explanation', () => {
  const destination = (name: string, share: number, access: Partial<ExplainedDestination['access']>) => ({
    service: { namespace: 'shop', name },
    share,
    access: { isAllowed: false, message: `about ${name}`, accounts: [], nearMisses: [], ...access },
  });

  test('of an allowed call names the policy', () => {
    const allowedBy = { target: 'shop/web-to-api', match: 'read' };
    const text = renderExplanation({
      verdict: 'allowed',
      message: 'TrafficTarget shop/web-to-api allows it',
      port: { name: '', port: 80, protocol: 'http' },
      destinations: [destination('api', 1, { isAllowed: true, allowedBy })],
    });
    assert.equal(
      text,
      'ALLOWED: TrafficTarget shop/web-to-api allows it\n' +
        'Port:         80 (http)\nAllowed by:   TrafficTarget shop/web-to-api, match "read"\n',
    );
  });

  test('of a denied call says what comes near', () => {
    const nearMisses = [{ target: 'shop/t', match: 'read', why: 'the method must be GET' }];
    const destinations = [destination('api', 1, { nearMisses })];
    const text = renderExplanation({ verdict: 'denied', message: 'not for this', destinations });
    assert.equal(text, 'DENIED: not for this\nNot by:   TrafficTarget shop/t, match "read": the method must be GET\n');
  });

  test('of a divided call says who gets which share', () => {
    const text = renderExplanation({
      verdict: 'partly',
      message: 'm',
      split: { source: 'shop/canary', applies: true, why: 'it divides the traffic' },
      destinations: [destination('v1', 0.8, { isAllowed: true }), destination('v2', 0.2, {})],
    });
    assert.match(text, /^PARTLY ALLOWED: m\nSplit: +shop\/canary: it divides the traffic\n/);
    assert.match(text, /^shop\/v1 80 %: +about v1\nshop\/v2 20 %: +about v2\n$/m);
  });

  test('may be one line', () => {
    assert.equal(
      renderExplanation({ verdict: 'denied', message: 'no service', destinations: [] }),
      'DENIED: no service\n',
    );
  });
});

describe('the address of the control plane', () => {
  test('is as the flag says, else the variable', () => {
    assert.deepEqual(statedXds('c:2', 'b:1'), { host: 'c', port: 2 });
    assert.deepEqual(statedXds(undefined, 'b:1'), { host: 'b', port: 1 });
    for (const variable of ['', undefined]) assert.equal(statedXds(undefined, variable), undefined);
  });

  test('is on the host of the API otherwise, by the port that the landscape told', () => {
    assert.deepEqual(xdsOnHost('https://a:7443/clusters/x', 19_000), { host: 'a', port: 19_000 });
    assert.deepEqual(xdsOnHost('https://[::1]:7443', 19_000), { host: '::1', port: 19_000 });
    for (const told of [undefined, 0, 65_536, 1.5, Number.NaN, '19000' as unknown as number])
      assert.deepEqual(xdsOnHost('https://a', told), { host: 'a', port: 18_000 }, `${told} is no port`);
  });

  for (const text of ['a', 'a:', ':1', 'a:0', 'a:65536', '::1:80', '[a]:1', '[::1]', 'a:1:2', 'a:x', '']) {
    test(`is not "${text}"`, () => {
      assert.throws(() => parseHostPort(text, '--listen'), {
        code: 'InvalidOption',
        message: /^--listen must be HOST:PORT/,
      });
    });
  }

  test('is read as it is written', () => {
    const hosts = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
    fc.assert(
      fc.property(hosts, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
        assert.deepEqual(parseHostPort(formatHostPort({ host, port }), ''), { host, port });
      }),
    );
  });
});

describe('an answer that failed', () => {
  const hints = { NotFound: 'look elsewhere' };
  const cases = [
    {
      why: 'may bring its hint',
      text: '{"code":"NotFound","message":"m","hint":"h"}',
      code: 'NotFound',
      message: 'm',
      hint: 'h',
    },
    {
      why: 'may need one',
      text: '{"code":"NotFound","message":"m"}',
      code: 'NotFound',
      message: 'm',
      hint: 'look elsewhere',
    },
    {
      why: 'may be a Status',
      text: '{"kind":"Status","code":403,"reason":"Forbidden","message":"no"}',
      code: 'Forbidden',
      message: 'no',
      hint: undefined,
    },
    {
      why: 'may be of whoever stands before the landscape',
      text: '<html>',
      code: 'ServiceUnavailable',
      message: 'the landscape answered 502: <html>',
      hint: undefined,
    },
  ];
  for (const { why, text, code, message, hint } of cases) {
    test(why, () => {
      const error = errorOfResponse(502, text, hints);
      assert.deepEqual([error.code, error.message, error.hint], [code, message, hint]);
    });
  }

  test('may be of somebody else', () => {
    assert.equal(errorOfResponse(404, '<html>').code, 'UnexpectedAnswer');
  });
});
