import type { JsonObject } from '@chandlery/api';
import { kubeconfigInvalid } from './client-errors.ts';
import type { ClientCertificate, ConnectionOptions, ExecPlugin, Impersonation } from './connection.ts';
import type { ExecEntry, NamedCluster, NamedUser } from './kubeconfig-file.ts';
import { readText } from './kubeconfig-sources.ts';

type User = NamedUser['user'];
type Cluster = NamedCluster['cluster'];

/** As whom a user of a kubeconfig connects. */
export function userPart(user: User, cluster: Cluster, place: string): Partial<ConnectionOptions> {
  if (user['auth-provider'] !== undefined)
    throw kubeconfigInvalid(
      place,
      'users with "auth-provider" are not supported; kubectl itself dropped them for "exec"',
    );
  const { token, tokenFile, username, password = '', exec } = user;
  const clientCertificate = certificatePart(user, place);
  const impersonate = impersonationPart(user);
  return {
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(username === undefined ? {} : { basicAuth: { username, password } }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(exec === undefined ? {} : { exec: pluginPart(exec, cluster, place) }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

function certificatePart(user: User, place: string): ClientCertificate | undefined {
  const certificatePem = readPem(user, 'client-certificate', place);
  const privateKeyPem = readPem(user, 'client-key', place);
  if (certificatePem === undefined && privateKeyPem === undefined) return undefined;
  if (certificatePem === undefined || privateKeyPem === undefined)
    throw kubeconfigInvalid(place, 'a client certificate and its key must be given together');
  return { certificatePem, privateKeyPem };
}

function impersonationPart(user: User): Impersonation | undefined {
  const { as: name, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  if (name === undefined || name === '') return undefined;
  return {
    user: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups === undefined ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

const pluginVersions: readonly string[] = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

function pluginPart(exec: ExecEntry, cluster: Cluster, place: string): ExecPlugin {
  const { command, apiVersion = '', args, env, installHint, interactiveMode, provideClusterInfo } = exec;
  if (typeof command !== 'string' || command === '') throw kubeconfigInvalid(place, 'its "exec" names no command');
  if (!pluginVersions.includes(apiVersion))
    throw kubeconfigInvalid(
      place,
      `its "exec" has the apiVersion "${apiVersion}" and not ${pluginVersions.join(' or ')}`,
    );
  if (interactiveMode === 'Always')
    throw kubeconfigInvalid(place, 'its "exec" needs a terminal (interactiveMode Always), but there is none');
  return {
    command,
    args: args ?? [],
    env: Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
    apiVersion,
    ...(installHint === undefined ? {} : { installHint }),
    ...(provideClusterInfo === true ? { clusterInfo: clusterInfoOf(cluster, place) } : {}),
  };
}

/** The cluster as plug-ins know it: file contents instead of file names. */
function clusterInfoOf(cluster: Cluster, place: string): JsonObject {
  const { server = '', extensions = [] } = cluster;
  const caPem = readPem(cluster, 'certificate-authority', place);
  const config = extensions.find(({ name }) => name === 'client.authentication.k8s.io/exec')?.extension;
  const kept = ['tls-server-name', 'insecure-skip-tls-verify', 'proxy-url'] as const;
  return {
    server,
    ...(caPem === undefined ? {} : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') }),
    ...Object.fromEntries(
      kept.filter(field => cluster[field] !== undefined).map(field => [field, cluster[field] ?? '']),
    ),
    ...(config === undefined ? {} : { config: config as JsonObject }),
  };
}

/** Inline data wins over a file, as in kubectl. */
export function readPem<Field extends string>(
  from: Readonly<Partial<Record<Field | `${Field}-data`, unknown>>>,
  field: Field,
  place: string,
): string | undefined {
  const data = from[`${field}-data`];
  if (typeof data === 'string' && data !== '') return Buffer.from(data, 'base64').toString();
  const path = from[field];
  return typeof path === 'string' && path !== '' ? readText(path, place) : undefined;
}
