import { type ErrorCause, fieldCause, type KubeObject } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { countOrPercentCauses, immutableCauses, isZeroCount } from './checks.ts';
import { withNoNodeReport } from './no-nodes.ts';
import type { PodTemplate, WorkloadSpec } from './objects.ts';
import { matchCauses, selectorAndTemplateCauses, templateCauses } from './template-rules.ts';

type CountOrPercent = number | string;

interface DeploymentSpec extends WorkloadSpec {
  replicas?: number;
  strategy?: { type?: string; rollingUpdate?: { maxSurge?: CountOrPercent; maxUnavailable?: CountOrPercent } };
  minReadySeconds?: number;
  progressDeadlineSeconds?: number;
}

const specOf = (object: KubeObject): DeploymentSpec => object['spec'] ?? {};

/** A selector is for life: pods that it once chose would be left behind otherwise. */
export const keepsSelector = (object: KubeObject, live: KubeObject): ErrorCause[] =>
  immutableCauses('spec.selector', specOf(object).selector, specOf(live).selector);

const deploymentRules: Behaviour = {
  validate(object) {
    const spec = specOf(object);
    return [
      ...selectorAndTemplateCauses(spec, { kind: 'Deployment' }),
      ...strategyCauses(spec),
      ...deadlineCauses(spec),
    ];
  },
  validateUpdate: keepsSelector,
};

const wantsReplicas = (object: KubeObject): boolean => (specOf(object).replicas ?? 1) > 0;

/** Deployments replace pods by a strategy. */
export const deploymentBehaviour = withNoNodeReport(deploymentRules, {
  condition: { type: 'Available', status: 'False' },
  wantsPods: wantsReplicas,
});

const replicaSetRules: Behaviour = {
  validate: object => selectorAndTemplateCauses(specOf(object), { kind: 'ReplicaSet' }),
  validateUpdate: keepsSelector,
};

/** Replica sets hold a number of equal pods. */
export const replicaSetBehaviour = withNoNodeReport(replicaSetRules, {
  condition: { type: 'ReplicaFailure', status: 'True' },
  wantsPods: wantsReplicas,
});

/** Replication controllers choose pods by plain labels, and may change their mind. */
export const replicationControllerBehaviour: Behaviour = {
  validate(object) {
    const { selector, template } = (object['spec'] ?? {}) as {
      selector?: Record<string, string>;
      template?: PodTemplate;
    };
    const labels = Object.entries(selector ?? {});
    const causes = labels.length === 0 ? [fieldCause.required('spec.selector')] : [];
    if (template === undefined || template === null) return [...causes, fieldCause.required('spec.template')];
    const requirements = labels.map(([key, value]) => ({ key, operator: 'In' as const, values: [value] }));
    return [...causes, ...matchCauses({ requirements }, template), ...templateCauses('spec.template', template)];
  },
};

function strategyCauses({ strategy }: DeploymentSpec): ErrorCause[] {
  const field = 'spec.strategy.rollingUpdate';
  const settings = strategy?.rollingUpdate ?? undefined;
  if (settings === undefined) return [];
  if (strategy?.type === 'Recreate') {
    return [fieldCause.forbidden(field, "may not be specified when strategy `type` is 'Recreate'")];
  }
  const { maxSurge, maxUnavailable } = settings;
  const causes = [
    ...countOrPercentCauses(`${field}.maxUnavailable`, maxUnavailable, 100),
    ...countOrPercentCauses(`${field}.maxSurge`, maxSurge),
  ];
  if (causes.length > 0 || !isZeroCount(maxSurge) || !isZeroCount(maxUnavailable)) return causes;
  return [fieldCause.invalid(`${field}.maxUnavailable`, maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0')];
}

function deadlineCauses({ minReadySeconds, progressDeadlineSeconds: deadline }: DeploymentSpec): ErrorCause[] {
  if (deadline === undefined || deadline === null || deadline > (minReadySeconds ?? 0)) return [];
  return [fieldCause.invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')];
}
