/**
 * The name of the EndpointSet of a resource, of which large ones have several: `aws-books`, `aws1-books`. No two resources
 * have a name in common.
 */
export const setNameOf = (cloud: string, resource: string, index: number): string =>
  `${cloud}${index === 0 ? '' : index}-${resource}`;

/** The resource whose sets may have this name; undefined when no resource of the cloud can. */
export const resourceOfSetName = (cloud: string, name: string): string | undefined =>
  name.startsWith(cloud) ? /^\d*-(.+)$/.exec(name.slice(cloud.length))?.[1] : undefined;
