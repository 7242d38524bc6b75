import type { JsonObject } from '@chandlery/api';

// The JSON Schemas of fields of REST resources.

export const text: JsonObject = { type: 'string' };
export const flag: JsonObject = { type: 'boolean' };
export const time: JsonObject = { type: 'string', format: 'date-time' };
export const integer: JsonObject = { type: 'integer' };
export const list: JsonObject = { type: 'array' };
export const anyObject: JsonObject = { type: 'object' };

/** One of some texts. */
export const oneOf = (...values: string[]): JsonObject => ({ enum: values });

/** An object with these properties. */
export const objectSchema = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});
