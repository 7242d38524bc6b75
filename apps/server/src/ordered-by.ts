import type { KubeObject } from '@chandlery/api';
import { serviceBindings, serviceInstances } from '@chandlery/brokers/kinds';
import { type Behaviour, type BehaviourContext, type Behaviours, onboardingCluster } from '@chandlery/kernel';
import { isSameJson } from '@chandlery/runtime';
import { landscapeUser } from './provider-admission.ts';

type Spec = Readonly<Record<string, unknown>>;

/**
 * Records who orders services through the Kubernetes API. What an order creates has this owner, and deny lists apply, as
 * if it came through the service manager's own API.
 */
const orderedBy: Behaviour = {
  prepareCreate: (object, context) => recordUser(object, undefined, context),
  prepareUpdate: (object, live, context) => recordUser(object, live, context),
};

export const orderedByBehaviours: Behaviours = new Map(
  [serviceInstances, serviceBindings].map(({ group, plural }) => [`${group}/${plural}`, orderedBy]),
);

/** A value given by the user is ignored. Writes of the landscape, and those that change nothing else, keep the last one. */
function recordUser(object: KubeObject, live: KubeObject | undefined, { target, write }: BehaviourContext): void {
  if (target.cluster !== onboardingCluster) return;
  const { userInfo: _given, ...spec } = specOf(object);
  const { userInfo: known, ...before } = specOf(live);
  const { username } = write.user;
  const isKept = username === landscapeUser || (live !== undefined && isSameJson(spec, before));
  const userInfo = isKept ? known : { username };
  object['spec'] = userInfo === undefined ? spec : { ...spec, userInfo };
}

const specOf = (object: KubeObject | undefined): Spec => (object?.['spec'] ?? {}) as Spec;
