import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { createClient, type HttpClient, loadKubeconfig } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { startOsbBroker, type TestOsbBroker } from '../service-manager/commands/test-osb-broker.ts';
import { startTestServiceManager, type TestServiceManager } from '../service-manager/commands/test-service-manager.ts';
import type { Ran } from '../test-cli.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;
const tenants = 'core.openmcp.cloud';
const brokers = 'brokers.chandlery.io';
const project = 'project-acme';
const workspace = 'project-acme--ws-dev';
const tia = { kind: 'ServiceAccount', name: 'tia', namespace: 'chandlery-users' };

/** A right of the day, the step that cannot do without it, and what its message must say. */
interface Case {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  /** Default: the cluster scope. */
  readonly namespace?: string;
  readonly step: string;
  /** Whom to ask. */
  readonly ask: RegExp;
}

const operator = /Next: {2}Ask the operator of the landscape for it \(cluster "onboarding"\)\./;
const ofProject = /Next: {2}Ask an administrator of project "acme" for it(: .+)?\./;
const ofWorkspace = /Next: {2}Ask an administrator of workspace "dev" of project "acme" for it(: .+)?\./;
const inTenant = `--project acme --workspace dev`;

const cases: readonly Case[] = [
  { verb: 'create', resource: 'projects', group: tenants, step: 'project create other', ask: operator },
  { verb: 'get', resource: 'projects', group: tenants, step: 'project get acme', ask: ofProject },
  { verb: 'list', resource: 'projects', group: tenants, step: 'wait project/acme --timeout 3', ask: ofProject },
  { verb: 'delete', resource: 'projects', group: tenants, step: 'project delete acme --yes', ask: ofProject },
  ...(['create', 'get', 'delete'] as const).map(verb => ({
    verb,
    resource: 'workspaces',
    group: tenants,
    namespace: project,
    step: `workspace ${verb} ${verb === 'create' ? 'other' : 'dev'} --project acme${verb === 'delete' ? ' --yes' : ''}`,
    ask: ofProject,
  })),
  ...(['create', 'get', 'delete'] as const).map(verb => ({
    verb,
    resource: 'controlplanes',
    group: 'core.open-control-plane.io',
    namespace: workspace,
    step: `controlplane ${verb} ${verb === 'create' ? 'other' : 'web'} ${inTenant}${verb === 'delete' ? ' --yes' : ''}`,
    ask: ofWorkspace,
  })),
  {
    verb: 'create',
    resource: 'serviceinstances',
    group: brokers,
    namespace: workspace,
    step: `order create database --plan small --name other -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'create',
    resource: 'serviceinstances',
    group: brokers,
    namespace: workspace,
    step: `instance create other database small -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'list',
    resource: 'serviceinstances',
    group: brokers,
    namespace: workspace,
    step: `trace serviceinstance/shop -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'list',
    resource: 'serviceinstances',
    group: brokers,
    namespace: workspace,
    step: `instance get shop -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'get',
    resource: 'serviceinstances',
    group: brokers,
    namespace: workspace,
    step: `get serviceinstance shop -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'update',
    resource: 'serviceinstances',
    group: brokers,
    namespace: workspace,
    step: `instance update shop --new-name store -n ${workspace}`,
    ask: ofWorkspace,
  },
  ...['share', 'unshare'].map(step => ({
    verb: 'update',
    resource: 'serviceinstances',
    group: brokers,
    namespace: workspace,
    step: `instance ${step} shop -n ${workspace}`,
    ask: ofWorkspace,
  })),
  {
    verb: 'delete',
    resource: 'serviceinstances',
    group: brokers,
    namespace: workspace,
    step: `instance delete shop --yes -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'create',
    resource: 'servicebindings',
    group: brokers,
    namespace: workspace,
    step: `binding create shop other -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'list',
    resource: 'servicebindings',
    group: brokers,
    namespace: workspace,
    step: `binding get app -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'delete',
    resource: 'servicebindings',
    group: brokers,
    namespace: workspace,
    step: `binding delete shop app --yes -n ${workspace}`,
    ask: ofWorkspace,
  },
  {
    verb: 'list',
    resource: 'orders',
    group: 'orders.chandlery.io',
    namespace: workspace,
    step: `order list -n ${workspace}`,
    ask: ofWorkspace,
  },
];

describe("a tenant's day with a right missing", () => {
  let sm: TestServiceManager;
  let broker: TestOsbBroker;
  let admin: HttpClient;
  const run = (line: string): Promise<Ran> => sm.run(...line.split(' '));
  const asTia = (line: string): Promise<Ran> => run(`${line} --kubeconfig tia`);

  before(async () => {
    sm = await startTestServiceManager();
    broker = await startOsbBroker('database');
    admin = createClient(loadKubeconfig(sm.path('.chandlery/admin.kubeconfig'), { context: 'onboarding' }));
    for (const line of [
      `broker register pg ${broker.url} -b admin:secret`,
      'visibility create service-manager database/small',
      'project create acme --admin ann --wait',
      'workspace create dev --project acme --admin ann --wait',
      `instance create shop database small --mode sync -n ${workspace}`,
      `binding create shop app --mode sync -n ${workspace}`,
      `controlplane create web ${inTenant}`,
    ])
      assert.equal((await run(line)).code, 0, line);
    await restrictProjects();
    writeFileSync(sm.path('tia'), (await run('kubeconfig onboarding --user tia')).stdout);
    await bind(undefined);
    await bind(project);
    await bind(workspace);
  });
  after(async () => {
    await admin?.[Symbol.asyncDispose]();
    await broker?.[Symbol.asyncDispose]();
    await sm?.[Symbol.asyncDispose]();
  });

  /** Creation of projects is open to all by default: here it is a right like others. */
  async function restrictProjects(): Promise<void> {
    const role = { ...rbac, plural: 'clusterrolebindings', name: 'chandlery:project-creator' };
    const config = { group: tenants, version: 'v1alpha1', plural: 'projectworkspaceconfigs', name: 'default' };
    const body = {
      apiVersion: `${tenants}/v1alpha1`,
      kind: 'ProjectWorkspaceConfig',
      metadata: { name: 'default', annotations: { 'core.chandlery.io/project-creation': 'restricted' } },
      spec: {},
    };
    await admin.patch(config, { type: 'apply', body, force: true }, { fieldManager: 'test' });
    const isGone = async () => (await admin.get(role).catch(() => undefined)) === undefined;
    await eventually(isGone, { what: 'the right to create projects to be taken away' });
  }

  const placeOf = (namespace: string | undefined) =>
    namespace === undefined
      ? { kind: 'ClusterRole', plural: 'clusterroles', metadata: { name: 'day' } }
      : { kind: 'Role', plural: 'roles', metadata: { name: 'day', namespace } };

  async function bind(namespace: string | undefined): Promise<void> {
    const { kind, plural, metadata } = placeOf(namespace);
    const at = namespace === undefined ? {} : { namespace };
    await admin.patch(
      { ...rbac, plural: plural.replace('roles', 'rolebindings'), ...at, name: 'day' },
      {
        type: 'apply',
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: `${kind}Binding`,
          metadata,
          roleRef: { apiGroup: rbac.group, kind, name: 'day' },
          subjects: [tia],
        },
      },
      { fieldManager: 'test' },
    );
  }

  /** Gives all rights of the day but one, and waits until it counts. */
  async function giveAllBut(missing: Case): Promise<void> {
    for (const namespace of [undefined, project, workspace]) {
      const { kind, plural, metadata } = placeOf(namespace);
      const rules = cases
        .filter(right => right.namespace === namespace)
        .filter(({ verb, resource }) => verb !== missing.verb || resource !== missing.resource)
        .map(({ verb, resource, group = '' }) => ({ apiGroups: [group], resources: [resource], verbs: [verb] }));
      const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata, rules } as never;
      const at = namespace === undefined ? {} : { namespace };
      await admin.patch(
        { ...rbac, plural, ...at, name: 'day' },
        { type: 'apply', body, force: true },
        { fieldManager: 'test' },
      );
    }
    await eventually(async () => !(await isAllowed(missing)), {
      what: `${missing.verb} ${missing.resource} to be taken`,
    });
  }

  async function isAllowed({ verb, resource, group = '', namespace }: Case): Promise<boolean> {
    const reviews = { group: 'authorization.k8s.io', version: 'v1', plural: 'subjectaccessreviews' };
    const attributes = { verb, resource, group, ...(namespace === undefined ? {} : { namespace }) };
    const review = (await admin.create(reviews, {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user: 'system:serviceaccount:chandlery-users:tia', resourceAttributes: attributes },
    } as never)) as { status?: { allowed?: boolean } };
    return review.status?.allowed === true;
  }

  for (const missing of cases) {
    const { verb, resource, group = '', namespace, step, ask } = missing;
    test(`${step}: ${verb} ${resource}.${group} is named`, async () => {
      await giveAllBut(missing);
      const { code, stderr } = await asTia(step);
      assert.equal(code, 1, stderr);
      const [why = ''] = /^Why: .*$/m.exec(stderr) ?? [];
      assert.match(why, new RegExp(`\\b${verb}\\b.*\\b${resource}\\b`));
      if (namespace !== undefined) assert.ok(why.includes(namespace), why);
      assert.match(why, /cluster "onboarding"/);
      assert.match(stderr, ask);
      assert.match(stderr, /^Code: {2}(Orders:f|F)orbidden$/m);
    });
  }

  test('lists that are empty for want of a right name it', async () => {
    const orderable = await asTia('marketplace');
    assert.match(orderable.stdout, /^database +small +/m, orderable.stderr);
    await giveAllBut({ verb: 'list', resource: 'serviceinstances', group: brokers, step: '', ask: operator });
    for (const step of [`instance list -n ${workspace}`, `marketplace -n ${workspace}`]) {
      const { code, stderr } = await asTia(step);
      assert.equal(code, 0);
      assert.match(stderr, /^No service .* found\.\nNote: you may not list serviceinstances\.brokers.* Ask an admin/);
    }
  });

  test('plan needs the platform cluster, which no right of a tenant opens, and says so', async () => {
    const { code, stderr } = await asTia('plan serviceinstance/shop');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^Why: {3}these credentials are valid on cluster "onboarding" only, .*reads cluster "platform" too$/m,
    );
    assert.match(stderr, /^Next: {2}Ask the operator of the landscape to run it, or use .*get, trace/m);
  });

  test('status needs no right, and counts what may be read', async () => {
    const { code, stdout } = await asTia('status');
    assert.equal(code, 0);
    assert.match(stdout, /^Logical clusters: +unknown$/m);
    assert.match(stdout, /^Only what you may read is counted\.$/m);
  });
});
