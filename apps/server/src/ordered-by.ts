import type { KubeObject } from '@chandlery/api';
import { ownPlatformId, serviceBindings, serviceInstances } from '@chandlery/brokers/kinds';
import { type Behaviour, type BehaviourContext, type Behaviours, isMaster, onboardingCluster } from '@chandlery/kernel';
import { ordersKinds } from '@chandlery/orders/kinds';
import { isSameJson } from '@chandlery/runtime';
import { forbidden, landscapeUser } from './provider-admission.ts';

type Spec = Readonly<Record<string, unknown>>;

/**
 * Records who orders services through the Kubernetes API. What an order creates has this owner, and deny lists apply, as
 * if it came through the REST API of its domain.
 */
const orderedBy: Behaviour = {
  prepareCreate: (object, context) => recordUser(object, undefined, context),
  prepareUpdate: (object, live, context) => recordUser(object, live, context),
};

const behaviours: readonly (readonly [{ readonly group: string; readonly plural: string }, Behaviour])[] = [
  [serviceInstances, { ...orderedBy, authorize: rejectPlatform }],
  [serviceBindings, orderedBy],
  [ordersKinds.orders, orderedBy],
];

export const orderedByBehaviours: Behaviours = new Map(
  behaviours.map(([{ group, plural }, behaviour]) => [`${group}/${plural}`, behaviour]),
);

/**
 * Platforms make their instances themselves, over OSB. A tenant who names one would add to the instances of others: what
 * a platform sees, and what it must delete before it can go.
 */
function rejectPlatform(object: KubeObject, live: KubeObject | undefined, { target, write }: BehaviourContext): void {
  const { user } = write;
  if (target.cluster !== onboardingCluster || user.username === landscapeUser || isMaster(user)) return;
  const { platformId = ownPlatformId } = specOf(object);
  if (platformId === ownPlatformId || platformId === specOf(live)['platformId']) return;
  throw forbidden(
    serviceInstances,
    object,
    'spec.platformId names a platform, which orders over OSB itself; leave it out',
  );
}

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
