/** Resources come over the same aggregated stream. */
export const overAds = { ads: {}, resource_api_version: 'V3' } as const;

/** Disables a timeout. */
export const noTimeout = { seconds: 0 } as const;
