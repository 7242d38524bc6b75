import { type Client, decodeSecret, isError, type KubeObject } from '@chandlery/sdk';

/** Where the servers are on the workload cluster. */
export const serversNamespace = 'postgres-servers';

const prefix = 'postgres-';

/** What everything of the server of a version is called. */
export const serverName = (version: string): string => `${prefix}${version}`;
/** The version in the name of a server. */
export const versionIn = (name: string): string => name.slice(prefix.length);

/** What only the provider knows of a server. */
export interface ServerSecrets {
  /** The administrator's password. */
  readonly password: string;
  /** What tenants' passwords are made of. */
  readonly seed: string;
}

const usedAnnotation = 'postgres.services.open-control-plane.io/has-databases';

/** Where a server takes connections. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** A server that takes connections, and how to be its administrator. */
export interface Server {
  readonly address: ServerAddress;
  readonly secrets: ServerSecrets;
}

/** The server of a version; undefined while it takes no connections. */
export async function findServer(client: Client, version: string): Promise<Server | undefined> {
  const [address, secrets] = await Promise.all([findAddress(client, version), readSecrets(client, version)]);
  return address === undefined || secrets === undefined ? undefined : { address, secrets };
}

/** The secrets of a server, or undefined before there are any. */
export async function readSecrets(client: Client, version: string): Promise<ServerSecrets | undefined> {
  const secret = await getSecret(client, version);
  if (secret === undefined) return undefined;
  const { password = '', seed = '' } = decodeSecret(secret.data);
  return { password, seed };
}

/** Whether there may be databases on a server. */
export const isUsed = async (client: Client, version: string): Promise<boolean> =>
  (await getSecret(client, version))?.metadata.annotations?.[usedAnnotation] === 'true';

/** Notes that a server is about to have a database. */
export async function noteUse(client: Client, version: string): Promise<void> {
  if (await isUsed(client, version)) return;
  const body = { metadata: { annotations: { [usedAnnotation]: 'true' } } };
  await client.patch(secretRef(version), { type: 'merge', body });
}

interface Secret extends KubeObject {
  data?: Readonly<Record<string, string>>;
}

const secretRef = (version: string) => ({
  group: '',
  version: 'v1',
  plural: 'secrets',
  namespace: serversNamespace,
  name: serverName(version),
});

async function getSecret(client: Client, version: string): Promise<Secret | undefined> {
  try {
    return await client.get<Secret>(secretRef(version));
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

interface EndpointSlice extends KubeObject {
  endpoints?: { addresses: string[]; conditions?: { ready?: boolean } }[];
  ports?: { name?: string; port?: number }[];
}

async function findAddress(client: Client, version: string): Promise<ServerAddress | undefined> {
  const { items } = await client.list<EndpointSlice>(
    { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', namespace: serversNamespace },
    { labelSelector: `kubernetes.io/service-name=${serverName(version)}` },
  );
  for (const { endpoints = [], ports = [] } of items) {
    const host = endpoints.find(({ conditions }) => conditions?.ready === true)?.addresses[0];
    const port = ports[0]?.port;
    if (host !== undefined && port !== undefined) return { host, port };
  }
  return undefined;
}
