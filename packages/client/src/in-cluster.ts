import { join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import type { ConnectionOptions } from './connection.ts';
import { readText } from './kubeconfig-sources.ts';

export interface InClusterOptions {
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where the service account is mounted. Default: where Kubernetes puts it. */
  readonly folder?: string;
}

/**
 * The connection of a program that runs in a Pod: to the cluster that it runs in, as its service account. The token and
 * the certificate authority are read again as Kubernetes rotates them. Throws `NotInCluster` elsewhere.
 */
export function loadInClusterConfig(options: InClusterOptions = {}): ConnectionOptions {
  const { env = process.env, folder = '/var/run/secrets/kubernetes.io/serviceaccount' } = options;
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = env;
  if (host === '' || port === '') throw notInCluster();
  const place = 'of the service account';
  const namespace = readText(join(folder, 'namespace'), place).trim();
  return {
    // An IPv6 address stands in brackets.
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    caPem: readText(join(folder, 'ca.crt'), place),
    caFile: join(folder, 'ca.crt'),
    tokenFile: join(folder, 'token'),
    ...(namespace === '' ? {} : { namespace }),
  };
}

const notInCluster = (): ChandleryError =>
  new ChandleryError('NotInCluster', 'this program does not run in a Pod: KUBERNETES_SERVICE_HOST is not set', {
    hint: 'Name a kubeconfig instead.',
  });
