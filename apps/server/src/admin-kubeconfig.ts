import { writeFileAtomically } from '@chandlery/platform';

export interface AdminKubeconfig {
  /** `https://127.0.0.1:7443`, without a path. */
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
  /** Names of logical clusters; each becomes a context. */
  readonly clusters: readonly string[];
  readonly currentContext: string;
}

/**
 * A kubeconfig for the administrator, with one context for each logical cluster. Written by hand, since thousands of
 * clusters would keep a YAML library busy for a noticeable while; every value is a name, a URL or base64.
 */
export function renderKubeconfig({ url, authority, token, clusters, currentContext }: AdminKubeconfig): string {
  const authorityData = Buffer.from(authority).toString('base64');
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${currentContext}`,
    'clusters:',
    ...clusters.map(
      name =>
        `- name: ${quote(name)}\n  cluster:\n    server: ${url}/clusters/${name}\n    certificate-authority-data: ${authorityData}`,
    ),
    'contexts:',
    ...clusters.map(name => `- name: ${quote(name)}\n  context:\n    cluster: ${quote(name)}\n    user: admin`),
    'users:',
    `- name: admin\n  user:\n    token: ${quote(token)}`,
    '',
  ].join('\n');
}

/** A cluster may be called `true` or `12`. */
const quote = (text: string): string => JSON.stringify(text);

/** Writes the file for its owner only, in one step. */
export const writeKubeconfig = (path: string, content: AdminKubeconfig): void =>
  writeFileAtomically(path, renderKubeconfig(content));
