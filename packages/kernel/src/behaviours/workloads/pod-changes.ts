import { type ErrorCause, fieldCause } from '@chandlery/api';
import { isSame } from './checks.ts';
import type { Container, PodSpec, Toleration } from './objects.ts';

const allowed =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** What an update of a pod must not change: nearly everything, as its containers run already. */
export function podChangeCauses(spec: PodSpec, before: PodSpec): ErrorCause[] {
  const counts = (['containers', 'initContainers'] as const).filter(
    list => (spec[list] ?? []).length !== (before[list] ?? []).length,
  );
  if (counts.length > 0) {
    return counts.map(list => fieldCause.forbidden(`spec.${list}`, 'pod updates may not add or remove containers'));
  }
  const causes = [...deadlineCauses(spec, before), ...tolerationCauses(spec, before), ...gateCauses(spec, before)];
  if (causes.length > 0) return causes;
  const changed = changedFields(withPermitted(before, spec), spec);
  if (changed.length === 0) return [];
  return [fieldCause.forbidden('spec', `${allowed}\nchanged: ${changed.map(name => `spec.${name}`).join(', ')}`)];
}

/** The old spec with what may change taken from the new one; each has been checked already. */
function withPermitted(before: PodSpec, spec: PodSpec): PodSpec {
  const { terminationGracePeriodSeconds: graceBefore } = before;
  const mayShorten = (graceBefore ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  return {
    ...before,
    containers: withImages(before.containers, spec.containers),
    initContainers: withImages(before.initContainers, spec.initContainers),
    activeDeadlineSeconds: spec.activeDeadlineSeconds,
    tolerations: spec.tolerations,
    schedulingGates: spec.schedulingGates,
    terminationGracePeriodSeconds: mayShorten ? 1 : graceBefore,
    nodeSelector: mayNarrow(before, spec) ? spec.nodeSelector : before.nodeSelector,
  };
}

const withImages = (before: Container[] | undefined, after: Container[] | undefined): Container[] | undefined =>
  before?.map((container, index) => ({ ...container, image: after?.[index]?.image }));

/** While a pod waits at a gate, the choice of nodes may still be narrowed. */
function mayNarrow({ schedulingGates, nodeSelector }: PodSpec, spec: PodSpec): boolean {
  if ((schedulingGates ?? []).length === 0) return false;
  return Object.entries(nodeSelector ?? {}).every(([key, value]) => spec.nodeSelector?.[key] === value);
}

function changedFields(before: PodSpec, after: PodSpec): string[] {
  const [left, right] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].filter(name => !isSame(left[name], right[name])).sort();
}

function deadlineCauses(
  { activeDeadlineSeconds: after }: PodSpec,
  { activeDeadlineSeconds: before }: PodSpec,
): ErrorCause[] {
  const field = 'spec.activeDeadlineSeconds';
  if (before === undefined || before === null) return [];
  if (after === undefined || after === null) {
    return [fieldCause.invalid(field, null, 'must not update from a positive integer to nil value')];
  }
  return after <= before ? [] : [fieldCause.invalid(field, after, 'must be less than or equal to previous value')];
}

/** Tolerations are only added; how long one lasts may change. */
function tolerationCauses({ tolerations: after }: PodSpec, { tolerations: before }: PodSpec): ErrorCause[] {
  const lasting = ({ tolerationSeconds: _seconds, ...rest }: Toleration): Toleration => rest;
  const kept = (before ?? []).every(old => (after ?? []).some(candidate => isSame(lasting(candidate), lasting(old))));
  return kept
    ? []
    : [
        fieldCause.forbidden(
          'spec.tolerations',
          'existing toleration can not be modified except its tolerationSeconds',
        ),
      ];
}

function gateCauses({ schedulingGates: after }: PodSpec, { schedulingGates: before }: PodSpec): ErrorCause[] {
  const had = new Set((before ?? []).map(({ name }) => name));
  const added = (after ?? []).flatMap(({ name }, index) => (had.has(name) ? [] : [{ name, index }]));
  return added.map(({ name, index }) => {
    return fieldCause.forbidden(
      `spec.schedulingGates[${index}]`,
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    );
  });
}
