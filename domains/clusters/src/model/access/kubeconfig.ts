/** The address of a cluster, and its CA. */
export interface KubeconfigAddress {
  readonly server: string;
  /** Undefined: the CAs of the reader's system. */
  readonly caPem: string | undefined;
  /** The name that the server's certificate has. Default: the host of `server`. */
  readonly tlsServerName?: string;
  /** The server's certificate is not verified. Default false. */
  readonly isInsecure?: boolean;
}

/** The credentials of a kubeconfig. */
export type KubeconfigUser =
  | { readonly type: 'token'; readonly token: string }
  | {
      readonly type: 'oidc';
      readonly issuer: string;
      readonly clientID: string;
      readonly extraScopes: readonly string[];
    };

/** A kubeconfig with one context. The name is shown in prompts, and used when several are merged. */
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

/** kubectl rejects a CA together with disabled verification. */
function trustIn({ caPem, tlsServerName, isInsecure }: KubeconfigAddress): object {
  const serverName = tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName };
  if (isInsecure === true) return { ...serverName, 'insecure-skip-tls-verify': true };
  const ca = caPem === undefined ? {} : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  return { ...ca, ...serverName };
}

/** Gets a token in the user's browser, by the kubectl plug-in oidc-login. */
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
