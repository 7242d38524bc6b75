import { isKubernetesGroup } from '@chandlery/api';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import type { CrdNames, CustomResourceDefinition } from '../registry/kind-of-crd.ts';
import { apiApprovalOf } from './crd-approval.ts';

type CrdStatus = NonNullable<CustomResourceDefinition['status']>;
type CrdCondition = NonNullable<CrdStatus['conditions']>[number];

/** The status of a CRD beside `others`: every kind that is built in or declared by another CRD of the logical cluster. */
export function crdStatus(crd: CustomResourceDefinition, others: readonly CompiledKind[], now: string): CrdStatus {
  const { spec, status } = crd;
  const taken = nameConflict(
    spec.names,
    others.filter(({ group }) => group === spec.group),
  );
  const storage = spec.versions.find(version => version.storage)?.name;
  const stored = new Set([...(status?.storedVersions ?? []), ...(storage === undefined ? [] : [storage])]);
  const fresh = [...(taken === undefined ? acceptedConditions : refusedConditions(taken)), ...approvalConditions(crd)];
  return {
    acceptedNames: taken === undefined ? spec.names : (status?.acceptedNames ?? { plural: '', kind: '' }),
    storedVersions: [...stored],
    conditions: mergeConditions(status?.conditions ?? [], fresh, now),
  };
}

const acceptedConditions: readonly CrdCondition[] = [
  { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  },
];

const refusedConditions = ({ reason, message }: { reason: string; message: string }): readonly CrdCondition[] => [
  { type: 'NamesAccepted', status: 'False', reason, message },
  { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
];

/** Whether a group of the Kubernetes project is used with that project's approval. */
function approvalConditions(crd: CustomResourceDefinition): readonly CrdCondition[] {
  if (!isKubernetesGroup(crd.spec.group)) return [];
  const { state, message } = apiApprovalOf(crd);
  const isApproved = state === 'approved';
  const reason = {
    approved: 'ApprovedAnnotation',
    bypassed: 'UnapprovedAnnotation',
    missing: 'MissingAnnotation',
    invalid: 'InvalidAnnotation',
  }[state];
  return [{ type: 'KubernetesAPIApprovalPolicyConformant', status: isApproved ? 'True' : 'False', reason, message }];
}

function nameConflict(
  names: CrdNames,
  others: readonly CompiledKind[],
): { reason: string; message: string } | undefined {
  const words = new Set(
    others.flatMap(({ plural, singular, declaration }) => [plural, singular, ...(declaration.shortNames ?? [])]),
  );
  const kinds = new Set(others.flatMap(({ kind, listKind }) => [kind, listKind]));
  const inUse = (name: string): string => `"${name}" is already in use`;
  const short = (names.shortNames ?? []).find(name => words.has(name));
  if (words.has(names.plural)) return { reason: 'PluralConflict', message: inUse(names.plural) };
  if (names.singular !== undefined && words.has(names.singular))
    return { reason: 'SingularConflict', message: inUse(names.singular) };
  if (short !== undefined) return { reason: 'ShortNamesConflict', message: inUse(short) };
  if (kinds.has(names.kind)) return { reason: 'KindConflict', message: inUse(names.kind) };
  if (names.listKind !== undefined && kinds.has(names.listKind))
    return { reason: 'ListKindConflict', message: inUse(names.listKind) };
  return undefined;
}

/** Established once, established for good: a CRD that serves objects does not stop because of a later rename. */
function mergeConditions(
  present: readonly CrdCondition[],
  fresh: readonly CrdCondition[],
  now: string,
): CrdCondition[] {
  const merged = fresh.map(condition => {
    const before = present.find(({ type }) => type === condition.type);
    if (condition.type === 'Established' && before?.status === 'True') return before;
    return { ...condition, lastTransitionTime: before?.status === condition.status ? before.lastTransitionTime : now };
  });
  return [...merged, ...present.filter(({ type }) => !fresh.some(condition => condition.type === type))];
}
