/** How often a watch that asked for bookmarks gets one. */
export const bookmarkIntervalMs = 60_000;

/** After this long without an event or a bookmark, a client takes a watch for dead: two bookmarks and a half. */
export const watchIdleTimeoutMs = 2.5 * bookmarkIntervalMs;
