import { apiError, type ChandleryError, type GroupResource } from '@chandlery/api';
import {
  formatResource,
  isPathRequest,
  type PolicyRule,
  type RequestAttributes,
  type ResourceAttributes,
} from './rbac.ts';
import type { UserInfo } from './user.ts';

/** The 403 for a request that no rule allows, in the words that Kubernetes clients know. */
export function forbidden(user: UserInfo, attributes: RequestAttributes): ChandleryError {
  const who = `User ${quote(user.username)}`;
  if (isPathRequest(attributes)) {
    return apiError('Forbidden', `forbidden: ${who} cannot ${attributes.verb} path ${quote(attributes.path)}`);
  }
  const what = `resource ${quote(formatResource(attributes))} in API group ${quote(attributes.group)}`;
  return forbiddenObject(attributes, `${who} cannot ${attributes.verb} ${what} ${scopeOf(attributes)}`);
}

/** The 403 for an object that may not be written for another reason than a missing verb. */
export function forbiddenObject(target: GroupResource & { readonly name?: string }, why: string): ChandleryError {
  const { group, resource, name } = target;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const subject = name ? `${qualified} ${quote(name)}` : qualified;
  return apiError('Forbidden', `${subject} is forbidden: ${why}`, {
    ...(name ? { name } : {}),
    kind: resource,
    ...(group === '' ? {} : { group }),
  });
}

/** The 403 for handing out rights that one does not hold; names the missing ones. */
export function forbiddenEscalation(
  target: GroupResource & { readonly name?: string },
  user: UserInfo,
  missing: readonly PolicyRule[],
): ChandleryError {
  const who = `user ${quote(user.username)} (groups=${quoteList(user.groups)})`;
  const rules = mergeVerbs(missing).map(formatRule).sort();
  return forbiddenObject(
    target,
    [`${who} is attempting to grant RBAC permissions not currently held:`, ...rules].join('\n'),
  );
}

const quote = (text: string): string => JSON.stringify(text);
const quoteList = (texts: readonly string[]): string => `[${texts.map(quote).join(' ')}]`;

const scopeOf = ({ namespace }: ResourceAttributes): string =>
  namespace ? `in the namespace ${quote(namespace)}` : 'at the cluster scope';

/** Merges single permissions that differ only in the verb into one rule. */
function mergeVerbs(permissions: readonly PolicyRule[]): readonly PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const permission of permissions) {
    const { verbs, ...target } = permission;
    const key = JSON.stringify(target);
    merged.set(key, { ...permission, verbs: [...(merged.get(key)?.verbs ?? []), ...verbs] });
  }
  return [...merged.values()];
}

function formatRule({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = {
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  };
  const received = Object.entries(parts).filter(([, values]) => values !== undefined && values.length > 0);
  return `{${received.map(([name, values]) => `${name}:${quoteList(values ?? [])}`).join(', ')}}`;
}
