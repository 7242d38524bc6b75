import { type ErrorCause, fieldCause, type KubeObject } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { countOrPercentCauses, isSame, isZeroCount } from './checks.ts';
import { keepsSelector } from './deployment.ts';
import type { WorkloadSpec } from './objects.ts';
import { selectorAndTemplateCauses } from './template-rules.ts';

interface ClaimTemplate {
  apiVersion?: string;
  kind?: string;
  metadata?: { name?: string };
  status?: unknown;
}

interface SetSpec extends WorkloadSpec {
  volumeClaimTemplates?: ClaimTemplate[];
  updateStrategy?: {
    type?: string;
    rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string };
  };
}

const specOf = (object: KubeObject): SetSpec => object['spec'] ?? {};

/** Stateful sets name their pods and claims; only what can be rolled out may change. */
export const statefulSetBehaviour: Behaviour = {
  prepareCreate: fillClaims,
  prepareUpdate: fillClaims,
  validate(object) {
    const spec = specOf(object);
    const furtherVolumes = (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? '');
    return [...selectorAndTemplateCauses(spec, { kind: 'StatefulSet', furtherVolumes }), ...onDeleteCauses(spec)];
  },
  validateUpdate: (object, live) => keptCauses(specOf(object), specOf(live)),
};

/** Claims inside a set are whole objects, with the status of an unbound claim. */
function fillClaims(object: KubeObject): void {
  for (const claim of specOf(object).volumeClaimTemplates ?? []) {
    claim.apiVersion ||= 'v1';
    claim.kind ||= 'PersistentVolumeClaim';
    claim.status = { phase: 'Pending' };
  }
}

const rolledOut = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function keptCauses(spec: SetSpec, before: SetSpec): ErrorCause[] {
  const [left, right] = [withoutRolledOut(spec), withoutRolledOut(before)];
  if (isSame(left, right)) return [];
  const names = rolledOut.map(name => `'${name}'`);
  const why = `updates to statefulset spec for fields other than ${names.slice(0, -1).join(', ')} and ${names.at(-1)} are forbidden`;
  return [fieldCause.forbidden('spec', why)];
}

function withoutRolledOut(spec: SetSpec): unknown {
  const entries = Object.entries(spec).filter(([name]) => !rolledOut.includes(name));
  return Object.fromEntries(entries);
}

function onDeleteCauses({ updateStrategy }: SetSpec): ErrorCause[] {
  if (updateStrategy?.type !== 'OnDelete' || (updateStrategy.rollingUpdate ?? undefined) === undefined) return [];
  const why = "only allowed for updateStrategy 'RollingUpdate'";
  return [fieldCause.invalid('spec.updateStrategy.rollingUpdate', updateStrategy.rollingUpdate, why)];
}

/** Daemon sets put a pod on every node. */
export const daemonSetBehaviour: Behaviour = {
  validate(object) {
    const spec = specOf(object);
    return [...selectorAndTemplateCauses(spec, { kind: 'DaemonSet' }), ...daemonRollingCauses(spec)];
  },
  validateUpdate: keepsSelector,
};

/** A node either loses its old pod first or gets the new one first. */
function daemonRollingCauses({ updateStrategy }: SetSpec): ErrorCause[] {
  const settings = updateStrategy?.rollingUpdate ?? undefined;
  if (updateStrategy?.type !== 'RollingUpdate' || settings === undefined) return [];
  const field = 'spec.updateStrategy.rollingUpdate';
  const { maxSurge, maxUnavailable } = settings;
  const causes = [
    ...countOrPercentCauses(`${field}.maxUnavailable`, maxUnavailable, 100),
    ...countOrPercentCauses(`${field}.maxSurge`, maxSurge, 100),
  ];
  if (causes.length > 0) return causes;
  if (!isZeroCount(maxUnavailable) && !isZeroCount(maxSurge)) {
    return [fieldCause.invalid(`${field}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')];
  }
  if (!isZeroCount(maxUnavailable) || !isZeroCount(maxSurge)) return [];
  return [fieldCause.required(`${field}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')];
}
