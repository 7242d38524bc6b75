import assert from 'node:assert/strict';
import { join } from 'node:path';
import {
  eventually,
  type LandscapeRequest,
  runProcess,
  startTestLandscape,
  type TestCluster,
  type TestLandscape,
} from '@chandlery/testing';
import { type Person, peopleOf, personWith } from '../../provider-validation/support/people.ts';
import { installDatabases } from '../../support/install-databases.ts';
import { startProxyProcess } from '../../two-platforms/support/proxies.ts';

const root = join(import.meta.dirname, '../../../..');
const chandlery = join(root, 'apps/cli/bin/chandlery.mjs');

/** The tenant that buys everything. */
export const tenant = 'acme';

/** The names of what it buys, and with which parameters. */
export const offerings = {
  database: { offering: 'postgresdatabase', plan: 'default', parameters: { version: '17' } },
  product: { offering: 'dinosaurs', plan: 'standard.x1', parameters: {} },
  workflow: { offering: 'report', plan: 'default', parameters: { who: 'you' } },
} as const;

/** A row of the service manager. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly ready: boolean;
  readonly platform_id: string;
  readonly service_plan_id: string;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
}

/** A landscape with three kinds of offerings, a tenant, and a Kubernetes whose proxy belongs to the tenant. */
export interface CatalogueWorld extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly operator: Person;
  readonly buyer: Person;
  /** The proxied Kubernetes. */
  readonly cluster: TestCluster;
  readonly platformId: string;
  /** The URN of the workflow service. */
  readonly service: string;
  /** Sends a request for the tenant; fails unless it is answered with one of the statuses. */
  readonly request: <T>(path: string, request?: LandscapeRequest, statuses?: readonly number[]) => Promise<T>;
  /** Runs the command line; fails when it does. */
  readonly cli: (...args: readonly string[]) => Promise<string>;
  /** A token of the fleet for a user of the tenant's organisation. Default: alice. */
  fleetToken(user?: string): Promise<string>;
  instances(): Promise<readonly Row[]>;
}

export async function startCatalogueWorld(): Promise<CatalogueWorld> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startTestLandscape());
  const { operator } = peopleOf(landscape);
  const buyer = personWith(landscape.kubeconfig, 'onboarding');
  const request: CatalogueWorld['request'] = async (path, options = {}, statuses = [200, 201, 202]) => {
    const headers = { 'x-chandlery-tenant': tenant, 'x-chandlery-namespace': tenant, ...options.headers };
    const answer = await landscape.request(path, { ...options, headers });
    assert.ok(statuses.includes(answer.status), `${path}: ${answer.status} ${answer.text}`);
    return (answer.text === '' ? {} : answer.json()) as never;
  };
  const cli: CatalogueWorld['cli'] = async (...args) => {
    const all = [chandlery, ...args, '--data-dir', landscape.dataDir];
    const { code, stdout, stderr } = await runProcess(process.execPath, all, { cwd: root, timeoutMs: 120_000 });
    assert.equal(code, 0, `chandlery ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  await buyer.run('create', 'namespace', tenant);
  await installDatabases(operator);
  const { id: service } = await request<{ id: string }>('/1/services2', { body: workflowService });
  const cluster = await landscape.createCluster('shop');
  const platformId = await openShop({ landscape, request }, stack);
  const all = stack.move();
  return {
    landscape,
    operator,
    buyer,
    cluster,
    platformId,
    service,
    request,
    cli,
    fleetToken: async (user = 'alice') => (await cli('fleet', 'token', '--org', tenant, '--user', user)).trim(),
    instances: async () => (await request<{ items: Row[] }>('/v1/service_instances?max_items=200')).items,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const workflowService = {
  name: 'report',
  description: 'Writes a report in two steps',
  parameters: [{ name: 'who', type: 'string', description: 'For whom' }],
  controller: {
    $schema: 'urn:ivcap:schema:service.argo-wf.1',
    entrypoint: 'main',
    templates: [
      { name: 'main', steps: [[{ name: 'gather', template: 'say' }], [{ name: 'write', template: 'say' }]] },
      {
        name: 'say',
        container: {
          image: 'alpine:3.7',
          command: ['sh', '-c'],
          args: ['echo a report for {{workflow.parameters.who}}'],
        },
      },
    ],
  },
};

/** Registers the Kubernetes of the tenant, opens the three plans to it, and starts its proxy. */
async function openShop(
  { landscape, request }: Pick<CatalogueWorld, 'landscape' | 'request'>,
  stack: AsyncDisposableStack,
): Promise<string> {
  const platform = await request<Platform>('/v1/platforms', { body: { name: 'shop', type: 'kubernetes' } });
  for (const { offering, plan } of Object.values(offerings)) {
    const planId = await eventually(() => findPlan(landscape, offering, plan), {
      what: `the plan ${offering}/${plan}`,
    });
    const body = { platform_id: platform.id, service_plan_id: planId };
    const headers = { 'x-chandlery-tenant': 'service-manager' };
    await request('/v1/visibilities', { body, headers });
  }
  stack.use(
    await startProxyProcess({
      serviceManagerUrl: landscape.url,
      serviceManagerCa: join(landscape.dataDir, 'ca.crt'),
      login: platform.credentials.basic,
      flags: ['--kubeconfig', landscape.kubeconfig, '--kube-context', 'shop', '--broker-poll-ms', '200'],
    }),
  );
  return platform.id;
}

interface Platform {
  readonly id: string;
  readonly credentials: { readonly basic: { readonly username: string; readonly password: string } };
}

async function findPlan(landscape: TestLandscape, offering: string, plan: string): Promise<string | undefined> {
  const list = async (path: string, query: string) => {
    const answer = await landscape.request(`${path}?fieldQuery=${encodeURIComponent(query)}`);
    return answer.json<{ items: { id: string }[] }>().items[0]?.id;
  };
  const offeringId = await list('/v1/service_offerings', `name eq '${offering}'`);
  if (offeringId === undefined) return undefined;
  return list('/v1/service_plans', `service_offering_id eq '${offeringId}' and name eq '${plan}'`);
}
