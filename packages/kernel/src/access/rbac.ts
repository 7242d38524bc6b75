/** One rule of a Role or ClusterRole. Either about resources or about paths. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** Default: every name, and requests without a name. */
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Everything, everywhere. */
export const allRights: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** A request on a resource, as authorisation sees it. */
export interface ResourceAttributes {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** The plural. */
  readonly resource: string;
  /** Default: the resource itself. */
  readonly subresource?: string;
  /** Default: the request is at the cluster scope. For a Namespace object it is that namespace's own name. */
  readonly namespace?: string;
  /**
   * Default: the request names no object, as with create. A list, watch or deletecollection names one when its field
   * selector is `metadata.name=…`.
   */
  readonly name?: string;
}

/** A request on a path that is no resource, such as `/version`. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

export type RequestAttributes = ResourceAttributes | PathAttributes;

export const isPathRequest = (attributes: RequestAttributes): attributes is PathAttributes => 'path' in attributes;

/** `pods/log`, or `pods` for the resource itself: how rules and messages write it. */
export const formatResource = ({
  resource,
  subresource,
}: Pick<ResourceAttributes, 'resource' | 'subresource'>): string =>
  subresource ? `${resource}/${subresource}` : resource;

/** Whether one rule alone allows the request. */
export function ruleAllows(rule: PolicyRule, attributes: RequestAttributes): boolean {
  if (!includesOrAll(rule.verbs, attributes.verb)) return false;
  if (isPathRequest(attributes)) return (rule.nonResourceURLs ?? none).some(url => pathMatches(url, attributes.path));
  return (
    includesOrAll(rule.apiGroups ?? none, attributes.group) &&
    matchesResource(rule.resources ?? none, attributes) &&
    matchesName(rule.resourceNames ?? none, attributes.name ?? '')
  );
}

/** Whether a rule's path, which may end in `*`, takes in `path`. */
export const pathMatches = (rulePath: string, path: string): boolean =>
  rulePath === path || (rulePath.endsWith('*') && path.startsWith(rulePath.slice(0, -1)));

const none: readonly string[] = [];

const includesOrAll = (allowed: readonly string[], wanted: string): boolean =>
  allowed.includes(wanted) || allowed.includes('*');

/** A plain `pods` says nothing about `pods/log`, and `pods/*` is no pattern: as in Kubernetes. */
function matchesResource(allowed: readonly string[], attributes: ResourceAttributes): boolean {
  if (allowed.includes('*') || allowed.includes(formatResource(attributes))) return true;
  return attributes.subresource ? allowed.includes(`*/${attributes.subresource}`) : false;
}

const matchesName = (allowed: readonly string[], name: string): boolean =>
  allowed.length === 0 || allowed.includes(name);
