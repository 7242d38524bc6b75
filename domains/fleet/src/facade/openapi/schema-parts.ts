import type { JsonObject } from '@chandlery/api';

// Parts that schemas are built from.

export const text: JsonObject = { type: 'string' };
export const time: JsonObject = { type: 'string', format: 'date-time' };
export const flag: JsonObject = { type: 'boolean' };
export const integer: JsonObject = { type: 'integer' };
export const texts: JsonObject = { type: 'array', items: text };
export const nullable = (schema: JsonObject): JsonObject => ({ ...schema, nullable: true });
export const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
export const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required: [...required] }),
  properties,
});
export const list = (item: string): JsonObject =>
  object({ kind: text, page: integer, size: integer, total: integer, items: { type: 'array', items: ref(item) } }, [
    'kind',
    'page',
    'size',
    'total',
    'items',
  ]);
export const reference: JsonObject = { id: text, kind: text, href: text };
export const conditions: JsonObject = {
  type: 'array',
  items: object({ type: text, reason: text, message: text, status: text }),
};
