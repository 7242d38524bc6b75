import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { accessRequests, clusterRequests, systemNamespace } from '@chandlery/clusters/kinds';
import { serviceProviders } from '@chandlery/providers/kinds';
import { eventually, freePorts, tempFolder } from '@chandlery/testing';
import { type FooFixture, startFooFixture } from '../test-foo-fixture.ts';
import { startLandscape, type TestLandscape } from '../test-landscape.ts';
import { Bank, fooProvider, foos } from '../test-provider.ts';
import { runWith } from './run-provider.ts';

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Call {
  readonly env?: Readonly<Record<string, string>>;
  readonly stop?: AbortSignal;
}

async function run(landscape: TestLandscape, argv: readonly string[], call: Call = {}): Promise<Said> {
  const said = { out: '', err: '' };
  const code = await runWith(fooProvider(new Bank()), {
    argv,
    env: call.env ?? {},
    out: text => void (said.out += text),
    err: text => void (said.err += text),
    connectPlatform: () => landscape.plane.connect('platform'),
    connect: kubeconfig => landscape.connect(kubeconfig),
    ...(call.stop && { stop: call.stop }),
  });
  return { code, ...said };
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

const createProvider = ({ platform }: TestLandscape): Promise<unknown> =>
  platform.create(serviceProviders.ref, serviceProviders.object({ name: 'foo' }, { image: 'foo' } as never));

describe('init', () => {
  it('installs the kinds, reports those of tenants, and keeps no access', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await createProvider(landscape);
    const { code, out } = await run(landscape, ['init', '--provider-name=foo']);
    assert.equal(code, 0);
    assert.match(out, /Installed on the onboarding cluster: foos\.foo\.services\.example\.org\./);
    const { platform, onboarding } = landscape;
    const provider = await platform.get<{ status: { resources: unknown } } & ReturnType<typeof foos.object>>({
      ...serviceProviders.ref,
      name: 'foo',
    });
    const { group, version } = foos;
    assert.deepEqual(provider.status.resources, [{ group, version, kind: 'Foo', usesControlPlane: true }]);
    const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
    const crd = await onboarding.get({ ...crds, name: 'foos.foo.services.example.org' });
    assert.equal(crd.metadata.labels?.['openmcp.cloud/managed-by'], 'foo');
    await platform.get({ ...crds, name: 'providerconfigs.foo.services.example.org' });
    for (const { ref } of [accessRequests, clusterRequests])
      assert.deepEqual((await platform.list({ ...ref, namespace: systemNamespace })).items, []);
  });

  it('may be repeated', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await createProvider(landscape);
    assert.equal((await run(landscape, ['init', '--provider-name=foo'])).code, 0);
    assert.equal((await run(landscape, ['init', '--provider-name=foo'])).code, 0);
  });

  it('fails with a sentence at the end when something is wrong', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    const { code, err } = await run(landscape, ['init', '--provider-name=foo']);
    assert.equal(code, 1);
    assert.match(lastLine(err), /^Error: there is no ServiceProvider named "foo"\. Create it first/);
  });

  it('fails when access is denied', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    await createProvider(landscape);
    landscape.isDenying = true;
    const { code, err } = await run(landscape, ['init', '--provider-name=foo']);
    assert.equal(code, 1);
    assert.match(lastLine(err), /access to the onboarding cluster was denied: no such luck\. See AccessRequest/);
  });

  it('shows how it is called when it is called wrongly', async () => {
    await using landscape = await startLandscape({ clusters: [] });
    const { code, err } = await run(landscape, ['init']);
    assert.equal(code, 2);
    assert.match(err, /^Usage: /);
    assert.equal(lastLine(err), 'Error: --provider-name is missing. See the usage above.');
  });
});

describe('run', () => {
  it('serves objects until it is stopped, and reports its health', async () => {
    await using fixture = await startFooFixture({ isStarted: false });
    const [health = 0, metrics = 0] = await freePorts(2);
    const stop = new AbortController();
    using _ = { [Symbol.dispose]: () => stop.abort() };
    const env = { PORT_HEALTH: String(health), PORT_METRICS: String(metrics), POD_NAME: 'foo-0' };
    const argv = ['run', '--provider-name=foo', '--leader-elect=true'];
    const running = run(fixture.landscape, argv, { env, stop: stop.signal });
    await fixture.create('a');
    const foo = await fixture.ready('a');
    assert.ok(foo.status?.firstReadyTime);
    await eventually(async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).status === 200);
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    assert.match(text, /chandlery_provider_objects\{phase="Ready"\} 1/);
    assert.match(text, /chandlery_provider_first_time_to_readiness_seconds_count 1/);
    assert.match(text, /controller_runtime_reconcile_total\{/);
    stop.abort();
    assert.equal((await running).code, 0);
  });

  it('asks only for rights on its own group, and to leave services to their tenants', async () => {
    await using fixture = await startFooFixture();
    const at = { ...accessRequests.ref, namespace: systemNamespace, name: 'foo--onboarding' };
    const { spec } = await fixture.landscape.platform.get<ReturnType<typeof accessRequests.object>>(at);
    const groups = spec.token?.permissions?.flatMap(({ rules }) => rules.flatMap(({ apiGroups = [] }) => apiGroups));
    assert.deepEqual(groups, ['foo.services.example.org', '', '', 'core.chandlery.io']);
  });
});

describe('plan', () => {
  const plan = ({ landscape }: FooFixture, ...argv: readonly string[]): Promise<Said> =>
    run(landscape, ['plan', '--provider-name=foo', ...argv]);

  it('prints what would change for a file, and changes nothing', async () => {
    await using fixture = await startFooFixture();
    await using folder = await tempFolder();
    await fixture.create('a');
    await fixture.ready('a');
    const spec = 'spec:\n  version: "1.1"\n  size: 4\n';
    const metadata = 'metadata: {name: a, namespace: default}\n';
    await writeFile(folder.join('foo.yaml'), `apiVersion: ${foos.apiVersion}\nkind: Foo\n${metadata}${spec}`);
    const { out, err, code } = await plan(fixture, `--file=${folder.join('foo.yaml')}`);
    assert.equal(code, 0, err);
    assert.match(out, /^Foo default\/a: \d changes$/m);
    assert.match(out, /^ {2}~ ConfigMap foo-\w+\/foo on the workload cluster: data\.version$/m);
    assert.equal((await fixture.get('a')).spec.version, '1.0');
  });

  it('lists only what is missing for an object that is served', async () => {
    await using fixture = await startFooFixture();
    await fixture.create('a');
    await fixture.ready('a');
    const { out, err, code } = await plan(fixture, '--object=default/a');
    assert.equal(code, 0, err);
    // The planning process has another bank: only the objects on clusters are the same.
    assert.equal(out, 'Foo default/a: 1 change\n  + Foo "a" does not exist yet.\n');
  });
});
