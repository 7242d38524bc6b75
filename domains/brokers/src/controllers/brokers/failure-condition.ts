import { toError } from '@chandlery/api';
import type { StatedCondition } from '@chandlery/runtime';
import { SmError } from '../../errors.ts';

/**
 * What a failure looks like in conditions. A row that platforms know stays `Ready`: they continue with what they know.
 * Without an `SmError` the sentence is ours: what others wrote into an error may hold secrets.
 */
export function failureConditions(thrown: unknown, isReady: boolean): StatedCondition[] {
  const { reason, message } = explain(thrown);
  const synced = { type: 'Synced', status: 'False', reason, message } as const;
  return isReady ? [synced] : [synced, { type: 'Ready', status: 'False', reason, message }];
}

function explain(thrown: unknown): Pick<StatedCondition, 'reason' | 'message'> {
  if (thrown instanceof SmError) return { reason: reasonOf(thrown), message: thrown.message };
  return {
    reason: 'SyncFailed',
    message: `The change could not be taken over (${toError(thrown).code}); it is tried again.`,
  };
}

const reasonOfField: Readonly<Record<string, string>> = {
  credentials: 'CredentialsInvalid',
  broker_url: 'AddressInvalid',
  service_plan_id: 'PlanNotFound',
  platform_id: 'PlatformRefused',
};

const reasonOfCode: Readonly<Record<string, string>> = {
  ServiceBrokerErr: 'BrokerUnreachable',
  ExistingReferenceEntity: 'InstancesExist',
  Conflict: 'AlreadyExists',
};

function reasonOf({ code, facts }: SmError): string {
  if (code !== 'BadRequest') return reasonOfCode[code] ?? 'SyncFailed';
  if (facts.brokerStatus !== undefined) return 'CatalogRefused';
  return reasonOfField[facts.field ?? ''] ?? 'CatalogInvalid';
}
