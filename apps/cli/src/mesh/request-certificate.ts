import { resolve } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { type ConnectionOptions, createClient } from '@chandlery/client';
import { secondsOf } from '../args/global-flags.ts';
import type { CommandContext } from '../command.ts';
import { connectionOf } from '../landscape/connect.ts';
import { MeshClient } from './mesh-client.ts';
import type { ClusterAccount } from './mesh-flags.ts';

/** A signed certificate; certificates are PEM. */
interface SignedCertificate {
  /** Leaf first. */
  readonly certificate: string;
  /** For a proxy: the certificate of its workload for the same key. Default: the landscape is an older one. */
  readonly workloadCertificate?: string;
  readonly trustBundle: string;
  /** Trust version at the time of signing. */
  readonly trustVersion: string;
  readonly notAfter: string;
  readonly spiffeId: string;
  readonly tenant: string;
}

/** A certificate request. */
export interface CertificateRequest {
  readonly account: ClusterAccount;
  /** The only node id of the certificate. Default: none, it is the workload's own. */
  readonly proxyId?: string;
  /** Default: a day. */
  readonly ttlSeconds?: number;
}

const hints = {
  Unauthorized:
    'Use a token that is still good (--token-file), or the kubeconfig that the landscape wrote (--kubeconfig).',
  Forbidden: 'Use a token of the service account (--token-file), or the admin.kubeconfig of the landscape.',
  NotFound: 'Name the cluster of the account with --cluster: a logical cluster, or a member of a Mesh.',
  NotReady: 'Wait a little and try again: the control plane has only just started.',
};

/** Requests a signature for a CSR (PEM, PKCS #10). */
export function requestCertificate(
  mesh: MeshClient,
  csr: string,
  { account, proxyId, ttlSeconds, signal }: CertificateRequest & { readonly signal?: AbortSignal },
): Promise<SignedCertificate> {
  return mesh.ask([...pathOf(account), 'certificates'], {
    body: { csr, ...(proxyId !== undefined && { proxyId }), ...(ttlSeconds !== undefined && { ttlSeconds }) },
    hints,
    ...(signal && { signal }),
  });
}

/** The certificate of the workload that an Envoy gets beside its own; undefined for others. Throws `OldServer`. */
export function workloadChainOf(
  { workloadCertificate }: SignedCertificate,
  { proxyId }: Pick<CertificateRequest, 'proxyId'>,
): string | undefined {
  if (proxyId === undefined) return undefined;
  if (workloadCertificate !== undefined) return workloadCertificate;
  throw new ChandleryError(
    'OldServer',
    'the landscape does not certify keys of workloads that Envoys keep themselves',
    {
      hint: 'Upgrade the server first: it is older than this command.',
    },
  );
}

/** The current trust of an account. */
export interface AccountTrust {
  readonly trustVersion: string;
  /** The mesh of its cluster. */
  readonly tenant: string;
  /** The port for proxies of the responding replica. Default: unknown, for an older one. */
  readonly xdsPort?: number;
}

/** Reads the trust of an account, its mesh, and the port for its proxies. */
export const readTrust = (mesh: MeshClient, account: ClusterAccount, signal?: AbortSignal): Promise<AccountTrust> =>
  mesh.ask([...pathOf(account), 'trust'], { hints, ...(signal && { signal }) });

const pathOf = ({ cluster, namespace, name }: ClusterAccount): readonly string[] => [
  ...['clusters', cluster],
  ...['namespaces', namespace],
  ...['serviceaccounts', name],
];

/** Connects to the landscape with the token of `--token-file`, otherwise as the kubeconfig's user. */
export function connectAsWorkload(context: CommandContext): MeshClient {
  const connection = connectionOf(context);
  const tokenFile = context.flags.text('token-file');
  if (tokenFile === undefined) return new MeshClient(createClient(connection));
  return new MeshClient(createClient({ ...withoutUser(connection), tokenFile: resolve(context.cwd, tokenFile) }));
}

/** Address and verification of the server, without credentials. */
export const withoutUser = ({ server, caPem, tlsServerName, isInsecure, proxyUrl, userAgent }: ConnectionOptions) => ({
  server,
  ...(caPem !== undefined && { caPem }),
  ...(tlsServerName !== undefined && { tlsServerName }),
  ...(isInsecure !== undefined && { isInsecure }),
  ...(proxyUrl !== undefined && { proxyUrl }),
  ...(userAgent !== undefined && { userAgent }),
});

/** The `--ttl` that was given. */
export const ttlOf = ({ flags }: CommandContext): { readonly ttlSeconds?: number } =>
  flags.text('ttl') === undefined ? {} : { ttlSeconds: secondsOf(flags, 'ttl', 1) / 1000 };
