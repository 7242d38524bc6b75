/** The stream over which the resource itself came. */
export const overAds = { ads: {}, resource_api_version: 'V3' } as const;

/** No limit. */
export const noTimeout = { seconds: 0 } as const;
