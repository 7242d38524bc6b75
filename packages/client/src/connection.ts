import type { JsonObject } from '@chandlery/api';

/** A certificate and its key, both PEM. */
export interface ClientCertificate {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** A credential plug-in, as `client.authentication.k8s.io` defines it. */
export interface ExecPlugin {
  /** A name on the PATH, or the path of a file. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to our own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  /** The hint for users whose machine lacks the command. */
  readonly installHint?: string;
  /** The cluster information that the plug-in gets. Default: none. */
  readonly clusterInfo?: JsonObject;
}

/** Another user to act as. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Where a Kubernetes API is and as whom to talk to it. */
export interface ConnectionOptions {
  /** With the path prefix, if any: `https://127.0.0.1:7443/clusters/onboarding`. */
  readonly server: string;
  /** Whom to trust, PEM. Default: what the system trusts. */
  readonly caPem?: string;
  /** A file with whom to trust, read again now and then as authorities are replaced; wins over `caPem`. */
  readonly caFile?: string;
  /** The name that the server's certificate must have. Default: the host of `server`. */
  readonly tlsServerName?: string;
  /** Accepts any certificate. Default false. */
  readonly isInsecure?: boolean;
  /** Sent as bearer token. */
  readonly token?: string;
  /** A file with the bearer token, read again now and then as it may be rotated; wins over `token`. */
  readonly tokenFile?: string;
  /** Sent as basic authentication when there is no token. */
  readonly basicAuth?: { readonly username: string; readonly password: string };
  readonly clientCertificate?: ClientCertificate;
  /** A program that gives token or certificate; wins over those given here. */
  readonly exec?: ExecPlugin;
  /** The user to impersonate, which takes the right to do so. Default: none. */
  readonly impersonate?: Impersonation;
  /** The proxy to go through: `http:`, `https:` or `socks5:`. Default: none, whatever the environment says. */
  readonly proxyUrl?: string;
  /** The namespace that the context names. Default: none. */
  readonly namespace?: string;
  /** How long a request may take, watches apart. Default 30 000. */
  readonly timeoutMs?: number;
  /** The field manager of calls that name none. Default: the server derives one from the user agent. */
  readonly fieldManager?: string;
  /** Default `chandlery`. */
  readonly userAgent?: string;
}
