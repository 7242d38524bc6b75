import type { EndpointSet } from '../../kinds/endpoint-set.ts';

export type SetEndpoint = EndpointSet['spec']['endpoints'][number];
export type MachineState = SetEndpoint['state'];

/** A machine of a cloud that serves a service. */
export interface CloudMachine {
  /** As its cloud calls it. */
  readonly id: string;
  /** In canonical form. A machine without the wanted address is not resolved. */
  readonly address: string;
  readonly state: MachineState;
  readonly region: string;
  readonly zone?: string;
}

/** The machines that a resource names. */
export interface Resolution {
  readonly machines: readonly CloudMachine[];
  /** What the account does not have, as the resource names it; empty when all was found. */
  readonly missing: readonly string[];
  /** Whether an endpoint of an earlier reading stays, because it could not be read again. Default: none stays. */
  readonly keeps?: (endpoint: SetEndpoint) => boolean;
}

/** From best to worst for the traffic of a machine; of several judgements the worst applies. */
const severity: readonly MachineState[] = ['Running', 'Draining', 'Starting', 'Unhealthy', 'Stopped'];

export const worstState = (...states: readonly MachineState[]): MachineState =>
  states.reduce((worst, state) => (severity.indexOf(state) > severity.indexOf(worst) ? state : worst), 'Running');
