export interface GroupResource {
  /** Empty for the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** `apps/v1`, or just `v1` for the core group. */
export const formatApiVersion = ({ group, version }: GroupVersion): string =>
  group === '' ? version : `${group}/${version}`;

/** Parses an apiVersion; undefined when it is not of the form `version` or `group/version`. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split('/');
  if (parts.length > 2 || parts.some(part => part === '')) return undefined;
  const [first = '', second] = parts;
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

const kubernetesDomains = ['k8s.io', 'kubernetes.io'];

/** Whether a group is one of the Kubernetes project, by its domain. */
export const isKubernetesGroup = (group: string): boolean =>
  kubernetesDomains.some(domain => group === domain || group.endsWith(`.${domain}`));
