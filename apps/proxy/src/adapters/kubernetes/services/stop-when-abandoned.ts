import { type Step, setCondition } from '@chandlery/runtime';
import type { ServiceBinding, ServiceInstance } from '../kinds.ts';
import type { ServicesDeps } from './services-deps.ts';

const message =
  'The platform was deleted at the service manager, and this with it. Delete this object; order it again once the platform is registered again.';

/** Calls no broker for what went with the platform. */
export const stopWhenAbandoned: Step<ServiceInstance | ServiceBinding, ServicesDeps> = (order, _deps, { now }) => {
  if (order.status?.platformRemoved !== true) return 'continue';
  setCondition(order, { type: 'Ready', status: 'False', reason: 'PlatformRemoved', message }, now);
  return 'stop';
};
