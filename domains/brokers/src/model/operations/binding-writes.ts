import type { JsonObject } from '@chandlery/api';
import { type BindingRow, type OperationRow, type RegistryWrite, updateRow } from '../rows.ts';
import { bindingFacts, credentialsData, credentialsSecretOf } from './binding-credentials.ts';
import { succeedOperation } from './operation-end.ts';
import { available, statedConditions, synced } from './row-conditions.ts';

/** What a new binding is recorded from. */
interface BindingSuccess {
  readonly operation: OperationRow;
  readonly binding: BindingRow;
  /** The whole binding, as the broker gave or showed it. */
  readonly body: JsonObject;
  /** As sent, without a signature. */
  readonly context: JsonObject;
  readonly now: Date;
}

/** A binding has come about: its credentials go into the Secret, unless a platform has them; all else into the status. */
export function bindingCreated({ operation, binding, body, context, now }: BindingSuccess): RegistryWrite[] {
  const secret = binding.status.isTracked === true ? undefined : credentialsSecretOf(binding);
  const status: BindingRow['status'] = {
    ...binding.status,
    ...bindingFacts(body),
    ready: true,
    context: binding.status.context ?? context,
    ...(secret === undefined ? {} : { credentialsSecret: secret }),
    observedGeneration: binding.generation,
    conditions: statedConditions(binding, [available, synced], now),
  };
  return [
    updateRow({ table: 'bindings', row: binding, status }),
    ...(secret === undefined ? [] : [credentialsWrite(binding, secret, body)]),
    ...succeedOperation(operation),
  ];
}

const credentialsWrite = ({ tenant }: BindingRow, name: string, body: JsonObject): RegistryWrite => ({
  type: 'put-secret',
  tenant,
  name,
  data: credentialsData((body['credentials'] ?? {}) as JsonObject),
});
