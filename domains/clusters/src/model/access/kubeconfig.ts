/** Where a cluster is, and whom to trust there. */
export interface KubeconfigAddress {
  readonly server: string;
  /** Undefined: what the reader's system trusts. */
  readonly caPem: string | undefined;
  /** The name that the server's certificate has. Default: the host of `server`. */
  readonly tlsServerName?: string;
  /** Any certificate will do. Default false. */
  readonly isInsecure?: boolean;
}

/** How the holder of a kubeconfig proves who it is. */
export type KubeconfigUser =
  | { readonly type: 'token'; readonly token: string }
  | {
      readonly type: 'oidc';
      readonly issuer: string;
      readonly clientID: string;
      readonly extraScopes: readonly string[];
    };

/** A kubeconfig with one context. The name only shows: in prompts, and where several are merged. */
export function kubeconfigOf(name: string, address: KubeconfigAddress, user: KubeconfigUser): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: address.server, ...trustIn(address) } }],
    users: [{ name, user: user.type === 'token' ? { token: user.token } : { exec: loginPlugin(user) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
}

/** kubectl refuses an authority beside the wish to check nothing. */
function trustIn({ caPem, tlsServerName, isInsecure }: KubeconfigAddress): object {
  const serverName = tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName };
  if (isInsecure === true) return { ...serverName, 'insecure-skip-tls-verify': true };
  const ca = caPem === undefined ? {} : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  return { ...ca, ...serverName };
}

/** Asks the person's browser for a token, by the kubectl plug-in oidc-login. */
function loginPlugin({ issuer, clientID, extraScopes }: Extract<KubeconfigUser, { type: 'oidc' }>): object {
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'kubectl',
    args: [
      'oidc-login',
      'get-token',
      `--oidc-issuer-url=${issuer}`,
      `--oidc-client-id=${clientID}`,
      ...extraScopes.map(scope => `--oidc-extra-scope=${scope}`),
    ],
    interactiveMode: 'IfAvailable',
    provideClusterInfo: false,
    installHint: 'Install the kubectl plug-in oidc-login: kubectl krew install oidc-login',
  };
}
