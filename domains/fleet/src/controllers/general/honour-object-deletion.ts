import type { InstanceStep } from '../instance-step.ts';

/** Begins the deletion of an instance whose object was deleted with kubectl. */
export const honourObjectDeletion: InstanceStep = draft => {
  if (draft.row.isDeleting) draft.apply({ type: 'delete', by: 'object' });
  return draft.status.state === 'deprovision' || draft.status.state === 'deleting' ? 'stop' : 'continue';
};
