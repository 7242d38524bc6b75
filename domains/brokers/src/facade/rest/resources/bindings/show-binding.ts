import type { JsonObject } from '@chandlery/api';
import { serviceBindings } from '../../../../kinds/index.ts';
import { bindingView } from '../../../../model/resources/bindings.ts';
import type { BindingRow, Registry } from '../../../../model/rows.ts';
import { maySeeSecrets } from '../../access/tenants.ts';
import type { ViewContext } from '../../resource-handler.ts';

/** A binding as the service manager shows it. Credentials are shown one binding at a time, to those who may make bindings. */
export async function showBinding(
  registry: Registry,
  binding: BindingRow,
  { caller, isSingle }: ViewContext,
): Promise<JsonObject> {
  const view = bindingView(binding);
  if (!isSingle || !maySeeSecrets(caller, { plural: serviceBindings.plural, tenant: binding.tenant })) return view;
  const credentials = await readCredentials(registry, binding);
  return credentials === undefined ? view : { ...view, credentials };
}

async function readCredentials(registry: Registry, { tenant, status }: BindingRow): Promise<JsonObject | undefined> {
  if (status.credentialsSecret === undefined) return undefined;
  const secret = await registry.readSecret(tenant, status.credentialsSecret);
  return parseObject(secret?.['credentials.json']);
}

/** The Secret may have been edited: its content is not trusted to be JSON. */
function parseObject(text: string | undefined): JsonObject | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
  } catch {
    return undefined;
  }
}
