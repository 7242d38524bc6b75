import { type ConnectionOptions, createClient, loadKubeconfig } from '@chandlery/client';
import { tenantNamespace } from '@chandlery/clusters/kinds';
import type { ControlPlane } from '@chandlery/providers/kinds';
import { readKubeconfig } from '../connector.ts';
import { placedResources } from '../resources.ts';
import {
  clusterOf,
  connectionRef,
  controlPlaneRef,
  createControlPlane,
  createService,
  requestsOf,
  serviceReady,
} from '../tenants.ts';
import { hold, type ValidationContext, type ValidationTenant } from '../validation-context.ts';

/** 2: a tenant orders the service and gets it, on its own control plane and in a namespace of its own. */
export async function consume(context: ValidationContext, name: string): Promise<void> {
  const tenant = await createControlPlane(context, name);
  await createService(context, tenant);
  const object = await serviceReady(context, tenant);
  const { access } = await requestsOf(context, tenant);
  const waiting = access.filter(({ status }) => status?.phase !== 'Granted');
  hold(access.length > 0, `"${name}" has asked for no access`);
  hold(waiting.length === 0, `not granted: ${waiting.map(({ metadata }) => metadata.name).join(', ')}`);
  const resources = await placedResources(context, tenant, object);
  const connection = connectionRef(object);
  hold(
    resources.length > 0 || connection !== undefined,
    `"${name}" has neither status.resources that could be read nor a connection Secret`,
  );
  for (const { client, ref } of resources) await client.get(ref);
  if (connection !== undefined) await context.onboarding.get(connection);
}

/** The kubeconfig of a tenant for its control plane. */
export async function tenantKubeconfig(
  { onboarding }: Pick<ValidationContext, 'onboarding'>,
  tenant: ValidationTenant,
): Promise<string> {
  const { status } = await onboarding.get<ControlPlane>(controlPlaneRef(tenant));
  const [secret] = Object.values(status?.access ?? {});
  hold(secret !== undefined, `control plane "${tenant.name}" gives no access`);
  return readKubeconfig(onboarding, { namespace: tenant.namespace, name: secret.name });
}

/** 2b: a second tenant shares nothing with the first, and cannot open its control plane. */
export async function checkIsolation(
  context: ValidationContext,
  first: ValidationTenant,
  second: ValidationTenant,
): Promise<void> {
  const namespaces = [first, second].map(({ namespace, name }) => tenantNamespace(namespace, name));
  hold(new Set(namespaces).size === 2, 'both tenants have one namespace on the platform cluster');
  await checkInstanceNamespaces(context, [first, second]);
  const clusters = await Promise.all([first, second].map(tenant => clusterOf(context, tenant, 'mcp')));
  hold(new Set(clusters.map(({ name }) => name)).size === 2, 'both tenants have one control plane');
  await checkRejected(context, { credentialsOf: first, serverOf: second });
  await checkRejected(context, { credentialsOf: second, serverOf: first });
}

async function checkInstanceNamespaces(
  context: ValidationContext,
  tenants: readonly ValidationTenant[],
): Promise<void> {
  const used = await Promise.all(
    tenants.map(async tenant => {
      const object = await serviceReady(context, tenant);
      const entries = (object.status?.resources ?? []).filter(({ location }) => location === 'WorkloadCluster');
      return new Set(entries.map(({ namespace }) => namespace).filter(namespace => Boolean(namespace)));
    }),
  );
  const shared = [...(used[0] ?? [])].filter(namespace => used[1]?.has(namespace));
  hold(shared.length === 0, `both tenants use the namespace ${shared.join(', ')} of a workload cluster`);
}

const rejections: readonly string[] = ['Unauthorized', 'Forbidden'];
const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

async function checkRejected(
  context: ValidationContext,
  { credentialsOf, serverOf }: { readonly credentialsOf: ValidationTenant; readonly serverOf: ValidationTenant },
): Promise<void> {
  const own = loadKubeconfig(await tenantKubeconfig(context, credentialsOf));
  const other = loadKubeconfig(await tenantKubeconfig(context, serverOf));
  await using intruder = createClient(credentialsAt(own, other));
  const answer = await intruder.list(namespaces).then(
    () => 'an answer',
    (error: { code?: string }) => error.code ?? 'an unknown error',
  );
  hold(
    rejections.includes(answer),
    `the credentials of "${credentialsOf.name}" got ${answer} from the control plane of "${serverOf.name}"`,
  );
}

/** The credentials of one connection with the address and CA of another. */
function credentialsAt({ token, exec }: ConnectionOptions, other: ConnectionOptions): ConnectionOptions {
  const { server, caPem, tlsServerName, isInsecure } = other;
  const given = Object.entries({ caPem, tlsServerName, isInsecure, token, exec });
  return { server, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)) };
}
