import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { CloudResource } from '../../kinds/clouds/cloud-resource.ts';
import type { AccountView } from '../../model/clouds/plan-resource.ts';
import type { Cloud } from '../../ports/clouds.ts';
import type { AccountState } from '../cloud-accounts/account-states.ts';

export interface AccountViewInput {
  readonly cloud: Cloud;
  readonly resource: CloudResource;
  /** Undefined when there is none of that name. */
  readonly account: CloudAccount | undefined;
  readonly state: AccountState | undefined;
}

/** What a resource knows of its account; accounts of other clouds count as missing. */
export function viewAccount({ cloud, resource, account, state }: AccountViewInput): AccountView {
  if (account === undefined || cloud.accountId(account.spec) === undefined) return { type: 'missing' };
  if (state?.reading === undefined || state.readAt === undefined) {
    const { failure, failingSince } = state ?? {};
    return { type: 'unread', ...(failure && { failure }), ...(failingSince && { since: failingSince }) };
  }
  const { reading, readAt, failure } = state;
  return {
    type: 'read',
    resolution: cloud.resolve(resource.spec, reading.inventory),
    readAt,
    ...(failure && { failure }),
  };
}
