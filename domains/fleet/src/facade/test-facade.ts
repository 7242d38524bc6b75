import { randomBytes } from 'node:crypto';
import { apiError } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { createHttpHost } from '@chandlery/http';
import {
  constantAuthority,
  createCertificateAuthority,
  Keyring,
  type LogFields,
  type Logger,
  silentLogger,
  systemClock,
} from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import { type ActionDeps } from '../actions/action-deps.ts';
import { configure } from '../actions/configure.ts';
import type { AdminPatchRequest, ClusterReport, InstanceReport } from '../actions/fleet-actions.ts';
import type { LifecycleActions } from '../actions/lifecycle-actions.ts';
import { fleetError } from '../errors.ts';
import { fleetKinds, fleetNamespace } from '../kinds/index.ts';
import { exampleDocument } from '../model/configuration/test-document.ts';
import { openFleet } from '../open-fleet.ts';
import type { MeasuredSample, MetricsSource, TermsQuestion } from '../ports.ts';
import { createRow, type FleetRegistry, type InstanceRow, updateRow } from '../registry/fleet-registry.ts';
import type { FleetBody } from './test-body.ts';

/** Issuers of the example document. */
export const issuers = {
  users: 'https://login.example.com/auth/realms/users',
  agents: 'https://login.example.com/auth/realms/agents',
  staff: 'https://login.example.com/auth/realms/staff',
  own: 'https://chandlery.local/fleet',
} as const;

type Claims = Readonly<Record<string, unknown>>;

/** A token of a test: its issuer and claims, taken as they are. */
export const testToken = (issuer: string, claims: Claims): string =>
  Buffer.from(
    JSON.stringify({ issuer, claims: { typ: 'Bearer', iat: Math.floor(Date.now() / 1000), ...claims } }),
  ).toString('base64url');

/** The token of a user of an organisation with quota. */
export const userToken = (username = 'zoe', claims: Claims = {}): string =>
  testToken(issuers.users, { username, org_id: '13640203', ...claims });

/** The token of a user with a role for the admin API. */
export const staffToken = (level: 'read' | 'write' | 'full'): string =>
  testToken(issuers.staff, { username: 'sam', realm_access: { roles: [`fleet-manager-admin-${level}`] } });

/** The token of the agent of a cluster. */
export const agentToken = (clusterId = 'frankfurt-1', issuer: string = issuers.agents): string =>
  testToken(issuer, {
    username: 'agent',
    realm_access: { roles: ['fleetshard_operator'] },
    'fleetshard-operator-cluster-id': clusterId,
  });

/** The token of the landscape's administrator. */
export const adminToken = 'administrator';

/** What the use cases were asked for. */
export interface SeenActions {
  readonly patches: AdminPatchRequest[];
  readonly reports: ReadonlyMap<string, InstanceReport>[];
  readonly clusterReports: ClusterReport[];
  readonly samples: (readonly [string, readonly MeasuredSample[]])[];
}

/** A response. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Without fields where the response has no JSON. */
  readonly body: FleetBody;
}

/** What is sent besides method and path. */
export interface TestRequest {
  /** Default: a user with quota; `null`: anonymous. */
  readonly token?: string | null;
  /** Text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The REST APIs over HTTP on a real registry, with use cases of the life cycle that record what they are asked for. */
export interface TestFacade extends AsyncDisposable {
  readonly client: AtomicClient;
  readonly registry: FleetRegistry;
  readonly seen: SeenActions;
  readonly logged: { readonly message: string; readonly fields: LogFields }[];
  /** Replaceable parts of the world. */
  readonly world: { askTerms: (question: TermsQuestion) => Promise<{ isRequired: boolean }>; metrics: MetricsSource };
  readonly port: number;
  configure(sections?: Record<string, unknown>): Promise<void>;
  /** Writes an instance as workers would leave it. */
  addInstance(name: string, changes?: InstanceChanges): Promise<InstanceRow>;
  ask(method: string, path: string, request?: TestRequest): Promise<TestResponse>;
  /** How many reads the store was asked for so far. */
  readonly storeReads: () => number;
  /** As at the end of the process. */
  endPolls(): void;
}

export interface InstanceChanges {
  readonly id?: string;
  readonly spec?: Partial<InstanceRow['spec']>;
  readonly status?: InstanceRow['status'];
}

/** The base of the product's paths. */
export const base = '/api/dinosaurs_mgmt/v1';

/** Keys that only this test has. */
const testKeys = () => ({
  authority: constantAuthority(createCertificateAuthority({ commonName: 'test', now: new Date() })),
  keyring: new Keyring([{ id: '0123456789abcdef', key: randomBytes(32) }]),
});

export async function startTestFacade(sections: Record<string, unknown> = {}): Promise<TestFacade> {
  await using stack = new AsyncDisposableStack();
  const kinds = Object.values(fleetKinds).map(({ declaration }) => declaration);
  const { client, storeReads } = stack.use(await startTestPlane({ kinds }));
  const host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
  stack.defer(() => host.close({ graceMs: 0 }));
  const seen: SeenActions = { patches: [], reports: [], clusterReports: [], samples: [] };
  const logged: TestFacade['logged'] = [];
  const world: TestFacade['world'] = { askTerms: async () => ({ isRequired: false }), metrics: noMetrics };
  const fleet = stack.use(
    await openFleet({
      client,
      host,
      keys: testKeys(),
      logger: recordingLogger(logged),
      createLifecycle: deps => recordingLifecycle(deps, seen),
      verifyBearer: verifyTestToken,
      findOperator: async ({ headers }) => {
        if (headers.authorization === 'Bearer broken') throw apiError('Unauthorized', 'the token is broken');
        return {
          username: headers.authorization === `Bearer ${adminToken}` ? 'admin' : undefined,
          isAnonymous: headers.authorization === undefined,
        };
      },
      askTerms: question => world.askTerms(question),
      metricsOf: () => world.metrics,
      recordMetrics: () => ({ record: (id, samples) => void seen.samples.push([id, samples]) }),
      landscapeTokens: {
        issuer: issuers.own,
        issue: order => ({ token: testToken(issuers.own, { username: order.username }), expirationTimestamp: '' }),
      },
    }),
  );
  const { registry } = fleet;
  const deps: ActionDeps = { registry, clock: systemClock, logger: silentLogger };
  const putIntoForce = async (changed: Record<string, unknown> = {}): Promise<void> => {
    await configure(deps, { document: exampleDocument(changed), username: 'operator' });
  };
  await putIntoForce(sections);
  const { port } = await host.listenPlain({ port: 0 });
  const all = stack.move();
  return {
    client,
    registry,
    seen,
    logged,
    world,
    port,
    configure: putIntoForce,
    addInstance: (name, changes) => addInstance(registry, name, changes),
    ask: (method, path, request) => ask(`http://127.0.0.1:${port}${path}`, method, request),
    storeReads,
    endPolls: () => fleet.endPolls(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function verifyTestToken(token: string) {
  if (token === adminToken) return { type: 'operator', username: 'admin' } as const;
  if (token === 'unavailable') return { type: 'unavailable', reason: 'the issuer is away' } as const;
  try {
    const { issuer, claims } = JSON.parse(Buffer.from(token, 'base64url').toString()) as {
      issuer: string;
      claims: Claims;
    };
    return { type: 'verified', issuer, claims } as const;
  } catch {
    return { type: 'rejected', reason: 'Bearer token is malformed' } as const;
  }
}

/** Deletes for real, without the checks of the life cycle, and records everything else. */
function recordingLifecycle({ registry }: ActionDeps, seen: SeenActions): LifecycleActions {
  const deprovision = async (id: string): Promise<void> => {
    const row = registry.instances.get(id);
    if (row === undefined) throw fleetError(7);
    await registry.commit([updateRow({ table: 'instances', row, status: { ...row.status, state: 'deprovision' } })]);
  };
  return {
    delete: (_product, _caller, id) => deprovision(id),
    adminDelete: (_product, id) => deprovision(id),
    adminPatch: async (_product, id, patch) => {
      seen.patches.push(patch);
      const row = registry.instances.get(id);
      if (row === undefined) throw fleetError(7);
      return row;
    },
    reportInstances: async (_product, _cluster, reports) => void seen.reports.push(reports),
    reportCluster: async (_product, _cluster, report) => void seen.clusterReports.push(report),
    agentSeen: () => undefined,
  };
}

async function addInstance(registry: FleetRegistry, name: string, changes: InstanceChanges = {}): Promise<InstanceRow> {
  const { id = registry.newFleetId(), spec = {}, status = {} } = changes;
  const whole = {
    product: 'dinosaurs',
    owner: 'zoe',
    organisation: '13640203',
    cloudProvider: 'aws',
    region: 'eu-central-1',
    multiAz: true,
    name,
    ...spec,
  };
  await registry.commit([
    createRow({ table: 'instances', id, tenant: fleetNamespace, spec: whole, status: { state: 'ready', ...status } }),
  ]);
  return registry.instances.get(id) as InstanceRow;
}

async function ask(url: string, method: string, request: TestRequest = {}): Promise<TestResponse> {
  const { token = userToken(), body, headers = {}, signal } = request;
  const response = await fetch(url, {
    method,
    headers: token === null ? headers : { authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): FleetBody {
  try {
    return JSON.parse(text) as FleetBody;
  } catch {
    return {} as FleetBody;
  }
}

const noMetrics: MetricsSource = {
  queryRange: async () => [],
  query: async () => [],
  federate: async () => '',
};

const recordingLogger = (logged: TestFacade['logged']): Logger => {
  const record = (message: string, fields: LogFields = {}): void => void logged.push({ message, fields });
  const logger: Logger = {
    debug: record,
    info: record,
    warn: record,
    error: record,
    child: () => logger,
    isEnabled: () => true,
  };
  return logger;
};
