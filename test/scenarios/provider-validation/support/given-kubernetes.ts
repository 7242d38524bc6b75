import type { KubeObject } from '@chandlery/api';
import { type Client, createClient, formatYaml, loadKubeconfig } from '@chandlery/client';
import { createInformer } from '@chandlery/runtime';
import { startTestLandscape } from '@chandlery/testing';

/** A Kubernetes that is not part of the landscape under test, and a kubeconfig that needs nothing besides itself. */
export interface GivenKubernetes extends AsyncDisposable {
  readonly kubeconfig: string;
  /** The names of the service accounts that access was granted to since it was opened. */
  readonly grantees: ReadonlySet<string>;
}

const accounts = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'default' };
const bindings = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterrolebindings' };

/** The Kubernetes of CHANDLERY_TEST_KUBECONFIG; without it, a logical cluster of another landscape serves as one. */
export async function openGivenKubernetes(): Promise<GivenKubernetes> {
  const given = process.env['CHANDLERY_TEST_KUBECONFIG'] ?? '';
  await using stack = new AsyncDisposableStack();
  const landscape = given === '' ? stack.use(await startTestLandscape()) : undefined;
  const connection = loadKubeconfig(landscape?.kubeconfig ?? given, landscape && { context: 'onboarding' });
  const client = stack.use(createClient(connection));
  const name = `chandlery-test-${Math.random().toString(36).slice(2, 8)}`;
  const token = await issueToken(client, name, stack);
  const grantees = await followGrantees(client, stack);
  const { server, caPem, tlsServerName, isInsecure } = connection;
  const cluster = {
    server,
    ...(caPem === undefined ? {} : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') }),
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(isInsecure === true ? { 'insecure-skip-tls-verify': true } : {}),
  };
  const kubeconfig = formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
  });
  const all = stack.move();
  return { kubeconfig, grantees, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A token with all rights: kubeconfigs of people may hold programs and files that only work where they are. */
async function issueToken(client: Client, name: string, stack: AsyncDisposableStack): Promise<string> {
  await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  stack.defer(async () => void (await client.delete({ ...accounts, name })));
  await client.create(bindings, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: bindings.group, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
  });
  stack.defer(async () => void (await client.delete({ ...bindings, name })));
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} };
  const answer = await client.create<KubeObject>({ ...accounts, name, subresource: 'token' }, request);
  return (answer['status'] as { token: string }).token;
}

/** They go in the end, but their namespace stays: other landscapes may have theirs in it. */
async function followGrantees(client: Client, stack: AsyncDisposableStack): Promise<ReadonlySet<string>> {
  const grantees = new Set<string>();
  const informer = stack.use(createInformer({ client, ref: { ...accounts, namespace: 'openmcp-access' } }));
  informer.listen({ added: ({ metadata }, { isFromList }) => void (isFromList || grantees.add(metadata.name ?? '')) });
  informer.start();
  await informer.synced;
  return grantees;
}
