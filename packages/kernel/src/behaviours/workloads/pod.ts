import type { KubeObject } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import type { Pod, PodCondition, PodSpec } from './objects.ts';
import { podChangeCauses } from './pod-changes.ts';
import { podSpecCauses } from './pod-rules.ts';
import { qosClassOf } from './qos-class.ts';
import { schedulingEvents, unschedulableCondition } from './unschedulable.ts';

/** A date that is so far away can still be written: 2^31 seconds are 68 years. */
const maxGraceSeconds = 2 ** 31 - 1;
const defaultGraceSeconds = 30;

/** Pods wait for a node, hardly ever change, and get time to end when they are deleted. */
export const podBehaviour: Behaviour = {
  async prepareCreate(object, context) {
    const pod = object as Pod;
    fillServiceAccount(pod);
    const conditions = gatedCondition(pod.spec, context.now) ?? (await unschedulableCondition(pod, context));
    pod.status = { phase: 'Pending', ...conditions, qosClass: qosClassOf(pod.spec) };
  },
  withCreate: (object, context) => ({ writes: schedulingEvents(object, context) }),
  prepareUpdate: object => fillServiceAccount(object),
  prepareStatus(object, live) {
    const [pod, before] = [object as Pod, live as Pod];
    const qosClass = before.status?.qosClass ?? qosClassOf(before.spec);
    pod.status = { ...pod.status, phase: pod.status?.phase || 'Pending', qosClass };
  },
  validate: object => podSpecCauses('spec', (object as Pod).spec ?? {}),
  validateUpdate: (object, live) => podChangeCauses((object as Pod).spec ?? {}, (live as Pod).spec ?? {}),
  gracePeriodSeconds: graceSecondsOf,
};

/** A pod that no node has started, or that has ended, needs no grace period. */
function graceSecondsOf(object: KubeObject): number {
  const { spec, status } = object as Pod;
  if ((spec?.nodeName ?? '') === '' || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
  // A bigint for what no number holds: longer than any date.
  const own = Number(spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds);
  return own < 0 ? 1 : Math.min(own, maxGraceSeconds);
}

function fillServiceAccount({ spec }: Pod): void {
  if (spec === undefined || spec === null) return;
  const name = spec.serviceAccountName || spec.serviceAccount || 'default';
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function gatedCondition(spec: PodSpec | undefined, now: string): { conditions: PodCondition[] } | undefined {
  if ((spec?.schedulingGates ?? []).length === 0) return undefined;
  const message = 'Scheduling is blocked due to non-empty scheduling gates';
  return {
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message, lastTransitionTime: now },
    ],
  };
}
