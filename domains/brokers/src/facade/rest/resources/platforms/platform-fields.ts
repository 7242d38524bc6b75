import type { PlatformRow } from '../../../../model/rows.ts';
import type { BrokerSettings } from '../../../../settings.ts';
import { isConnected } from '../../../notifications/is-connected.ts';
import type { QueryField } from '../../resource-handler.ts';
import { commonFields, flagField, textField } from '../../shared/common-fields.ts';

/** What platforms can be asked for; the last six by operators only. */
export const platformFields = (
  settings: Pick<BrokerSettings, 'maxPingPeriodMs'>,
): Readonly<Record<string, QueryField<PlatformRow>>> => ({
  ...commonFields,
  name: textField(({ id, spec }) => spec.name ?? id, 'name'),
  type: textField(({ spec }) => spec.type),
  description: textField(({ spec }) => spec.description ?? ''),
  suspended: flagField(({ spec }) => spec.suspended ?? false),
  technical: flagField(({ spec }) => spec.technical ?? false),
  active: flagField(platform => isConnected(platform, new Date(), settings)),
  last_active: { type: 'date', read: ({ status }) => status.lastActiveAt },
  version: textField(({ status }) => status.agentVersion),
  username: textField(({ status }) => status.credentials?.username),
  credentials_active: flagField(({ status }) => status.credentials?.isActive ?? false),
});
