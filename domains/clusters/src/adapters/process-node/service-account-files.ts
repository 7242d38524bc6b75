import type { Mount } from '../../model/pods/mounts.ts';
import type { Container, Pod } from '../../model/pods/pod.ts';
import type { PodHome, PodTokens } from '../../ports.ts';
import { writeVolumeFiles } from './volume-files.ts';

/** The usual place of a service account's files. */
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** The lifetime of a token; it is renewed earlier. */
export const accountTokenSeconds = 3600;
const ownerOnly = 0o600;

/** The input of the files; undefined when the pod opts out or there is no API. */
export interface Account {
  readonly api: NonNullable<PodHome['api']>;
  readonly tokens: PodTokens;
}

/** The account of a pod, unless it opts out. */
export function accountOf(pod: Pod, { api, tokens, hasAccount = true }: PodHome): Account | undefined {
  const isWanted = pod.spec.automountServiceAccountToken ?? hasAccount;
  return isWanted && api !== undefined && tokens !== undefined ? { api, tokens } : undefined;
}

/** Writes token, certificate, namespace and a kubeconfig that uses them, readable by the owner only. */
export async function writeAccountFiles(folder: string, pod: Pod, { api, tokens }: Account): Promise<void> {
  const { uid, name, namespace, spec } = pod;
  const owner = { uid, name, namespace, serviceAccount: spec.serviceAccountName ?? 'default' };
  const token = await tokens.issueToken(owner, { audience: undefined, expirationSeconds: accountTokenSeconds });
  const texts = {
    token,
    'ca.crt': api.caPem,
    namespace,
    kubeconfig: `${JSON.stringify(kubeconfigOf(folder, pod, api), null, 2)}\n`,
  };
  const files = Object.entries(texts).map(([path, text]) => ({ path, bytes: Buffer.from(text), mode: ownerOnly }));
  writeVolumeFiles(folder, files);
}

/** JSON is YAML. The kubeconfig refers to the token's file, because the token is renewed while programs run. */
function kubeconfigOf(folder: string, { namespace }: Pod, { server, caPem }: Account['api']): object {
  const authority = caPem === '' ? {} : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'home', cluster: { server, ...authority } }],
    users: [{ name: 'service-account', user: { tokenFile: `${folder}/token` } }],
    contexts: [{ name: 'home', context: { cluster: 'home', user: 'service-account', namespace } }],
    'current-context': 'home',
  };
}

/** The mount of the account's folder; none when the container has another mount there. */
export function accountMounts(container: Container, folder: string): readonly Mount[] {
  const isTaken = container.volumeMounts?.some(mount => mount.mountPath.replace(/\/+$/, '') === mountPath) ?? false;
  return isTaken ? [] : [{ mountPath, hostPath: folder }];
}
