import type { AccessRequest } from '../../kinds/index.ts';
import { rbacGroup, type Subject } from './owned-objects.ts';

type OidcAccess = NonNullable<AccessRequest['spec']['oidc']>;
type OidcSubject = NonNullable<OidcAccess['roleBindings']>[number]['subjects'][number];

/**
 * The subjects in the cluster's terms. Users and groups get the prefix that its API server adds to names of this
 * issuer; service accounts are the cluster's own.
 */
export function prefixedSubjects(
  oidc: Pick<OidcAccess, 'name' | 'usernamePrefix' | 'groupsPrefix'>,
  subjects: readonly OidcSubject[],
): readonly Subject[] {
  const usernamePrefix = prefixOf(oidc.name, oidc.usernamePrefix);
  const groupsPrefix = prefixOf(oidc.name, oidc.groupsPrefix);
  return subjects.map(({ kind, name, namespace }) => {
    switch (kind) {
      case 'User':
        return { kind, name: `${usernamePrefix}${name}`, apiGroup: rbacGroup };
      case 'Group':
        return { kind, name: `${groupsPrefix}${name}`, apiGroup: rbacGroup };
      case 'ServiceAccount':
        return { kind, name, ...(namespace === undefined ? {} : { namespace }) };
    }
  });
}

/** Kubernetes writes no prefix as `-`. */
function prefixOf(provider: string, prefix: string | undefined): string {
  if (prefix === undefined) return `${provider}:`;
  return prefix === '-' ? '' : prefix;
}
