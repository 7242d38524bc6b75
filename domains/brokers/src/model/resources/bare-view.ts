import type { JsonObject } from '@chandlery/api';

/** The fields of an offering or plan that are free-form and may be long. */
const longFields = new Set(['description', 'labels', 'tags', 'metadata', 'schemas']);

/** A view of an offering or plan without what is free-form and may be long. */
export const bareView = (view: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(view).filter(([field]) => !longFields.has(field)));
