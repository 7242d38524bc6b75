import type { JsonObject } from '@chandlery/api';

/** JSON Schemas of fields that several models have. */
export const text: JsonObject = { type: 'string', minLength: 1 };
export const free: JsonObject = { type: 'object' };
export const words: JsonObject = { type: 'array', items: { type: 'string' } };
export const port: JsonObject = { type: 'integer', minimum: 1, maximum: 65_535 };
export const command: JsonObject = { anyOf: [words, { type: 'string' }] };
