import { isDeepStrictEqual } from 'node:util';
import { type ErrorCause, fieldCause, type KubeObject } from '@chandlery/api';
import { ensureMayWriteBinding, ensureMayWriteRole, rbacGroup } from '../access/index.ts';
import type { Behaviour } from './behaviour.ts';

interface Binding extends KubeObject {
  subjects?: { kind: string; apiGroup?: string; name: string; namespace?: string }[];
  roleRef: { apiGroup?: string; kind: string; name: string };
}

/** A role cannot grant more than its writer has. */
export const roleBehaviour: Behaviour = {
  authorize(object, live, { write }) {
    if (write.access !== undefined) ensureMayWriteRole(write.access, { user: write.user, object, previous: live });
  },
  validate(object) {
    const rules = (object['rules'] ?? []) as { verbs?: string[]; nonResourceURLs?: string[]; resources?: string[] }[];
    return rules.flatMap((rule, index) => ruleCauses(`rules[${index}]`, rule, object.kind === 'ClusterRole'));
  },
};

function ruleCauses(
  field: string,
  rule: { verbs?: string[]; nonResourceURLs?: string[]; resources?: string[] },
  isClusterRole: boolean,
): ErrorCause[] {
  if ((rule.verbs ?? []).length === 0)
    return [fieldCause.required(`${field}.verbs`, 'verbs must contain at least one value')];
  const hasUrls = (rule.nonResourceURLs ?? []).length > 0;
  if (hasUrls && !isClusterRole) {
    return [
      fieldCause.invalid(
        `${field}.nonResourceURLs`,
        rule.nonResourceURLs,
        'namespaced rules cannot apply to non-resource URLs',
      ),
    ];
  }
  if (!hasUrls && (rule.resources ?? []).length === 0) {
    return [fieldCause.required(`${field}.resources`, 'resource rules must supply at least one resource')];
  }
  return [];
}

/** A binding cannot grant more than its writer has, and its roleRef never changes. */
export const bindingBehaviour: Behaviour = {
  prepareCreate: fillGroups,
  prepareUpdate: fillGroups,
  authorize(object, live, { write }) {
    if (write.access !== undefined) ensureMayWriteBinding(write.access, { user: write.user, object, previous: live });
  },
  validate(object) {
    const { subjects = [], roleRef } = object as Binding;
    const isClusterWide = object.kind === 'ClusterRoleBinding';
    const roleKinds = isClusterWide ? ['ClusterRole'] : ['Role', 'ClusterRole'];
    const causes = subjects.flatMap((subject, index) => subjectCauses(`subjects[${index}]`, subject, isClusterWide));
    if (!roleKinds.includes(roleRef.kind))
      causes.push(fieldCause.notSupported('roleRef.kind', roleRef.kind, roleKinds));
    if (roleRef.name === '') causes.push(fieldCause.required('roleRef.name'));
    return causes;
  },
  validateUpdate(object, live) {
    const [{ roleRef }, { roleRef: before }] = [object as Binding, live as Binding];
    return isDeepStrictEqual(roleRef, before) ? [] : [fieldCause.invalid('roleRef', roleRef, 'cannot change roleRef')];
  },
};

function fillGroups(object: KubeObject): void {
  const binding = object as Binding;
  if (binding.roleRef !== undefined) binding.roleRef.apiGroup ??= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ??= rbacGroup;
  }
}

/** In a RoleBinding a service account without a namespace is one of the binding's own. */
function subjectCauses(
  field: string,
  subject: { kind: string; name: string; namespace?: string },
  isClusterWide: boolean,
): ErrorCause[] {
  const kinds = ['ServiceAccount', 'User', 'Group'];
  if (!kinds.includes(subject.kind)) return [fieldCause.notSupported(`${field}.kind`, subject.kind, kinds)];
  if ((subject.name ?? '') === '') return [fieldCause.required(`${field}.name`)];
  const isHomeless = subject.kind === 'ServiceAccount' && (subject.namespace ?? '') === '';
  return isHomeless && isClusterWide ? [fieldCause.required(`${field}.namespace`)] : [];
}
