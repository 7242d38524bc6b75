import type { JsonObject } from '@chandlery/api';
import { isJsonObject } from '../json.ts';
import type { InstanceRow } from '../rows.ts';

type InstanceStatus = InstanceRow['status'];

/** What a broker's answer says of an instance. Malformed facts are left out: they inform, nothing rests on them. */
export function instanceFactsIn({ dashboard_url: dashboardUrl, metadata }: JsonObject): InstanceStatus {
  return {
    ...(typeof dashboardUrl === 'string' && dashboardUrl !== '' && { dashboardUrl }),
    ...(isJsonObject(metadata) && { metadata }),
  };
}

/** A context as it is kept: without the signature, which was for the broker. */
export function keptContext(context: JsonObject | undefined): { readonly context?: JsonObject } {
  if (context === undefined) return {};
  const { signature: _signature, ...kept } = context;
  return { context: kept };
}
