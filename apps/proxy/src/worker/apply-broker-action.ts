import { setTimeout as pause } from 'node:timers/promises';
import type { BrokerAction } from '../model/plan-brokers.ts';
import type { BrokerRegistration, PlatformAdapter, PlatformBroker } from '../ports.ts';
import type { ProxySettings } from '../settings.ts';
import type { CredentialManager } from './credential-manager.ts';

interface ApplyDeps {
  readonly platform: PlatformAdapter;
  readonly credentials: CredentialManager;
  readonly settings: Pick<ProxySettings, 'credentialOverlapMs'>;
}

/** Does at the platform what was decided about a broker. */
export async function applyBrokerAction(action: BrokerAction, deps: ApplyDeps): Promise<void> {
  const { platform, credentials } = deps;
  switch (action.type) {
    case 'create': {
      const made = await credentials.make(action.brokerId);
      await platform.createBroker({ ...registrationOf(action), credentials: made });
      return made.taken();
    }
    case 'update':
      return action.needsCredentials || credentials.isDue(action.brokerId)
        ? updateWithCredentials(action.current, registrationOf(action), deps)
        : platform.updateBroker(action.current, registrationOf(action));
    case 'refetch':
      return credentials.isDue(action.brokerId)
        ? updateWithCredentials(action.current, { ...action.current, brokerId: action.brokerId }, deps)
        : platform.refetchCatalog(action.current);
    case 'delete':
      await platform.deleteBroker(action.current, action.brokerId);
      return credentials.forget(action.brokerId);
  }
}

async function updateWithCredentials(
  current: PlatformBroker,
  registration: BrokerRegistration,
  { platform, credentials, settings }: ApplyDeps,
): Promise<void> {
  const made = await credentials.make(registration.brokerId);
  await platform.updateBroker(current, { ...registration, credentials: made });
  // Calls that were begun with the former credentials have to arrive before those end.
  await pause(settings.credentialOverlapMs);
  await made.taken();
}

const registrationOf = ({ brokerId, name, url }: BrokerRegistration): BrokerRegistration => ({ brokerId, name, url });
