/** Maximum number of matches of an HTTPRouteGroup. A target or split that names the group includes all of them. */
export const maxMatches = 1000;

/** Maximum number of characters of all patterns of an HTTPRouteGroup. */
export const maxPatternCharacters = 128 * 1024;

/**
 * Maximum number of rules of a TrafficTarget, and of groups of a TrafficSplit. Each may include all matches of a group.
 */
export const maxRules = 100;
