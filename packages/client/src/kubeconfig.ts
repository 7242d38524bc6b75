import { kubeconfigInvalid } from './client-errors.ts';
import type { ConnectionOptions } from './connection.ts';
import type { Kubeconfig, NamedCluster } from './kubeconfig-file.ts';
import { readKubeconfig } from './kubeconfig-sources.ts';
import { readPem, userPart } from './kubeconfig-user.ts';

export interface LoadKubeconfigOptions {
  /** Default: the file's `current-context`. */
  readonly context?: string;
}

/**
 * Reads the connection that a kubeconfig describes. Takes the path of a file, several as in the variable KUBECONFIG, or
 * the text itself (anything with several lines, or JSON). File names inside are relative to the file. Throws
 * `KubeconfigInvalid`.
 */
export function loadKubeconfig(pathOrText: string, { context }: LoadKubeconfigOptions = {}): ConnectionOptions {
  const { file, place } = readKubeconfig(pathOrText);
  return connectionOf(file, place, context);
}

function connectionOf(file: Kubeconfig, place: string, wanted: string | undefined): ConnectionOptions {
  const contextName = wanted ?? file['current-context'];
  if (contextName === undefined || contextName === '') throw kubeconfigInvalid(place, 'it has no current-context');
  const { context } = named(file.contexts, 'context', contextName, place);
  const { cluster } = named(file.clusters, 'cluster', context.cluster ?? '', place);
  const hasUser = context.user !== undefined && context.user !== '';
  const { user } = hasUser ? named(file.users, 'user', context.user ?? '', place) : { user: {} };
  return {
    ...serverPart(cluster, place),
    ...userPart(user, cluster, place),
    ...(context.namespace === undefined ? {} : { namespace: context.namespace }),
  };
}

function named<T extends { readonly name: string }>(
  entries: readonly T[],
  what: string,
  name: string,
  place: string,
): T {
  const found = entries.find(entry => entry.name === name);
  if (found !== undefined) return found;
  const known = entries.map(entry => entry.name).join(', ');
  const hint =
    what === 'context'
      ? 'Name one of its contexts, or another kubeconfig.'
      : 'Correct the kubeconfig, or name another one.';
  throw kubeconfigInvalid(place, `it has no ${what} "${name}"${known === '' ? '' : ` (it has ${known})`}`, { hint });
}

function serverPart(cluster: NamedCluster['cluster'], place: string): ConnectionOptions {
  const { server, 'tls-server-name': tlsServerName, 'insecure-skip-tls-verify': isInsecure } = cluster;
  if (server === undefined || !URL.canParse(server)) throw kubeconfigInvalid(place, 'its server is not a URL');
  const caPem = readPem(cluster, 'certificate-authority', place);
  const { 'certificate-authority': caFile = '', 'certificate-authority-data': caData = '' } = cluster;
  const isFile = caFile !== '' && caData === '';
  const proxyUrl = proxyOf(cluster, place);
  return {
    server,
    ...(caPem === undefined ? {} : { caPem }),
    ...(isFile ? { caFile } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(isInsecure === true ? { isInsecure } : {}),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

const proxyProtocols: readonly string[] = ['http:', 'https:', 'socks5:'];

function proxyOf({ 'proxy-url': proxyUrl }: NamedCluster['cluster'], place: string): string | undefined {
  if (proxyUrl === undefined || proxyUrl === '') return undefined;
  if (URL.canParse(proxyUrl) && proxyProtocols.includes(new URL(proxyUrl).protocol)) return proxyUrl;
  throw kubeconfigInvalid(place, 'its proxy-url is not an http, https or socks5 address');
}
