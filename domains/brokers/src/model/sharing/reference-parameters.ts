import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';

/** Which shared instance is meant. */
export type ReferenceTarget =
  | { readonly type: 'id'; readonly id: string }
  /** Whatever single shared instance there is. */
  | { readonly type: 'any' }
  | { readonly type: 'selectors'; readonly selectors: ReferenceSelectors };

/** All that are given must hold. At least one is. */
export interface ReferenceSelectors {
  readonly instanceName?: string;
  readonly planName?: string;
  /** Label queries; empty when none is given. */
  readonly labels: readonly string[];
}

const maxIdLength = 100;

/** Reads the parameters of a reference. Throws `BadRequest` unless exactly one of the two ways is used. */
export function parseReferenceParameters(parameters: JsonObject | undefined): ReferenceTarget {
  const id = readText(parameters ?? {}, 'referenced_instance_id');
  const selectors = readSelectors(parameters ?? {});
  if ((id === undefined) === (selectors === undefined)) {
    throw reject(
      'the parameters of a reference must hold either "referenced_instance_id" or "selectors"',
      'parameters',
    );
  }
  if (selectors !== undefined) return { type: 'selectors', selectors };
  return id === undefined || id === '*' ? { type: 'any' } : { type: 'id', id: checkLength(id) };
}

function readSelectors(parameters: JsonObject): ReferenceSelectors | undefined {
  const selectors = parameters['selectors'] ?? {};
  if (typeof selectors !== 'object' || Array.isArray(selectors)) {
    throw reject('"selectors" must be an object', 'parameters.selectors');
  }
  const instanceName = readText(selectors, 'instance_name_selector');
  const planName = readText(selectors, 'plan_name_selector');
  const labels = readTexts(selectors, 'instance_label_selector');
  if (instanceName === undefined && planName === undefined && labels.length === 0) return undefined;
  return {
    labels,
    ...(instanceName === undefined ? {} : { instanceName }),
    ...(planName === undefined ? {} : { planName }),
  };
}

/** An empty text counts as none. */
function readText(from: JsonObject, key: string): string | undefined {
  const value = from[key] ?? '';
  if (typeof value !== 'string') throw reject(`"${key}" must be a string`, key);
  return value === '' ? undefined : value;
}

function readTexts(from: JsonObject, key: string): string[] {
  const values = from[key] ?? [];
  if (!Array.isArray(values)) throw reject(`"${key}" must be an array of strings`, key);
  return values.map(value => {
    if (typeof value !== 'string') throw reject(`"${key}" must be an array of strings`, key);
    return value;
  });
}

function checkLength(id: string): string {
  if (id.length <= maxIdLength) return id;
  throw reject(
    `"referenced_instance_id" is longer than ${maxIdLength} characters`,
    'parameters.referenced_instance_id',
  );
}

const reject = (message: string, field: string) => smError('BadRequest', message, { field });
