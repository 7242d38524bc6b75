import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { tenantNamespace } from '@chandlery/clusters/kinds';
import {
  eventually,
  runProcess,
  startTestLandscape,
  type TempFolder,
  type TestLandscape,
  tempFolder,
} from '@chandlery/testing';
import {
  conditionOf,
  gone,
  isTrue,
  type LooseObject,
  type Person,
  peopleOf,
  personFromSecret,
  seen,
} from './support/people.ts';
import { scaffoldProvider } from './support/scaffold.ts';

const workspace = 'project-shop--ws-main';

/** The whole life of a service provider, row by row of the reference, with kubectl in the hands of operator and tenant. */
describe('A service provider', () => {
  let landscape: TestLandscape;
  let folder: TempFolder;
  let operator: Person;
  let tenant: Person;
  /** A client of any cluster, by the platform's own access. */
  const opened = new Map<string, Person>();

  /** The operator on the cluster that a tenant was given for a purpose. */
  async function onCluster(purpose: 'mcp' | 'workload', owner: string): Promise<Person> {
    const home = tenantNamespace(workspace, owner);
    const requests = await operator.list<LooseObject>('clusterrequests', '-n', home);
    const request = requests.find(({ spec }) => spec?.['purpose'] === purpose);
    const { name = '' } = (request?.status?.['cluster'] ?? {}) as { name?: string };
    const known = opened.get(name) ?? (await open(name));
    opened.set(name, known);
    return known;
  }

  async function open(cluster: string): Promise<Person> {
    const name = `story-${cluster}`;
    await operator.apply({
      apiVersion: 'clusters.openmcp.cloud/v1alpha1',
      kind: 'AccessRequest',
      metadata: { name, namespace: 'openmcp-system' },
      spec: {
        clusterRef: { name: cluster, namespace: 'openmcp-system' },
        token: { roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] },
      },
    });
    await seen(operator, ['accessrequest', name, 'openmcp-system'], ({ status }) => status?.phase === 'Granted');
    return personFromSecret(operator, {
      name: `${name}.kubeconfig`,
      namespace: 'openmcp-system',
      file: folder.join(name),
    });
  }

  const foo = (name: string, spec: object = { version: 'v1' }): object => ({
    apiVersion: 'foo.services.open-control-plane.io/v1alpha1',
    kind: 'Foo',
    metadata: { name, namespace: workspace },
    spec,
  });
  const isServing = (object: LooseObject): boolean =>
    isTrue(object, 'Ready') &&
    isTrue(object, 'Synced') &&
    object.status?.observedGeneration === object.metadata.generation;
  const fooServes = (name: string): Promise<LooseObject> => seen(tenant, ['foo', name, workspace], isServing);

  async function controlPlane(name: string): Promise<void> {
    await tenant.apply({
      apiVersion: 'core.open-control-plane.io/v2alpha1',
      kind: 'ControlPlane',
      metadata: { name, namespace: workspace },
    });
    await seen(tenant, ['controlplane', name, workspace], object => isTrue(object, 'Ready'));
  }

  const ownPlane = (name: string): Promise<Person> =>
    personFromSecret(tenant, {
      name: `token-admin.${name}.kubeconfig`,
      namespace: workspace,
      file: folder.join(`own-${name}`),
    });

  const instanceOf = async (name: string): Promise<string> => {
    const resources = (await fooServes(name)).status?.resources ?? [];
    return resources.find(({ kind }) => kind === 'Deployment')?.namespace ?? '';
  };

  before(async () => {
    folder = await tempFolder();
    const place = await scaffoldProvider(folder, 'foo');
    const { code, stdout } = await runProcess('npm', ['test'], { cwd: place });
    assert.equal(code, 0, `its own test passes: ${stdout}`);
    landscape = await startTestLandscape();
    ({ operator, tenant } = peopleOf(landscape));
    const config = await operator.find<LooseObject>('schedulerconfig', 'default');
    assert.ok(config);
    await operator.run(
      'patch',
      'schedulerconfig',
      'default',
      '--type=merge',
      '-p',
      '{"spec":{"purposes":{"workload":{"tenancyCount":2}}}}',
    );
  });
  after(async () => {
    await landscape[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  it('SETUP a: all clusters become ready', async () => {
    for (const name of ['platform', 'onboarding']) {
      await seen(operator, ['cluster', name, 'openmcp-system'], object => isTrue(object, 'Ready'));
    }
  });

  it('SETUP b: a cluster provider is ready and has profiles', async () => {
    await seen(operator, ['clusterprovider', 'chandlery'], ({ status }) => status?.phase === 'Ready');
    assert.ok((await operator.list('clusterprofiles')).length >= 1);
  });

  it('SETUP: a tenant gets a project and a workspace', async () => {
    await tenant.apply({ apiVersion: 'core.openmcp.cloud/v1alpha1', kind: 'Project', metadata: { name: 'shop' } });
    await seen(tenant, ['project', 'shop'], object => isTrue(object, 'Ready'));
    await tenant.apply({
      apiVersion: 'core.openmcp.cloud/v1alpha1',
      kind: 'Workspace',
      metadata: { name: 'main', namespace: 'project-shop' },
    });
    await seen(tenant, ['workspace', 'main', 'project-shop'], object => isTrue(object, 'Ready'));
  });

  it('1: becomes initialized and ready, and its kinds are served', async () => {
    await operator.apply(await readFile(folder.join('foo', 'install.yaml'), 'utf8'));
    await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Initialized'));
    await operator.apply(await readFile(folder.join('foo', 'config.yaml'), 'utf8'));
    const provider = await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Ready'));
    assert.deepEqual(
      provider.status?.resources?.map(({ kind }) => kind),
      ['Foo'],
    );
    for (const type of ['APIReady', 'RunReady', 'Synced']) assert.ok(isTrue(provider, type), type);
    assert.match(await tenant.run('api-resources'), /foos\s+foo\.services/);
    assert.match(await operator.run('api-resources'), /providerconfigs\s+foo\.services/);
  });

  it('1: whose init fails says so, with what it printed, and is never ready', async () => {
    const { spec } = (await operator.find('serviceprovider', 'foo')) ?? {};
    await operator.apply({
      apiVersion: 'openmcp.cloud/v1alpha1',
      kind: 'ServiceProvider',
      metadata: { name: 'broken' },
      spec: { ...spec, initCommand: ['no-such-command'] },
    });
    const broken = await seen(operator, ['serviceprovider', 'broken'], object =>
      /fail/i.test(conditionOf(object, 'Initialized')?.reason ?? ''),
    );
    assert.equal(conditionOf(broken, 'Initialized')?.status, 'False');
    assert.match(conditionOf(broken, 'Initialized')?.message ?? '', /no-such-command/);
    assert.ok(!isTrue(broken, 'Ready'));
    await operator.run('delete', 'serviceprovider', 'broken');
    await gone(operator, ['serviceprovider', 'broken']);
  });

  it('2: is consumed by a tenant', async () => {
    await controlPlane('a');
    await tenant.apply(foo('a'));
    await fooServes('a');
    const access = await operator.list<LooseObject>('accessrequests', '-n', tenantNamespace(workspace, 'a'));
    assert.ok(access.length >= 3);
    assert.ok(access.every(({ status }) => status?.phase === 'Granted'));
    const plane = await onCluster('mcp', 'a');
    assert.ok(isTrue(await plane.find('crd', 'fooitems.foo.example.com'), 'Established'));
    const workload = await onCluster('workload', 'a');
    assert.ok(await workload.find('deployment', 'foo', await instanceOf('a')));
  });

  it('2b: keeps a second tenant apart from the first', async () => {
    await controlPlane('b');
    await tenant.apply(foo('b'));
    await fooServes('b');
    assert.notEqual(tenantNamespace(workspace, 'a'), tenantNamespace(workspace, 'b'));
    assert.notEqual(await instanceOf('a'), await instanceOf('b'));
    for (const [mine, theirs] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const server = (
        await (await ownPlane(theirs)).run('config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}')
      ).trim();
      const { code, stderr } = await (await ownPlane(mine)).attempt('--server', server, 'get', 'namespaces');
      assert.notEqual(code, 0);
      assert.match(stderr, /Unauthorized|Forbidden|forbidden|logged in/);
    }
  });

  it('2c: restores what drifts, says so, and counts it', async () => {
    const workload = await onCluster('workload', 'a');
    const namespace = await instanceOf('a');
    const lost = await workload.find('deployment', 'foo', namespace);
    await workload.run('delete', 'deployment', 'foo', '-n', namespace, '--wait=false');
    await seen(workload, ['deployment', 'foo', namespace], ({ metadata }) => metadata.uid !== lost?.metadata.uid);
    await workload.run('scale', 'deployment', 'foo', '-n', namespace, '--replicas=3');
    await seen(workload, ['deployment', 'foo', namespace], ({ spec }) => spec?.['replicas'] === 1);
    const plane = await onCluster('mcp', 'a');
    const kind = await plane.find('crd', 'fooitems.foo.example.com');
    await plane.run('delete', 'crd', 'fooitems.foo.example.com', '--wait=false');
    await seen(
      plane,
      ['crd', 'fooitems.foo.example.com'],
      object => object.metadata.uid !== kind?.metadata.uid && isTrue(object, 'Established'),
    );
    await fooServes('a');
    await eventually(async () => (await tenant.run('events', '-n', workspace)).includes('DriftRepaired'));
    await eventually(async () => /chandlery_provider_drift_total\{[^}]*\} [1-9]/.test(await metrics()));
  });

  it('2c: cannot be frozen by its tenant, whatever labels it writes', async () => {
    const plane = await ownPlane('a');
    const crd = 'fooitems.foo.example.com';
    const isWhole = ({ metadata, spec }: LooseObject): boolean =>
      metadata.labels?.['openmcp.cloud/managed-by'] === 'foo' &&
      JSON.stringify(spec?.['names']).includes('"singular":"fooitem"') &&
      !JSON.stringify(spec).includes('frozen');
    for (const labels of [
      { 'openmcp.cloud/managed-by': 'somebody-else' },
      { 'openmcp.cloud/managed-by': null },
      { 'sdk.chandlery.io/handed-over': 'true' },
    ]) {
      const patch = { metadata: { labels }, spec: { names: { categories: ['frozen'] } } };
      await plane.run('patch', 'crd', crd, '--type=merge', '-p', JSON.stringify(patch));
      await plane.run('patch', 'crd', crd, '--type=merge', '-p', '{"spec":{"names":{"categories":null}}}');
      await seen(plane, ['crd', crd], isWhole);
    }
    await fooServes('a');
  });

  /** The metrics of the provider's process; its Service has the address. */
  async function metrics(): Promise<string> {
    const slices = await operator.list<LooseObject & { ports?: { port: number }[] }>(
      'endpointslices',
      '-n',
      'openmcp-system',
      '-l',
      'kubernetes.io/service-name=sp-foo-metrics',
    );
    const port = slices[0]?.ports?.[0]?.port;
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  }

  it('2d: can be paused and asked for a pass', async () => {
    const greeting = async (): Promise<string> => {
      const workload = await onCluster('workload', 'a');
      return JSON.stringify((await workload.find('deployment', 'foo', await instanceOf('a')))?.spec);
    };
    await tenant.run('annotate', 'foo', 'a', '-n', workspace, 'openmcp.cloud/operation=ignore');
    await tenant.run('patch', 'foo', 'a', '-n', workspace, '--type=merge', '-p', '{"spec":{"greeting":"Ahoy"}}');
    const paused = await seen(tenant, ['foo', 'a', workspace], object => isTrue(object, 'Paused'));
    await sleep(2000);
    assert.notEqual(paused.status?.observedGeneration, paused.metadata.generation);
    const workload = await onCluster('workload', 'a');
    const [deployment] = await workload.list<LooseObject>('deployments', '-A', '-l', 'openmcp.cloud/managed-by=foo');
    assert.ok(!JSON.stringify(deployment).includes('Ahoy'));
    await tenant.run('annotate', 'foo', 'a', '-n', workspace, 'openmcp.cloud/operation-');
    await fooServes('a');
    assert.match(await greeting(), /Ahoy/);
    await tenant.run('annotate', 'foo', 'a', '-n', workspace, 'openmcp.cloud/operation=reconcile');
    await seen(
      tenant,
      ['foo', 'a', workspace],
      ({ metadata }) => metadata.annotations?.['openmcp.cloud/operation'] === undefined,
    );
    await fooServes('a');
  });

  it('2e: refuses a version that is not offered, in words, and leaves it at that', async () => {
    await tenant.run('patch', 'foo', 'a', '-n', workspace, '--type=merge', '-p', '{"spec":{"version":"v0"}}');
    const refused = await seen(
      tenant,
      ['foo', 'a', workspace],
      object =>
        conditionOf(object, 'Ready')?.status === 'False' &&
        object.status?.observedGeneration === object.metadata.generation,
    );
    assert.match(conditionOf(refused, 'Ready')?.message ?? '', /v1, v2/);
    await sleep(3000);
    const later = await tenant.find('foo', 'a', workspace);
    assert.equal(later?.metadata.resourceVersion, refused.metadata.resourceVersion);
    await tenant.run(
      'patch',
      'foo',
      'a',
      '-n',
      workspace,
      '--type=merge',
      '-p',
      '{"spec":{"version":"v1","greeting":"Hello"}}',
    );
    await fooServes('a');
  });

  it('2f: follows its configuration, for every object', async () => {
    await operator.run(
      'patch',
      'providerconfigs.foo.services.open-control-plane.io',
      'foo',
      '--type=merge',
      '-p',
      '{"spec":{"pollInterval":"2s"}}',
    );
    const config = await operator.find('providerconfigs.foo.services.open-control-plane.io', 'foo');
    for (const name of ['a', 'b']) {
      await seen(
        tenant,
        ['foo', name, workspace],
        ({ status }) => status?.['configGeneration'] === config?.metadata.generation,
      );
      await fooServes(name);
    }
  });

  it('2g: may crash while it creates, and makes nothing twice', async () => {
    await controlPlane('g');
    const workload = await onCluster('workload', 'b').catch(() => onCluster('workload', 'a'));
    await tenant.apply(foo('g'));
    const pods = await operator.list<LooseObject>('pods', '-n', 'openmcp-system');
    const own = pods.filter(
      ({ metadata, status }) => metadata.name.startsWith('sp-foo-') && status?.phase === 'Running',
    );
    for (const { metadata } of own) {
      await operator.run('delete', 'pod', metadata.name, '-n', 'openmcp-system', '--grace-period=0', '--force');
    }
    const object = await fooServes('g');
    const names = object.status?.resources?.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`) ?? [];
    assert.equal(new Set(names).size, names.length);
    const there = await onCluster('workload', 'g');
    assert.equal((await there.list('deployments', '-n', await instanceOf('g'))).length, 1);
    assert.ok(workload);
    await tenant.run('delete', 'foo', 'g', '-n', workspace);
    await gone(tenant, ['foo', 'g', workspace]);
  });

  it('2h: makes nothing that it may only observe, and refuses what means nothing', async () => {
    await controlPlane('h');
    const wrong = JSON.stringify(foo('h', { version: 'v1', managementPolicies: ['Create', 'Delete'] }));
    await assert.rejects(tenant.apply(wrong), /Observe is part of every combination/);
    const before = await operator.list('pods', '-A');
    await tenant.apply(foo('h', { version: 'v1', managementPolicies: ['Observe'] }));
    const observed = await seen(
      tenant,
      ['foo', 'h', workspace],
      object => conditionOf(object, 'Ready')?.reason === 'Missing',
    );
    assert.match(conditionOf(observed, 'Ready')?.message ?? '', /managementPolicies do not let it be created/);
    assert.equal((await operator.list('pods', '-A')).length, before.length);
    const workload = await onCluster('workload', 'h');
    const deployments = await workload.list<LooseObject>('deployments', '-A');
    assert.ok(
      deployments.every(({ metadata }) => metadata.annotations?.['sdk.chandlery.io/object'] !== `${workspace}/h`),
    );
  });

  it('2i: waits for the configuration that an order names, protects it, and reports when it is unused', async () => {
    const kind = 'providerconfigs.foo.services.open-control-plane.io';
    const change = { spec: { managementPolicies: ['*'], providerConfigRef: { name: 'other' } } };
    await tenant.run('patch', 'foo', 'h', '-n', workspace, '--type=merge', '-p', JSON.stringify(change));
    await seen(tenant, ['foo', 'h', workspace], object =>
      /No ProviderConfig named "other"/.test(conditionOf(object, 'Ready')?.message ?? ''),
    );
    const { spec } = (await operator.find(kind, 'foo')) ?? {};
    const apiVersion = 'foo.services.open-control-plane.io/v1alpha1';
    await operator.apply({ apiVersion, kind: 'ProviderConfig', metadata: { name: 'other' }, spec });
    await fooServes('h');
    await seen(operator, [kind, 'other'], object => conditionOf(object, 'InUse')?.reason === 'UsedByObjects');
    await operator.run('delete', kind, 'other', '--wait=false');
    assert.ok(await operator.find(kind, 'other'));
    await tenant.run('delete', 'foo', 'h', '-n', workspace);
    await gone(operator, [kind, 'other']);
    await operator.apply({ apiVersion, kind: 'ProviderConfig', metadata: { name: 'other' }, spec });
    await seen(operator, [kind, 'other'], object => conditionOf(object, 'InUse')?.reason === 'Unused');
    await operator.run('delete', kind, 'other');
  });

  const item = {
    apiVersion: 'foo.example.com/v1',
    kind: 'FooItem',
    metadata: { name: 'harbour', namespace: 'default' },
    spec: { name: 'harbour' },
  };

  it('3: acts on what the tenant makes on its control plane', async () => {
    const plane = await ownPlane('a');
    await plane.apply(item);
    await seen(plane, ['fooitem', 'harbour', 'default'], ({ status }) => status?.['greeting'] === 'Hello, harbour!');
  });

  it('4a: is not taken away while the tenant uses it', async () => {
    await tenant.run('delete', 'foo', 'a', '-n', workspace, '--wait=false');
    const blocked = await seen(tenant, ['foo', 'a', workspace], object => isTrue(object, 'DeletionBlocked'));
    assert.equal(blocked.status?.phase, 'Terminating');
    assert.equal(conditionOf(blocked, 'DeletionBlocked')?.reason, 'UserResourcesPresent');
    assert.match(conditionOf(blocked, 'DeletionBlocked')?.message ?? '', /1 FooItem|FooItem.*1/);
    const kept = await (await ownPlane('a')).find('fooitem', 'harbour', 'default');
    assert.equal(kept?.metadata.deletionTimestamp, undefined);
  });

  it('4b: goes completely once the tenant lets go, and leaves others alone', async () => {
    const workload = await onCluster('workload', 'a');
    const plane = await onCluster('mcp', 'a');
    const { status } = (await tenant.find('foo', 'a', workspace)) ?? {};
    const namespace = status?.resources?.find(({ kind }) => kind === 'Deployment')?.namespace ?? '';
    await (await ownPlane('a')).run('delete', 'fooitem', 'harbour', '-n', 'default');
    await gone(tenant, ['foo', 'a', workspace]);
    assert.equal(await plane.find('crd', 'fooitems.foo.example.com'), undefined);
    const home = tenantNamespace(workspace, 'a');
    const left = await operator.list<LooseObject>('clusterrequests', '-n', home);
    assert.deepEqual(
      left.map(({ spec }) => spec?.['purpose']),
      ['mcp'],
    );
    const access = await operator.list<LooseObject>('accessrequests', '-n', home);
    assert.deepEqual(
      access.map(({ metadata }) => metadata.name),
      ['a--token-admin'],
    );
    assert.equal(await workload.find('namespace', namespace), undefined);
    await fooServes('b');
  });

  /** The greeting that the domain service of a tenant gives to a new item. */
  const greets = async (owner: string, name: string): Promise<void> => {
    const plane = await ownPlane(owner);
    await plane.apply({ ...item, metadata: { name, namespace: 'default' }, spec: { name } });
    await seen(plane, ['fooitem', name, 'default'], ({ status }) => status?.['greeting'] === `Hello, ${name}!`);
  };

  /** Invalidates all credentials of a retained service: tokens are bound to accounts, which are created again. */
  const endTokens = async (owner: string): Promise<void> => {
    const home = tenantNamespace(workspace, owner);
    const plane = await onCluster('mcp', owner);
    const [account] = await plane.list<LooseObject>(
      'serviceaccounts',
      '-n',
      'openmcp-access',
      '-l',
      `clusters.openmcp.cloud/accessrequest-name=foo--${owner}--mcp`,
    );
    const secret = async () => (await operator.find('secret', `foo--${owner}--mcp.kubeconfig`, home))?.data?.['token'];
    const before = await secret();
    await plane.run('delete', 'serviceaccount', account?.metadata.name ?? '', '-n', 'openmcp-access');
    await eventually(async () => (await secret()) !== before && (await secret()) !== undefined);
  };

  const isHeld = ({ metadata }: LooseObject): boolean => metadata.labels?.['sdk.chandlery.io/handed-over'] === 'true';
  let kept: LooseObject | undefined;
  let keptIn = '';

  it('4d: is let go with the policy Orphan, and keeps running', async () => {
    await controlPlane('c');
    await tenant.apply(foo('c', { version: 'v1', deletionPolicy: 'Orphan' }));
    keptIn = await instanceOf('c');
    const workload = await onCluster('workload', 'c');
    await tenant.run('delete', 'foo', 'c', '-n', workspace);
    await gone(tenant, ['foo', 'c', workspace]);
    kept = await workload.find('deployment', 'foo', keptIn);
    assert.equal(kept?.metadata.labels?.['openmcp.cloud/managed-by'], undefined);
    assert.equal(kept?.status?.['availableReplicas'], 1);
    assert.ok(await tenant.find('configmap', 'foo-c-receipt', workspace));
    const retained = await seen(tenant, ['retainedservice', 'foo-c', workspace], object => isTrue(object, 'Ready'));
    assert.match(conditionOf(retained, 'Ready')?.message ?? '', /Deleting this object ends it/);
    const home = tenantNamespace(workspace, 'c');
    for (const kind of ['accessrequests', 'clusterrequests']) {
      const held = (await operator.list<LooseObject>(kind, '-n', home)).filter(isHeld);
      assert.deepEqual(
        held.map(({ metadata }) => metadata.name),
        kind === 'accessrequests' ? ['foo--c--mcp', 'foo--c--wl'] : ['foo--c--wl'],
      );
    }
  });

  it('4e: still functions when the tokens that it had have ended', async () => {
    await greets('c', 'first');
    await endTokens('c');
    await greets('c', 'second');
  });

  it('4c: waits for its tenants, names them, and then goes without a trace', async () => {
    await operator.run('delete', 'serviceprovider', 'foo', '--wait=false');
    const waiting = await seen(operator, ['serviceprovider', 'foo'], object =>
      (conditionOf(object, 'Uninstalled')?.message ?? '').includes('Foo'),
    );
    assert.equal(waiting.metadata.deletionTimestamp === undefined, false);
    await fooServes('b');
    await tenant.run('delete', 'foo', 'b', '-n', workspace);
    await gone(operator, ['serviceprovider', 'foo']);
    assert.doesNotMatch(await tenant.run('api-resources', '--cached=false'), /foo\.services/);
    assert.doesNotMatch(await operator.run('api-resources', '--cached=false'), /foo\.services/);
    for (const kind of ['deployments', 'jobs', 'services', 'serviceaccounts', 'roles', 'rolebindings', 'pods']) {
      const names = (await operator.list<LooseObject>(kind, '-n', 'openmcp-system')).map(
        ({ metadata }) => metadata.name,
      );
      assert.deepEqual(
        names.filter(name => name.startsWith('sp-foo')),
        [],
        kind,
      );
    }
    for (const kind of ['clusterroles', 'clusterrolebindings']) {
      const names = (await operator.list<LooseObject>(kind)).map(({ metadata }) => metadata.name);
      assert.deepEqual(
        names.filter(name => name.includes('sp-foo')),
        [],
        kind,
      );
    }
  });

  it('4g: serves on without its provider, with new tokens', async () => {
    await endTokens('c');
    await greets('c', 'third');
    const retained = await seen(tenant, ['retainedservice', 'foo-c', workspace], object => isTrue(object, 'Ready'));
    assert.equal(retained.metadata.deletionTimestamp, undefined);
  });

  it('4h: takes over what it had left when it is installed and ordered again', async () => {
    await operator.apply(await readFile(folder.join('foo', 'install.yaml'), 'utf8'));
    await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Initialized'));
    await operator.apply(await readFile(folder.join('foo', 'config.yaml'), 'utf8'));
    await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Ready'));
    await tenant.apply(foo('c'));
    await fooServes('c');
    await gone(tenant, ['retainedservice', 'foo-c', workspace]);
    const again = await (await onCluster('workload', 'c')).find('deployment', 'foo', keptIn);
    assert.equal(again?.metadata.uid, kept?.metadata.uid);
    assert.equal(again?.metadata.labels?.['openmcp.cloud/managed-by'], 'foo');
    assert.equal(again && isHeld(again), false);
    await eventually(async () => (await tenant.run('events', '-n', workspace)).includes('Adopted'));
  });

  it('4i: deleted with the policy Orphan, goes at once and leaves all services running', async () => {
    await operator.run('patch', 'serviceprovider', 'foo', '--type=merge', '-p', '{"spec":{"deletionPolicy":"Orphan"}}');
    await seen(operator, ['serviceprovider', 'foo'], object => isTrue(object, 'Ready'));
    await operator.run('delete', 'serviceprovider', 'foo', '--wait=false');
    await gone(operator, ['serviceprovider', 'foo']);
    assert.doesNotMatch(await tenant.run('api-resources', '--cached=false'), /foo\.services/);
    await seen(tenant, ['retainedservice', 'foo-c', workspace], object => isTrue(object, 'Ready'));
    await endTokens('c');
    await greets('c', 'fourth');
  });

  it('4j: keeps the control plane that it needs, and ends with its RetainedService', async () => {
    const workload = await onCluster('workload', 'c');
    await tenant.run('delete', 'controlplane', 'c', '-n', workspace, '--wait=false');
    const waiting = await seen(
      tenant,
      ['controlplane', 'c', workspace],
      object => conditionOf(object, 'RetainedServicesEnded')?.status === 'False',
    );
    assert.match(conditionOf(waiting, 'RetainedServicesEnded')?.message ?? '', /RetainedService "foo-c"/);
    assert.equal((await workload.find('deployment', 'foo', keptIn))?.status?.['availableReplicas'], 1);
    await tenant.run('delete', 'retainedservice', 'foo-c', '-n', workspace);
    await gone(tenant, ['controlplane', 'c', workspace]);
    const left = await workload.attempt('get', 'namespace', keptIn);
    assert.notEqual(left.code, 0, 'the namespace of the service is left');
    assert.equal(await tenant.find('configmap', 'foo-c-receipt', workspace), undefined);
    for (const kind of ['accessrequests', 'clusterrequests'])
      assert.deepEqual((await operator.list<LooseObject>(kind, '-A')).filter(isHeld), []);
  });

  it('TEARDOWN: leaves nothing', async () => {
    for (const name of ['a', 'b', 'g', 'h'])
      await tenant.run('delete', 'controlplane', name, '-n', workspace, '--wait=false');
    for (const name of ['a', 'b', 'g', 'h']) await gone(tenant, ['controlplane', name, workspace]);
    await tenant.run('delete', 'workspace', 'main', '-n', 'project-shop');
    await tenant.run('delete', 'project', 'shop');
    await operator.run('delete', 'accessrequests', '-n', 'openmcp-system', '--all');
    const namespaces = (await operator.list<LooseObject>('namespaces')).map(({ metadata }) => metadata.name);
    assert.deepEqual(
      namespaces.filter(name => name.startsWith('mcp--')),
      [],
    );
    await eventually(async () => {
      const clusters = await operator.list<LooseObject>('clusters', '-n', 'openmcp-system');
      assert.deepEqual(
        clusters.map(({ metadata }) => metadata.name),
        ['onboarding', 'platform'],
      );
      return true;
    });
    assert.deepEqual(await processesOf(landscape.process.pid), []);
  });
});

/** What a process started and has not ended, but for the watchdog of its node. */
async function processesOf(pid: number): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,args=']);
  const children = stdout.split('\n').filter(line => line.trim().startsWith(`${pid} `));
  return children.filter(line => !/watchdog|sh -c|\/bin\/sh/.test(line));
}
