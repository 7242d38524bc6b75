import type { Permission } from '../definition/provider-definition.ts';

type Rule = Permission['rules'][number];

const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** A rule with all rights on resources of a group; `''` is the core group. */
export const allRightsOn = (group: string, ...resources: readonly string[]): Rule => ({
  apiGroups: [group],
  resources: [...resources],
  verbs,
});
