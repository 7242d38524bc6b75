import type { JsonObject } from '@chandlery/api';

/** A plan of a catalog that keeps the rules. */
export const rawPlan = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  name: `name-of-${id}`,
  description: 'A plan',
  ...more,
});

/** An offering of a catalog that keeps the rules. */
export const rawOffering = (id: string, plans: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  id,
  name: `name-of-${id}`,
  description: 'A service',
  bindable: true,
  plans: [...plans],
  ...more,
});

/** A catalog. */
export const rawCatalog = (...services: readonly JsonObject[]): JsonObject => ({ services: [...services] });
