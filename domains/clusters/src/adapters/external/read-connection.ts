import type { KubeObject } from '@chandlery/api';
import { type ConnectionOptions, loadKubeconfig, type NamedUser, parseKubeconfig } from '@chandlery/client';
import { invalidConnection } from '../../errors.ts';

const hint = 'Write a kubeconfig that holds all it needs: certificates as data, a token or a client certificate.';

/** Entries that would make the server read its own files or run a program. */
const forbidden = ['exec', 'auth-provider', 'tokenFile', 'client-certificate', 'client-key'] as const;

/** The connection that a Secret describes under `kubeconfig`. Throws `InvalidConnection` or `KubeconfigInvalid`. */
export function readConnection(secret: KubeObject): ConnectionOptions {
  const place = `Secret ${secret.metadata.namespace}/${secret.metadata.name}`;
  const encoded = (secret['data'] as Record<string, string> | undefined)?.['kubeconfig'];
  if (encoded === undefined) throw invalidConnection(`${place} has no key "kubeconfig"`, hint);
  const text = Buffer.from(encoded, 'base64').toString();
  rejectOutside(text, place);
  return loadKubeconfig(`${text}\n\n`);
}

/** A client that may write a Secret must not make the server read its files or start programs. */
function rejectOutside(text: string, place: string): void {
  const { clusters, users } = parseKubeconfig(text, `in ${place}`);
  const used = users.flatMap(({ user }: NamedUser) => forbidden.filter(entry => user[entry] !== undefined));
  if (clusters.some(({ cluster }) => cluster['certificate-authority'] !== undefined)) {
    throw invalidConnection(`the kubeconfig in ${place} names files of the server: certificate-authority`, hint);
  }
  if (used.length === 0) return;
  const names = [...new Set(used)].sort().join(', ');
  throw invalidConnection(`the kubeconfig in ${place} needs files or programs of the server: ${names}`, hint);
}
