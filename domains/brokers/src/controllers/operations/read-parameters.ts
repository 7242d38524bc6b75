import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { changeOf } from '../../model/operations/operation-end.ts';
import type { BindingRow, InstanceRow, OperationRow, Registry } from '../../model/rows.ts';

/** The parameters that an operation brings for the broker; undefined when it brings none. Rejects when they are lost. */
export async function readParameters(
  registry: Registry,
  operation: OperationRow,
  row: InstanceRow | BindingRow,
): Promise<JsonObject | undefined> {
  const { parametersSecret } = changeOf(operation);
  if (parametersSecret !== undefined) return readSecretParameters(registry, operation.tenant, parametersSecret);
  return operation.spec.type === 'create' ? readSpecParameters(registry, row) : undefined;
}

/** The parameters that a spec states: those of its Secret, and its own on top. */
export async function readSpecParameters(
  registry: Registry,
  { tenant, spec }: InstanceRow | BindingRow,
): Promise<JsonObject | undefined> {
  const own = spec.parameters as JsonObject | undefined;
  if (spec.parametersSecret === undefined) return own;
  return { ...(await readSecretParameters(registry, tenant, spec.parametersSecret)), ...own };
}

async function readSecretParameters(registry: Registry, tenant: string, name: string): Promise<JsonObject> {
  const text = (await registry.readSecret(tenant, name))?.['parameters'];
  if (text === undefined) {
    throw smError('BadRequest', `the Secret "${name}" with the parameters has no key "parameters", or is not there`);
  }
  const parameters = parseJson(text);
  if (typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters))
    return parameters as JsonObject;
  throw smError('BadRequest', `the key "parameters" of the Secret "${name}" does not hold a JSON object`);
}

/** Does not repeat the parser's message: the text may be secret. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
