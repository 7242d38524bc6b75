import { type StatedCondition, type Step, setCondition } from '@chandlery/runtime';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import type { AccountView } from '../../model/clouds/plan-resource.ts';
import type { CloudResourceDeps } from './cloud-resource-deps.ts';

/** Reports whether the machines of a resource were found, and how many. */
export const reportResource: Step<CloudResource, CloudResourceDeps> = (resource, { viewAccount }, { now }) => {
  const view = viewAccount(resource);
  const machines = countMachines(view, resource.status?.machines);
  if (machines !== undefined) resource.status = { ...resource.status, machines };
  setCondition(resource, describe(view, resource.spec.account), now);
  return 'continue';
};

/** Without its account, a resource has none; what cannot be read is as many as before. */
function countMachines(view: AccountView, before: number | undefined): number | undefined {
  if (view.type === 'missing') return 0;
  if (view.type === 'unread') return before;
  return view.failure === undefined ? view.resolution.machines.length : (before ?? view.resolution.machines.length);
}

function describe(view: AccountView, account: string): StatedCondition {
  switch (view.type) {
    case 'missing':
      return notReady('UnknownAccount', `there is no CloudAccount "${account}" of this cloud in the namespace`);
    case 'unread':
      return view.failure === undefined
        ? notReady('Reading', `the CloudAccount "${account}" has not been read yet`)
        : notReady('Stale', `the CloudAccount "${account}" cannot be read; see its condition Ready`);
    case 'read':
      return describeRead(view, account);
  }
}

function describeRead(
  { resolution: { machines, missing }, failure }: Extract<AccountView, { type: 'read' }>,
  account: string,
): StatedCondition {
  if (failure !== undefined)
    return notReady('Stale', `the CloudAccount "${account}" cannot be read completely; see its condition Ready`);
  if (missing.length > 0) return notReady('NotFound', missingMessage(missing, account));
  if (machines.length === 0)
    return notReady('NoMachines', 'no machine of the account matches, or none has such an address');
  return { type: 'Ready', status: 'True', reason: 'Resolved' };
}

const notReady = (reason: string, message: string): StatedCondition => ({
  type: 'Ready',
  status: reason === 'Reading' ? 'Unknown' : 'False',
  reason,
  message,
});

function missingMessage(missing: readonly string[], account: string): string {
  const shown = missing.slice(0, 3).map(id => `"${id}"`);
  const more = missing.length > shown.length ? ` and ${missing.length - shown.length} more` : '';
  return `the account does not have ${shown.join(', ')}${more}, as far as the credentials of CloudAccount "${account}" can see`;
}
