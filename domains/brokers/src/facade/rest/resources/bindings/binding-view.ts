import type { JsonObject } from '@chandlery/api';
import { serviceBindings } from '../../../../kinds/index.ts';
import { searchedContext } from '../../../../model/query/searched-context.ts';
import { present, rowView } from '../../../../model/resources/resource.ts';
import type { BindingRow, Registry } from '../../../../model/rows.ts';
import { maySeeSecrets } from '../../access/tenants.ts';
import type { QueryField, ViewContext } from '../../resource-handler.ts';
import { commonFields, jsonField, textField } from '../../shared/common-fields.ts';

/** A binding as the service manager shows it. Credentials are shown one binding at a time, to those who may make bindings. */
export async function bindingView(
  registry: Registry,
  binding: BindingRow,
  { caller, isSingle }: ViewContext,
): Promise<JsonObject> {
  const view = plainView(binding);
  if (!isSingle || !maySeeSecrets(caller, { plural: serviceBindings.plural, tenant: binding.tenant })) return view;
  const credentials = await readCredentials(registry, binding);
  return credentials === undefined ? view : { ...view, credentials };
}

function plainView(binding: BindingRow): JsonObject {
  const { id, spec, status } = binding;
  return {
    ...rowView(binding),
    name: spec.name ?? id,
    service_instance_id: spec.instanceId,
    ...present({
      bind_resource: spec.bindResource,
      predecessor_binding_id: spec.predecessorId,
      context: status.context,
      syslog_drain_url: status.syslogDrainUrl,
      route_service_url: status.routeServiceUrl,
      volume_mounts: status.volumeMounts,
      endpoints: status.endpoints,
      metadata: status.metadata,
    }),
  };
}

async function readCredentials(registry: Registry, { tenant, status }: BindingRow): Promise<JsonObject | undefined> {
  if (status.credentialsSecret === undefined) return undefined;
  const secret = await registry.readSecret(tenant, status.credentialsSecret);
  return parseObject(secret?.['credentials.json']);
}

/** Whoever may write the tenant's Secrets may have put anything there. */
function parseObject(text: string | undefined): JsonObject | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
  } catch {
    return undefined;
  }
}

/** What can be asked of bindings. */
export const bindingFields: Readonly<Record<string, QueryField<BindingRow>>> = {
  ...commonFields,
  name: textField(row => row.spec.name ?? row.id, 'name'),
  service_instance_id: textField(row => row.spec.instanceId, 'instanceId'),
  predecessor_binding_id: textField(row => row.spec.predecessorId),
  syslog_drain_url: textField(row => row.status.syslogDrainUrl),
  route_service_url: textField(row => row.status.routeServiceUrl),
  context: jsonField(searchedContext),
  bind_resource: jsonField(row => row.spec.bindResource),
  volume_mounts: jsonField(row => row.status.volumeMounts),
  endpoints: jsonField(row => row.status.endpoints),
};
