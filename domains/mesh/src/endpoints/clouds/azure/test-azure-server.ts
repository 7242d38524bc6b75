import { isIPv6 } from 'node:net';
import type { EndpointHealth } from '../../../model/endpoint.ts';
import type { TestCloudServer, TestMachine } from '../test-cloud-contract.ts';
import {
  RawBody,
  startTestHttpServer,
  type TestRequest,
  type TestResponse,
  type TestTls,
} from '../test-http-server.ts';
import { TestQueue } from '../test-queue.ts';

export const testSubscription = '11111111-2222-3333-4444-555555555555';
export const testTenant = '99999999-8888-7777-6666-555555555555';
export const testSecret = { clientId: 'client', clientSecret: 'not-a-secret' };

const token = 'azure-token';
/** Tokens are for one API each. */
const storageToken = 'azure-storage-token';
const group = `/subscriptions/${testSubscription}/resourceGroups/mesh-rg`;
const scaleSetId = (name: string): string => `${group}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`;
/** Pages are short, so that each list has several. */
const pageSize = 2;
/** Versions of the APIs that Azure accepts, some of many. Those of another provider are none. */
const computeVersions = [
  '2018-10-01',
  '2023-07-01',
  '2024-03-01',
  '2024-07-01',
  '2024-11-01',
  '2025-04-01',
  '2026-03-01',
];
const networkVersions = [
  '2018-10-01',
  '2023-09-01',
  '2024-05-01',
  '2024-07-01',
  '2024-10-01',
  '2025-03-01',
  '2025-05-01',
];

const powerOf: Readonly<Record<EndpointHealth, string>> = {
  healthy: 'running',
  draining: 'stopping',
  unhealthy: 'running',
};

type ScaleSetMode = 'Uniform' | 'Flexible';

interface ScaleSet {
  readonly mode: ScaleSetMode;
  readonly machines: readonly TestMachine[];
}

export interface TestAzureServer extends TestCloudServer {
  /** The storage queue `machines`. */
  readonly queue: TestQueue;
  /** Paths of requests, without their queries. */
  readonly requests: string[];
  /** Machines of a scale set, by default a uniform one. */
  setScaleSet(name: string, machines: readonly TestMachine[], mode?: ScaleSetMode): void;
  /** Responds with this instead. Default: nothing. */
  intercept(respond: ((request: TestRequest) => TestResponse | undefined) | undefined): void;
}

/** A server that speaks the protocols of Azure Resource Manager and of its login, with one subscription. */
export async function startTestAzureServer(tls?: TestTls): Promise<TestAzureServer> {
  const machines = new Map<string, readonly TestMachine[]>();
  const scaleSets = new Map<string, ScaleSet>();
  const requests: string[] = [];
  const queue = new TestQueue();
  let interceptor: ((request: TestRequest) => TestResponse | undefined) | undefined;
  /** Virtual machines of the subscription: those of flexible sets are among them. */
  const all = (): readonly (TestMachine & { readonly set?: string })[] => [
    ...[...machines.values()].flat(),
    ...[...scaleSets].flatMap(([set, { mode, machines: own }]) =>
      mode === 'Flexible' ? own.map(machine => ({ ...machine, set })) : [],
    ),
  ];
  const lists: readonly (readonly [suffix: string, items: (request: TestRequest) => readonly object[]])[] = [
    [
      '/providers/Microsoft.Compute/virtualMachines',
      ({ url }) => all().map(url.searchParams.has('statusOnly') ? statusOf : machineOf),
    ],
    [
      '/providers/Microsoft.Compute/virtualMachineScaleSets',
      () => [...scaleSets].map(([name, { mode }]) => setOf(name, mode)),
    ],
    [
      '/providers/Microsoft.Network/networkInterfaces',
      () => all().map(machine => interfaceOf(machineId(machine), machine)),
    ],
    ['/providers/Microsoft.Network/publicIPAddresses', () => all().map(publicAddressOf)],
  ];
  const respond = (request: TestRequest): TestResponse => {
    const { pathname } = request.url;
    requests.push(pathname);
    const intercepted = interceptor?.(request);
    if (intercepted !== undefined) return intercepted;
    if (pathname.endsWith('/oauth2/v2.0/token')) return login(request);
    if (pathname.endsWith('/openid-configuration')) return { body: loginConfiguration(request.url) };
    if (queuePath.test(pathname)) return respondAsQueue(request, queue);
    if (request.headers.authorization !== `Bearer ${token}`) return errorOf(401, 'AuthenticationFailed');
    const rejected = checkVersion(request.url);
    if (rejected !== undefined) return rejected;
    if (pathname === `/subscriptions/${testSubscription}`)
      return { body: { subscriptionId: testSubscription, state: 'Enabled' } };
    const list = lists.find(([suffix]) => isPath(pathname, `/subscriptions/${testSubscription}${suffix}`));
    if (list !== undefined) return pageOf(list[1](request), request);
    for (const [name, { mode, machines: own }] of scaleSets) {
      const found = instanceLists.find(([suffix]) => isPath(pathname, `${scaleSetId(name)}/${suffix}`));
      if (mode === 'Uniform' && found !== undefined) return pageOf(found[1](name, own), request);
    }
    return errorOf(404, 'ResourceNotFound');
  };
  const server = await startTestHttpServer(respond, tls);
  return {
    ...server,
    ...{ queue, requests },
    setMachines: (service, own) => void machines.set(service, own),
    setScaleSet: (name, own, mode = 'Uniform') => void scaleSets.set(name, { mode, machines: own }),
    intercept: next => {
      interceptor = next;
    },
  };
}

/** Paths are compared without case. */
const isPath = (pathname: string, wanted: string): boolean => pathname.toLowerCase() === wanted.toLowerCase();

/** Lists below a uniform scale set. */
const instanceLists: readonly (readonly [
  suffix: string,
  items: (set: string, machines: readonly TestMachine[]) => readonly object[],
])[] = [
  ['virtualMachines', (set, machines) => machines.map(machine => instanceOf(set, machine))],
  ['networkInterfaces', (set, machines) => machines.map(machine => interfaceOf(instanceId(set, machine), machine))],
  ['publicipaddresses', (_set, machines) => machines.map(publicAddressOf)],
];

/** The error of a request with a version that its provider does not have. */
function checkVersion({ pathname, searchParams }: URL): TestResponse | undefined {
  const version = searchParams.get('api-version');
  if (version === null) return errorOf(400, 'MissingApiVersionParameter');
  const [, provider = ''] = /\/providers\/(Microsoft\.\w+)\//i.exec(pathname) ?? [];
  if (provider === '') return undefined;
  const known = provider.toLowerCase() === 'microsoft.compute' ? computeVersions : networkVersions;
  return known.includes(version) ? undefined : errorOf(400, 'NoRegisteredProviderFound');
}

/** What the SDK asks before it requests a token. */
const loginConfiguration = ({ origin }: URL): object => ({
  issuer: `${origin}/${testTenant}/v2.0`,
  authorization_endpoint: `${origin}/${testTenant}/oauth2/v2.0/authorize`,
  token_endpoint: `${origin}/${testTenant}/oauth2/v2.0/token`,
  jwks_uri: `${origin}/${testTenant}/discovery/v2.0/keys`,
});

function login({ url, body }: TestRequest): TestResponse {
  const form = new URLSearchParams(body);
  const isKnown =
    url.pathname.startsWith(`/${testTenant}/`) &&
    form.get('client_id') === testSecret.clientId &&
    form.get('client_secret') === testSecret.clientSecret;
  if (!isKnown)
    return { status: 401, body: { error: 'invalid_client', error_description: 'The secret is not-a-secret' } };
  const isStorage = form.get('scope') === 'https://storage.azure.com/.default';
  return { body: { token_type: 'Bearer', expires_in: 3599, access_token: isStorage ? storageToken : token } };
}

/** Where a host name does not say which, SDKs put the storage account before the queue. */
const queuePath = /^(?:\/[a-z0-9]{3,24})?\/machines\/messages(?:\/([^/]+))?$/;

/** The queue service: a list of messages, and their removal. */
function respondAsQueue({ method, url, headers }: TestRequest, queue: TestQueue): TestResponse {
  const xml = (text: string) => ({ headers: { 'content-type': 'application/xml' }, body: new RawBody(text) });
  const error = (status: number, code: string): TestResponse => ({
    status,
    ...xml(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`),
  });
  if (headers.authorization !== `Bearer ${storageToken}` || headers['x-ms-version'] === undefined)
    return error(403, 'AuthorizationPermissionMismatch');
  if (queue.isMissing) return error(404, 'QueueNotFound');
  const [, id = ''] = queuePath.exec(url.pathname) ?? [];
  if (method === 'DELETE') {
    const receipt = url.searchParams.get('popreceipt') ?? '';
    return queue.remove(receipt) && receipt.startsWith(`${id}-`)
      ? { status: 204, body: new RawBody('') }
      : error(404, 'MessageNotFound');
  }
  const messages = queue.receive(Number(url.searchParams.get('numofmessages') ?? 1)).map(({ text, receipt }) => {
    const time = new Date().toUTCString();
    const times = `<InsertionTime>${time}</InsertionTime><ExpirationTime>${time}</ExpirationTime>`;
    const pop = `<PopReceipt>${receipt}</PopReceipt><TimeNextVisible>${time}</TimeNextVisible>`;
    const content = `<DequeueCount>1</DequeueCount><MessageText>${escapeXml(text)}</MessageText>`;
    const messageId = `<MessageId>${receipt.split('-')[0]}</MessageId>`;
    return `<QueueMessage>${messageId}${times}${pop}${content}</QueueMessage>`;
  });
  return xml(`<?xml version="1.0" encoding="utf-8"?><QueueMessagesList>${messages.join('')}</QueueMessagesList>`);
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const errorOf = (status: number, code: string): TestResponse => ({
  status,
  body: { error: { code, message: code } },
});

function pageOf(items: readonly object[], { url }: TestRequest): TestResponse {
  const from = Number(url.searchParams.get('$skiptoken') ?? 0);
  const next = new URL(url);
  next.searchParams.set('$skiptoken', String(from + pageSize));
  const hasMore = from + pageSize < items.length;
  return { body: { value: items.slice(from, from + pageSize), ...(hasMore && { nextLink: next.href }) } };
}

// Azure writes its ids in changing case.
const machineId = ({ name }: TestMachine): string =>
  `${group.replace('mesh-rg', 'MESH-RG')}/providers/Microsoft.Compute/virtualMachines/${name}`;
const instanceId = (set: string, { name }: TestMachine): string => `${scaleSetId(set)}/virtualMachines/${name}`;
const publicId = ({ name }: TestMachine): string => `${group}/providers/Microsoft.Network/publicIPAddresses/${name}`;

const machineOf = (machine: TestMachine & { readonly set?: string }): object => ({
  id: machineId(machine),
  name: machine.name,
  type: 'Microsoft.Compute/virtualMachines',
  location: 'westeurope',
  zones: [machine.zone],
  tags: { app: machine.service },
  properties: {
    ...{ vmId: machine.name, provisioningState: 'Succeeded' },
    ...(machine.set && { virtualMachineScaleSet: { id: scaleSetId(machine.set) } }),
  },
});

const powerStateOf = ({ health, phase }: TestMachine): string =>
  phase === undefined ? powerOf[health] : { starting: 'starting', stopped: 'deallocated' }[phase];

const viewOf = (machine: TestMachine): object => ({
  statuses: [{ code: 'ProvisioningState/succeeded' }, { code: `PowerState/${powerStateOf(machine)}` }],
  vmHealth: { status: { code: `HealthState/${machine.health === 'unhealthy' ? 'unhealthy' : 'healthy'}` } },
});

const statusOf = (machine: TestMachine): object => ({
  ...{ id: machineId(machine).toLowerCase(), name: machine.name, location: 'westeurope' },
  properties: { provisioningState: 'Succeeded', instanceView: viewOf(machine) },
});

const setOf = (name: string, orchestrationMode: ScaleSetMode): object => ({
  ...{ id: scaleSetId(name), name, location: 'westeurope', tags: { Set: name } },
  properties: { orchestrationMode, provisioningState: 'Succeeded' },
});

const instanceOf = (set: string, machine: TestMachine): object => ({
  ...{ id: instanceId(set, machine), name: machine.name, instanceId: machine.name, location: 'westeurope' },
  zones: [machine.zone],
  properties: { provisioningState: 'Succeeded', instanceView: viewOf(machine) },
});

const interfaceOf = (machine: string, each: TestMachine): object => ({
  id: `${group}/providers/Microsoft.Network/networkInterfaces/${each.name}`,
  name: each.name,
  properties: {
    primary: true,
    virtualMachine: { id: machine },
    ipConfigurations: [
      {
        properties: {
          primary: true,
          privateIPAddress: each.ip,
          privateIPAddressVersion: isIPv6(each.ip) ? 'IPv6' : 'IPv4',
          publicIPAddress: { id: publicId(each) },
        },
      },
    ],
  },
});

const publicAddressOf = (machine: TestMachine): object => ({
  ...{ id: publicId(machine).toUpperCase(), name: machine.name, location: 'westeurope' },
  properties: { ipAddress: `198.51.100.${Number(machine.name.at(-1)) + 1}` },
});
