import type { ParameterDefinition } from '../../kinds/index.ts';
import { isJsonObject } from '../bodies/body-fields.ts';
import type { ParameterValue } from '../parameters/verify-parameters.ts';

/** Returns the parameters of an order that a job's request gives: its fields that have the names of parameters. */
export function requestParameters(
  definitions: readonly ParameterDefinition[],
  request: unknown,
): readonly ParameterValue[] {
  if (!isJsonObject(request)) return [];
  return definitions
    .filter(({ name }) => Object.hasOwn(request, name) && request[name] !== null)
    .map(({ name }) => ({ name, value: textOf(request[name]) }));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whether a content type is JSON. */
export const isJsonType = (type: string): boolean => /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type);
