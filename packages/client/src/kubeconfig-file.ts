import { isRecord } from '@chandlery/api';
import { parseDocument } from 'yaml';
import { kubeconfigInvalid } from './client-errors.ts';

/** The parts of a kubeconfig that a connection is made of, as they stand in the file. */
export interface Kubeconfig {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly 'current-context'?: string;
  readonly clusters: readonly NamedCluster[];
  readonly contexts: readonly NamedContext[];
  readonly users: readonly NamedUser[];
}

export interface NamedCluster {
  readonly name: string;
  readonly cluster: {
    readonly server?: string;
    readonly 'certificate-authority'?: string;
    readonly 'certificate-authority-data'?: string;
    readonly 'insecure-skip-tls-verify'?: boolean;
    readonly 'tls-server-name'?: string;
    readonly 'proxy-url'?: string;
    readonly extensions?: readonly { readonly name?: string; readonly extension?: unknown }[];
  };
}

export interface NamedContext {
  readonly name: string;
  readonly context: { readonly cluster?: string; readonly user?: string; readonly namespace?: string };
}

export interface NamedUser {
  readonly name: string;
  readonly user: {
    readonly token?: string;
    readonly tokenFile?: string;
    readonly 'client-certificate'?: string;
    readonly 'client-certificate-data'?: string;
    readonly 'client-key'?: string;
    readonly 'client-key-data'?: string;
    readonly username?: string;
    readonly password?: string;
    readonly as?: string;
    readonly 'as-uid'?: string;
    readonly 'as-groups'?: readonly string[];
    readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
    readonly exec?: ExecEntry;
    readonly 'auth-provider'?: object;
  };
}

/** A credential plug-in. */
export interface ExecEntry {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly interactiveMode?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
}

/** Reads the text of a kubeconfig (YAML or JSON). Rejects with `KubeconfigInvalid`, naming `place`, never showing contents. */
export function parseKubeconfig(text: string, place: string): Kubeconfig {
  const document = parseDocument(text, { prettyErrors: false });
  const value: unknown = document.errors.length === 0 ? document.toJS() : undefined;
  if (!isRecord(value)) throw kubeconfigInvalid(place, 'it is not YAML with keys and values');
  return {
    ...value,
    clusters: entries(value, 'clusters', 'cluster', place) as unknown as NamedCluster[],
    contexts: entries(value, 'contexts', 'context', place) as unknown as NamedContext[],
    users: entries(value, 'users', 'user', place) as unknown as NamedUser[],
  };
}

/** A list of `{name, <member>: {…}}`; the member may be left out or null where it would be empty. */
function entries(value: Record<string, unknown>, list: string, member: string, place: string): object[] {
  const found = value[list] ?? [];
  const isValid = Array.isArray(found) && found.every(entry => isRecord(entry) && typeof entry.name === 'string');
  if (!isValid) throw kubeconfigInvalid(place, `"${list}" is not a list of entries with a name`);
  return found.map((entry: Record<string, unknown>) => ({ ...entry, [member]: entry[member] ?? {} }));
}
