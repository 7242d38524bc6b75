import type { KubeObject } from '@chandlery/api';
import { type Client, createClient, loadKubeconfig } from '@chandlery/client';
import { type AccessRequest, accessRequests, shorten, systemNamespace } from '@chandlery/clusters/kinds';
import { isConditionTrue } from '@chandlery/runtime';
import { until, type ValidationContext } from './validation-context.ts';

export interface Connector extends AsyncDisposable, Pick<ValidationContext, 'connect' | 'open'> {}

/** Opens clusters with all rights, through AccessRequests that are deleted with the connector. */
export function createConnector(
  context: Pick<ValidationContext, 'platform' | 'id' | 'progress' | 'signal'>,
): Connector {
  const stack = new AsyncDisposableStack();
  const clients = new Map<string, Promise<Client>>();
  const open = (kubeconfig: string): Client => stack.use(createClient(loadKubeconfig(kubeconfig)));
  const request = async (cluster: { name: string; namespace: string }): Promise<Client> => {
    const name = shorten(`${context.id}-${cluster.namespace}-${cluster.name}`);
    const ref = { ...accessRequests.ref, namespace: systemNamespace, name };
    await context.platform.create(
      { ...accessRequests.ref, namespace: systemNamespace },
      accessRequests.object(
        { name, namespace: systemNamespace },
        { clusterRef: cluster, token: { roleRefs: [{ kind: 'ClusterRole', name: 'cluster-admin' }] }, ttl: '2h' },
      ),
    );
    stack.defer(async () => void (await context.platform.delete(ref).catch(() => undefined)));
    return open(await kubeconfigOf(context, ref));
  };
  return {
    open,
    connect: cluster => {
      const key = `${cluster.namespace}/${cluster.name}`;
      const known = clients.get(key) ?? request(cluster);
      clients.set(key, known);
      return known;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function kubeconfigOf(
  context: Pick<ValidationContext, 'platform' | 'progress' | 'signal'>,
  ref: typeof accessRequests.ref & { readonly namespace: string; readonly name: string },
): Promise<string> {
  const secretName = await until(context, `access "${ref.name}" to be granted`, async () => {
    const request = await context.platform.get<AccessRequest>(ref);
    return request.status?.phase === 'Granted' && isConditionTrue(request, 'Ready') && request.status.secretRef?.name;
  });
  return readKubeconfig(context.platform, { namespace: ref.namespace, name: secretName });
}

/** The kubeconfig in a Secret. */
export async function readKubeconfig(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const secret = await client.get<KubeObject & { data?: Record<string, string> }>({
    group: '',
    version: 'v1',
    plural: 'secrets',
    namespace,
    name,
  });
  return Buffer.from(secret.data?.['kubeconfig'] ?? '', 'base64').toString();
}
