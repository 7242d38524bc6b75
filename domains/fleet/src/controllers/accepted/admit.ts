import { admitInstance } from '../../actions/admit-instance.ts';
import type { InstanceStep } from '../instance-step.ts';

/** Decides on an instance that was made with kubectl as on an order over REST. Its row changes, which adds it again. */
export const admit: InstanceStep = async (draft, deps) => {
  if (draft.status.state !== undefined) return 'continue';
  await admitInstance(deps, draft.id);
  return 'stop';
};
