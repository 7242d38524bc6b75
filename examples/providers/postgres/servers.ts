import { randomBytes } from 'node:crypto';
import { type Client, type Desired, type KubeObject, namespaceOf, type SharedContext } from '@chandlery/sdk';
import { asAdministrator } from './connect.ts';
import type { PostgresConfig } from './kinds.ts';
import { findServer, isUsed, readSecrets, type ServerSecrets, serversNamespace, versionIn } from './server-access.ts';
import { serverObjects } from './server-objects.ts';

type Offer = PostgresConfig['spec']['versions'][number];

/** One server for each version that is offered, or that has databases still. Its secrets are made up once and then kept. */
export async function servers({ config, workload }: SharedContext<PostgresConfig>): Promise<readonly Desired[]> {
  const objects: KubeObject[] = [namespaceOf(serversNamespace)];
  const offered = config.spec.versions;
  for (const { version, image } of [...offered, ...(await findUsed(workload.client, offered))]) {
    const known = (await readSecrets(workload.client, version)) ?? newSecrets();
    objects.push(...serverObjects(version, image, known));
  }
  return objects.map(object => ({ cluster: 'workload', object }));
}

const newSecrets = (): ServerSecrets => ({
  password: randomBytes(24).toString('base64url'),
  seed: randomBytes(32).toString('base64url'),
});

interface ServerDeployment extends KubeObject {
  spec?: { template?: { spec?: { containers?: readonly { readonly image?: string }[] } } };
}

/** Servers that are no longer offered, but would take tenants' data along. */
async function findUsed(client: Client, offered: readonly Offer[]): Promise<readonly Offer[]> {
  const at = { group: 'apps', version: 'v1', plural: 'deployments', namespace: serversNamespace };
  const { items } = await client.list<ServerDeployment>(at);
  const found = items.map(({ metadata, spec }) => ({
    version: versionIn(metadata.name ?? ''),
    image: spec?.template?.spec?.containers?.[0]?.image ?? '',
  }));
  const former = found.filter(({ version }) => !offered.some(offer => offer.version === version));
  const isKept = await Promise.all(former.map(({ version }) => hasDatabases(client, version)));
  return former.filter((_, index) => isKept[index]);
}

/** One that had databases and does not answer has to be asked again before anything is deleted. */
async function hasDatabases(client: Client, version: string): Promise<boolean> {
  if (!(await isUsed(client, version))) return false;
  const server = await findServer(client, version);
  if (server === undefined) return true;
  const { rowCount } = await asAdministrator(server, admin =>
    admin.query("SELECT FROM pg_database WHERE datname LIKE 'db\\_%'"),
  );
  return (rowCount ?? 0) > 0;
}
