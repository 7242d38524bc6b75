import type { InstanceStep } from '../instance-step.ts';

/** An instance that its agent sees has nothing to wait for but the agent. */
export const stopIfPlaced: InstanceStep = ({ status }) =>
  status.clusterId !== undefined && status.host !== undefined ? 'stop' : 'continue';
