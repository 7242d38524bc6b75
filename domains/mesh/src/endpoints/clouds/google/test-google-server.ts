import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { EndpointHealth } from '../../../model/endpoint.ts';
import type { TestCloudServer, TestMachine } from '../test-cloud-contract.ts';
import { startTestHttpServer, type TestRequest, type TestResponse, type TestTls } from '../test-http-server.ts';
import { TestQueue } from '../test-queue.ts';

export const testProject = 'shop-prod';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const email = `mesh@${testProject}.iam.gserviceaccount.com`;

/** A key of a service account, as Google gives it. The address of its token service is a trap. */
export const testKey = {
  'key.json': JSON.stringify({
    type: 'service_account',
    project_id: testProject,
    private_key_id: 'k1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: email,
    token_uri: 'http://169.254.169.254/token',
  }),
};

/** What the token service grants. */
export const testToken = 'google-token';
/** The same for events. */
export const testEventToken = 'google-event-token';
/** A pull waits so long for messages. */
const pullWaitMs = 500;
/** Pages are short, so that each list has several. */
const pageSize = 2;

const statuses: Readonly<Record<EndpointHealth, string>> = {
  healthy: 'RUNNING',
  draining: 'STOPPING',
  unhealthy: 'REPAIRING',
};
const statusOf = ({ health, phase }: TestMachine): string =>
  phase === undefined ? statuses[health] : { starting: 'STAGING', stopped: 'TERMINATED' }[phase];

/** A member of a managed group. */
export interface TestMember {
  readonly machine: TestMachine;
  readonly currentAction?: string;
  readonly health?: string;
}

export interface TestGoogleServer extends TestCloudServer {
  readonly requests: string[];
  /** The subscription `machines` of the project. */
  readonly queue: TestQueue;
  setManagedGroup(path: string, members: readonly TestMember[]): void;
  setPlainGroup(path: string, machines: readonly TestMachine[]): void;
  /** Zones that do not respond, and their groups. Default: none. */
  setUnreachable(zones: readonly string[]): void;
  /** Responds with this instead. Default: nothing. */
  intercept(respond: ((request: TestRequest) => TestResponse | undefined) | undefined): void;
}

/** A server that speaks the protocols of Compute Engine and of Google's token service, with one project. */
export async function startTestGoogleServer(tls?: TestTls): Promise<TestGoogleServer> {
  const machines = new Map<string, readonly TestMachine[]>();
  const managed = new Map<string, readonly TestMember[]>();
  const plain = new Map<string, readonly TestMachine[]>();
  const requests: string[] = [];
  const queue = new TestQueue();
  let unreachable: readonly string[] = [];
  let interceptor: ((request: TestRequest) => TestResponse | undefined) | undefined;
  const respond = (request: TestRequest): TestResponse | Promise<TestResponse> => {
    const { pathname } = request.url;
    requests.push(pathname);
    const intercepted = interceptor?.(request);
    if (intercepted !== undefined) return intercepted;
    if (pathname === '/token') return grant(request);
    if (pathname.startsWith('/v1/')) return respondAsPubSub(request, queue);
    if (request.headers.authorization !== `Bearer ${testToken}`) return errorOf(401);
    const [, path] = new RegExp(`^/compute/v1/projects/${testProject}/(.+)$`).exec(pathname) ?? [];
    if (path === undefined) return errorOf(404);
    if (!(Number(request.url.searchParams.get('maxResults') ?? 500) <= 500)) return errorOf(400);
    if (path === 'aggregated/instances') {
      // Without a part of the zones there is no response, unless a part is asked for.
      if (unreachable.length > 0 && request.url.searchParams.get('returnPartialSuccess') !== 'true')
        return errorOf(503);
      const present = [...machines.values()].flat().filter(({ zone }) => !unreachable.includes(zone));
      return aggregate(present, unreachable, request);
    }
    if (request.method !== 'POST') return errorOf(404);
    const group = path.replace('/instanceGroupManagers/', '/instanceGroups/').replace(/\/list\w+$/, '');
    if (unreachable.some(zone => group.startsWith(`zones/${zone}/`))) return errorOf(503);
    const [members, instances] = [managed.get(group), plain.get(group)];
    if (path.endsWith('/listManagedInstances') && members !== undefined)
      return pageOf(members.map(memberOf), 'managedInstances', request);
    if (path.endsWith('/listInstances') && instances !== undefined)
      return pageOf(
        instances.map(machine => ({ instance: urlOf(machine), status: 'RUNNING' })),
        'items',
        request,
      );
    return errorOf(404);
  };
  const server = await startTestHttpServer(respond, tls);
  return {
    ...server,
    ...{ requests, queue },
    setMachines: (service, own) => void machines.set(service, own),
    setManagedGroup: (path, members) => void managed.set(path, members),
    setPlainGroup: (path, own) => void plain.set(path, own),
    setUnreachable: zones => {
      unreachable = zones;
    },
    intercept: next => {
      interceptor = next;
    },
  };
}

/** Grants a token for an assertion that the key of the service account has signed. */
function grant({ body }: TestRequest): TestResponse {
  const [header = '', claims = '', signature = ''] = (new URLSearchParams(body).get('assertion') ?? '').split('.');
  const key = createPublicKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const isSigned = verify('RSA-SHA256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'));
  const { iss, aud, scope } = isSigned
    ? (JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>)
    : {};
  const isKnown = iss === email && aud === 'https://oauth2.googleapis.com/token';
  const access_token = scope === 'https://www.googleapis.com/auth/pubsub' ? testEventToken : testToken;
  return isKnown
    ? { body: { access_token, expires_in: 3599, token_type: 'Bearer' } }
    : { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
}

/** Pub/Sub: a pull of messages, and their acknowledgement. */
async function respondAsPubSub({ url, headers, body }: TestRequest, queue: TestQueue): Promise<TestResponse> {
  if (headers.authorization !== `Bearer ${testEventToken}`) return errorOf(403);
  const [name, action] = url.pathname.split(':');
  if (queue.isMissing || name !== `/v1/projects/${testProject}/subscriptions/machines`) return errorOf(404);
  const { maxMessages = 1, ackIds = [] } = JSON.parse(body) as {
    readonly maxMessages?: number;
    readonly ackIds?: readonly string[];
  };
  if (action === 'acknowledge') {
    for (const id of ackIds) queue.remove(id);
    return { body: {} };
  }
  if (action !== 'pull') return errorOf(404);
  await queue.waitForMessages(pullWaitMs);
  const receivedMessages = queue.receive(maxMessages).map(({ text, receipt }) => ({
    ackId: receipt,
    message: { data: text, messageId: receipt, publishTime: new Date().toISOString() },
  }));
  return { body: receivedMessages.length === 0 ? {} : { receivedMessages } };
}

const errorOf = (code: number): TestResponse => ({ status: code, body: { error: { code, message: 'no' } } });

function pageOf(items: readonly object[], field: string, { url }: TestRequest): TestResponse {
  const from = Number(url.searchParams.get('pageToken') ?? 0);
  const hasMore = from + pageSize < items.length;
  return {
    body: { [field]: items.slice(from, from + pageSize), ...(hasMore && { nextPageToken: String(from + pageSize) }) },
  };
}

function aggregate(
  machines: readonly TestMachine[],
  unreachable: readonly string[],
  { url }: TestRequest,
): TestResponse {
  const from = Number(url.searchParams.get('pageToken') ?? 0);
  const zones = Object.entries(Object.groupBy(machines.slice(from, from + pageSize), ({ zone }) => `zones/${zone}`));
  const hasMore = from + pageSize < machines.length;
  return {
    body: {
      kind: 'compute#instanceAggregatedList',
      items: {
        ...Object.fromEntries(zones.map(([scope, own = []]) => [scope, { instances: own.map(instanceOf) }])),
        'zones/empty-1-a': { warning: { code: 'NO_RESULTS_ON_PAGE', message: 'none' } },
      },
      ...(unreachable.length > 0 && { unreachables: unreachable.map(zone => `projects/${testProject}/zones/${zone}`) }),
      ...(hasMore && { nextPageToken: String(from + pageSize) }),
    },
  };
}

const urlOf = ({ name, zone }: TestMachine): string =>
  `https://www.googleapis.com/compute/v1/projects/${testProject}/zones/${zone}/instances/${name}`;

const instanceOf = (machine: TestMachine): object => ({
  id: '1',
  name: machine.name,
  selfLink: urlOf(machine),
  zone: `https://www.googleapis.com/compute/v1/projects/${testProject}/zones/${machine.zone}`,
  status: statusOf(machine),
  labels: { app: machine.service },
  networkInterfaces: [
    isIPv6(machine.ip)
      ? { ipv6Address: machine.ip }
      : { networkIP: machine.ip, accessConfigs: [{ natIP: machine.ip.replace('10.0.0', '198.51.100') }] },
  ],
});

const memberOf = ({ machine, currentAction = 'NONE', health }: TestMember): object => ({
  instance: urlOf(machine),
  instanceStatus: 'RUNNING',
  currentAction,
  ...(health && { instanceHealth: [{ detailedHealthState: health }] }),
});
