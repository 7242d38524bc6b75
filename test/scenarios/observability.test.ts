// What an operator sees of a landscape: one trace from a request to a broker, metrics with their documents, the audit log.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseYamlDocuments } from '@chandlery/client';
import {
  type CollectedSpan,
  eventually,
  type LandscapeRequest,
  type OtlpCollector,
  startOtlpCollector,
  startTestLandscape,
  type TestLandscape,
} from '@chandlery/testing';
import { type ScriptedBroker, startScriptedBroker } from '../../domains/brokers/src/test-broker/scripted-broker.ts';

const root = join(import.meta.dirname, '../..');
const credentials = { basic: { username: 'admin', password: 'broker-password' } };
const namespaced = '/clusters/onboarding/apis/brokers.chandlery.io/v1alpha1/namespaces/default';

describe('A landscape that is observed', () => {
  const stack = new AsyncDisposableStack();
  let collector: OtlpCollector;
  let broker: ScriptedBroker;
  let landscape: TestLandscape;
  let platform: { readonly basic: { readonly username: string; readonly password: string } };
  let brokerId: string;

  before(async () => {
    collector = stack.use(await startOtlpCollector());
    broker = stack.use(await startScriptedBroker());
    landscape = stack.use(
      await startTestLandscape({
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, CHANDLERY_TRACE_RATIO: '0' },
      }),
    );
    const created = await send('/v1/service_brokers', { body: { name: 'shop', broker_url: broker.url, credentials } });
    brokerId = String(created['id']);
    const registered = await send('/v1/platforms', { body: { name: 'k8s', type: 'kubernetes' } });
    platform = registered['credentials'] as typeof platform;
    const plans = (await send('/v1/service_plans'))['items'] as readonly {
      readonly id: string;
      readonly catalog_id: string;
    }[];
    for (const { id } of plans.filter(plan => plan.catalog_id.startsWith('database')))
      await send('/v1/visibilities', { body: { service_plan_id: id } });
  });
  after(() => stack.disposeAsync());

  async function send(path: string, request: LandscapeRequest = {}): Promise<Record<string, unknown>> {
    const { status, text } = await landscape.request(path, request);
    assert.ok(status < 300, `${path}: ${status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }

  /** The spans of a trace, once the one of a name is among them. */
  const traceWith = (traceId: string, name: string): Promise<readonly CollectedSpan[]> =>
    eventually(
      () => {
        const spans = collector.spans.filter(span => span.traceId === traceId);
        return spans.some(span => span.name === name) && spans;
      },
      { what: `a span "${name}" of ${traceId}` },
    );

  const isAbove = (spans: readonly CollectedSpan[], above: string, below: string): boolean => {
    const byId = new Map(spans.map(span => [span.spanId, span]));
    const reaches = (span: CollectedSpan | undefined): boolean =>
      span !== undefined && (span.name === above || reaches(byId.get(span.parentSpanId ?? '')));
    return spans.some(span => span.name === below && reaches(byId.get(span.parentSpanId ?? '')));
  };

  it('shows a request, what it stores, the reconciles that follow and the call of the broker as one trace', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const client = '00f067aa0ba902b7';
    await send(`${namespaced}/serviceinstances`, {
      headers: { traceparent: `00-${traceId}-${client}-01` },
      body: {
        apiVersion: 'brokers.chandlery.io/v1alpha1',
        kind: 'ServiceInstance',
        metadata: { name: 'traced' },
        spec: { offeringName: 'database', planName: 'sync', parameters: { password: 'hunter2' } },
      },
    });
    const spans = await traceWith(traceId, 'broker PUT');
    const request = 'POST /clusters/:cluster/*';
    assert.equal(spans.find(({ name }) => name === request)?.parentSpanId, client);
    for (const [above, below] of [
      [request, 'store commit'],
      [request, 'reconcile brokers-adoption'],
      ['reconcile brokers-adoption', 'reconcile brokers-operations'],
      ['reconcile brokers-operations', 'broker PUT'],
    ] as const)
      assert.ok(isAbove(spans, above, below), `${above} is not above ${below}: ${JSON.stringify(spans, null, 1)}`);
    const sent = broker.requests.find(
      ({ method, headers }) => method === 'PUT' && headers['traceparent'] !== undefined,
    );
    const call = spans.find(({ name }) => name === 'broker PUT');
    assert.equal(sent?.headers['traceparent'], `00-${traceId}-${call?.spanId}-01`);
  });

  it('continues the trace of a platform to its broker', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const { username, password } = platform.basic;
    await send(`/v1/osb/${brokerId}/v2/service_instances/from-platform?accepts_incomplete=true`, {
      method: 'PUT',
      token: null,
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        'x-broker-api-version': '2.17',
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      body: {
        service_id: 'database-id',
        plan_id: 'database-sync',
        organization_guid: '-',
        space_guid: '-',
        context: { platform: 'kubernetes', namespace: 'default', clusterid: 'one' },
      },
    });
    const spans = await traceWith(traceId, 'PUT /v1/osb');
    assert.ok(isAbove(spans, 'PUT /v1/osb', 'broker PUT'));
    assert.ok(isAbove(spans, 'PUT /v1/osb', 'store commit'));
  });

  it('exports only what was asked for, and no secrets', async () => {
    const text = collector.received;
    const known = new Set(['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c']);
    assert.deepEqual(
      collector.spans.filter(({ traceId }) => !known.has(traceId)),
      [],
    );
    for (const secret of ['hunter2', 'broker-password', platform.basic.password, landscape.token])
      assert.ok(!text.includes(secret), 'a secret was exported');
  });

  it('documents every family of its metrics', async () => {
    const { text } = await landscape.request('/metrics');
    const page = await readFile(join(root, 'docs/metrics.md'), 'utf8');
    const families = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    assert.ok(families.length > 70, String(families.length));
    assert.deepEqual(
      families.filter(name => !page.includes(`\`${name}\``)),
      [],
    );
    for (const [sample, pattern] of Object.entries({
      commits: /^chandlery_store_commits_total\{outcome="committed"\} [1-9]/m,
      groups: /^chandlery_store_group_commits_count [1-9]/m,
      size: /^chandlery_store_size_bytes [1-9]/m,
      feed: /^chandlery_feed_lag_revisions \d/m,
      provision: /^chandlery_osb_requests_total\{operation="provision",code="201"\} 1$/m,
      instances: /^chandlery_brokers_records\{kind="instances"\} 2$/m,
      queues: /^workqueue_adds_total\{name="brokers-operations",.*\} [1-9]/m,
      clusters: /^chandlery_clusters\{phase="Ready"\} [1-9]/m,
      spans: /^chandlery_trace_spans_total\{outcome="exported"\} [1-9]/m,
    }))
      assert.match(text, pattern, sample);
    assert.ok(!text.includes('from-platform'), 'a metric names an instance');
  });

  it('has what the dashboard and the alerts read', async () => {
    const { text } = await landscape.request('/metrics');
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    const known = new Set(types.flatMap(([, name = '', type]) => (type === 'histogram' ? [`${name}_bucket`] : [name])));
    const ofProxies = /^chandlery_proxy_/;
    const dashboard = JSON.parse(await readFile(join(root, 'deploy/monitoring/dashboard.json'), 'utf8')) as Dashboard;
    const file = join(root, 'deploy/monitoring/alerts.yaml');
    const [rules] = parseYamlDocuments(await readFile(file, 'utf8'), file) as unknown as Rules[];
    const expressions = [
      ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
      ...(rules?.groups ?? []).flatMap(group => group.rules.map(({ alert, expr }) => [alert, expr] as const)),
    ];
    assert.ok(expressions.length > 40);
    const unknown = expressions.flatMap(([title, expression]) =>
      metricsIn(expression)
        .filter(name => !known.has(name) && !ofProxies.test(name))
        .map(name => `${title}: ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('records who caused each write, whichever API it came through', async () => {
    const headers = { 'user-agent': 'auditor/1' };
    await send('/1/artifacts', { headers: { ...headers, 'x-name': 'notes' }, body: 'text' });
    await landscape.request('/api/dinosaurs_mgmt/v1/dinosaurs', { headers, body: { name: 'rex' } });
    const entries = await eventually(async () => {
      const found = (await readFile(join(landscape.dataDir, 'audit.log'), 'utf8'))
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line) as Record<string, unknown>);
      return found.filter(({ userAgent }) => userAgent === 'auditor/1').length === 2 && found;
    });
    const find = (fields: Record<string, unknown>): Record<string, unknown> => {
      const found = entries.find(entry => Object.entries(fields).every(([name, value]) => entry[name] === value));
      assert.ok(found, `no entry with ${JSON.stringify(fields)}`);
      return found;
    };
    const viaKubectl = find({ resource: 'serviceinstances', verb: 'create', name: 'traced' });
    assert.deepEqual([viaKubectl['user'], viaKubectl['code']], ['admin', 201]);
    find({ resource: 'operations', verb: 'create', user: 'system:chandlery:brokers-adoption' });
    const viaOsb = find({ path: `/v1/osb/${brokerId}/v2/service_instances/from-platform` });
    assert.deepEqual(
      [viaOsb['resource'], viaOsb['name'], viaOsb['verb']],
      ['service_instances', 'from-platform', 'create'],
    );
    const viaRest = find({ path: '/v1/visibilities', verb: 'create' });
    assert.deepEqual([viaRest['resource'], viaRest['user']], ['visibilities', 'admin']);
    // What a request has written by itself bears its user and its id.
    const written = find({ resource: 'visibilities', verb: 'create', cluster: 'onboarding', id: viaRest['id'] });
    assert.equal(written['user'], 'admin');
    for (const path of ['/1/artifacts', '/api/dinosaurs_mgmt/v1/dinosaurs']) {
      const entry = find({ path, userAgent: 'auditor/1' });
      assert.equal(entry['sourceIp'], '127.0.0.1');
      assert.ok(Number(entry['latencyMs']) > 0, `${path} took no time`);
      assert.ok(Number(entry['code']) >= 200);
    }
  });

  it("continues in a provider's own process, with its name", async () => {
    const traceId = 'a3ce929d0e0e47364bf92f3577b34da6';
    const files = await readFile(join(root, 'examples/providers/hello/install.yaml'), 'utf8');
    const objects = parseYamlDocuments(
      files.replaceAll('examples/providers/hello', join(root, 'examples/providers/hello')),
      'install',
    );
    const env = [{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: collector.endpoint }];
    const onPlatform = landscape.cluster('platform');
    for (const object of objects as { kind: string; spec: object }[]) {
      const installed = object.kind === 'ServiceProvider' ? { ...object, spec: { ...object.spec, env } } : object;
      const { code, stderr } = await onPlatform.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(installed) });
      assert.equal(code, 0, stderr);
    }
    const wait = ['wait', '--for=condition=Ready', 'serviceprovider/hello', '--timeout=60s'];
    assert.equal((await onPlatform.kubectl(wait)).code, 0);
    const config = join(root, 'examples/providers/hello/config.yaml');
    assert.equal((await onPlatform.kubectl(['apply', '-f', config])).code, 0);
    const group = 'hello.services.open-control-plane.io/v1alpha1';
    await send(`/clusters/onboarding/apis/${group}/namespaces/default/hellos`, {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      body: {
        apiVersion: group,
        kind: 'Hello',
        metadata: { name: 'traced' },
        spec: { to: 'world', runsOn: 'Provider' },
      },
    });
    const request = 'POST /clusters/:cluster/*';
    const spans = await eventually(
      () => {
        const found = collector.spans.filter(span => span.traceId === traceId);
        return found.some(({ service }) => service === 'hello') && found.some(({ name }) => name === request) && found;
      },
      { what: 'spans of the provider', timeoutMs: 60_000 },
    );
    const own = spans.filter(({ service }) => service === 'hello').map(({ name }) => name);
    assert.ok(
      own.some(name => name.startsWith('reconcile ') && isAbove(spans, request, name)),
      JSON.stringify(spans, null, 1),
    );
  });
});

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

/** The metrics that an expression reads. */
const metricsIn = (expression: string): readonly string[] =>
  [...expression.matchAll(/\b((?:chandlery|controller_runtime|workqueue|fleet_manager|process)_\w+)/g)].map(
    ([, name = '']) => name,
  );
