/** Of an HTTPRouteGroup. Every target and split that names the group has all of them. */
export const maxMatches = 1000;

/** Characters of all patterns of an HTTPRouteGroup together. */
export const maxPatternCharacters = 128 * 1024;

/** Of a TrafficTarget, and of groups that a TrafficSplit names. Each may stand for all matches of a group. */
export const maxRules = 100;
