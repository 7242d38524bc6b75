import type { JsonObject } from '@chandlery/api';

/** The query of a platform that can wait. */
export const later = 'accepts_incomplete=true';

/** A whole request for an instance of a plan of `database`. */
export const provisionBody = (plan: string, more: JsonObject = {}): JsonObject => ({
  ...idsIn(plan),
  organization_guid: 'org',
  space_guid: 'space',
  context: { platform: 'kubernetes', namespace: 'default', clusterid: 'c', instance_name: 'my-database' },
  parameters: { size: 1 },
  ...more,
});

/** The body of a bind. */
export const bindBody = (plan: string, more: JsonObject = {}): JsonObject => ({ ...idsIn(plan), ...more });

/** The ids of a plan in a body. */
export const idsIn = (plan: string): JsonObject => ({ service_id: 'database-id', plan_id: `database-${plan}` });

/** The ids of a plan in a query. */
export const idsOf = (plan: string): string => `service_id=database-id&plan_id=database-${plan}`;
