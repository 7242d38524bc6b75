import { bindInstance } from './bind-instance.ts';
import { deprovisionInstance } from './deprovision-instance.ts';
import { adaptCredentials, fetchBinding, fetchInstance } from './fetch.ts';
import type { BindingCall, InstanceCall, OsbCall, OsbDeps } from './osb-call.ts';
import type { OsbResponse } from './osb-response.ts';
import { pollBinding, pollInstance } from './poll.ts';
import { provisionInstance } from './provision-instance.ts';
import { unbindInstance } from './unbind-instance.ts';
import { updateInstance } from './update-instance.ts';

type Answerer<Call> = (call: Call, deps: OsbDeps) => Promise<OsbResponse>;

const ofInstance: Readonly<Record<string, Answerer<InstanceCall>>> = {
  GET: fetchInstance,
  PUT: provisionInstance,
  PATCH: updateInstance,
  DELETE: deprovisionInstance,
};

const ofBinding: Readonly<Record<string, Answerer<BindingCall>>> = {
  GET: fetchBinding,
  PUT: bindInstance,
  DELETE: unbindInstance,
};

/** Answers an admitted call about anything but the catalog. The method is one of those that its path allows. */
export function dispatchCall(call: OsbCall, deps: OsbDeps): Promise<OsbResponse> {
  const { route, method } = call;
  switch (route.type) {
    case 'instance':
      return (ofInstance[method] as Answerer<InstanceCall>)({ ...call, route }, deps);
    case 'instance-poll':
      return pollInstance({ ...call, route }, deps);
    case 'binding':
      return (ofBinding[method] as Answerer<BindingCall>)({ ...call, route }, deps);
    case 'binding-poll':
      return pollBinding({ ...call, route }, deps);
    case 'adapt-credentials':
      return adaptCredentials({ ...call, route }, deps);
    case 'catalog':
      throw new Error('catalogs are served without a broker');
  }
}
