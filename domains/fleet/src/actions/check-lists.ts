import { fleetError } from '../errors.ts';
import type { FleetConfiguration } from '../model/configuration/configuration.ts';
import type { FleetCaller } from './fleet-actions.ts';

/** Throws 4 for a user on the deny list, unless those are admitted, and 18 for an organisation that is not on the access list. */
export function checkLists(
  { settings, denyList, accessList }: FleetConfiguration,
  { username, organisation }: Pick<FleetCaller, 'username' | 'organisation'>,
  { admitsDenied = false }: { readonly admitsDenied?: boolean } = {},
): void {
  if (settings.enableDenyList && denyList.has(username) && !admitsDenied)
    throw fleetError(4, `user '${username}' is not authorized to access the service.`);
  if (settings.enableAccessList && !accessList.has(organisation)) throw fleetError(18);
}
