import type { JsonObject } from '@chandlery/api';
import type { BindingRow } from '../rows.ts';
import { catalogIds, type InstanceTarget } from './broker-requests.ts';

/** The body of a bind. The target is the instance that the broker knows: for a reference, the shared one. */
export function bindBody(
  binding: BindingRow,
  target: InstanceTarget,
  sent: { readonly context: JsonObject; readonly parameters: JsonObject | undefined },
): JsonObject {
  const { bindResource, predecessorId } = binding.spec;
  return {
    ...catalogIds(target),
    context: sent.context,
    ...(sent.parameters === undefined ? {} : { parameters: sent.parameters }),
    ...(bindResource === undefined ? {} : { bind_resource: bindResource as JsonObject }),
    ...(predecessorId === undefined ? {} : { predecessor_binding_id: predecessorId }),
  };
}
