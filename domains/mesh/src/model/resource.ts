/** Resource types, in the order in which changes are pushed. */
export const resourceTypes = ['cluster', 'endpoints', 'listener', 'route', 'secret'] as const;
export type ResourceType = (typeof resourceTypes)[number];

/**
 * Types of which the control plane decides the whole set: a resource that a full response leaves out is deleted by the
 * client.
 */
export const isWholeSet = (type: ResourceType): boolean => type === 'cluster' || type === 'listener';

/** A resource, encoded once for all clients. */
export interface EncodedResource {
  readonly type: ResourceType;
  readonly name: string;
  /** Derived from the content: equal content has an equal version on every replica. */
  readonly version: string;
  /** An encoded `google.protobuf.Any`. */
  readonly any: Uint8Array;
}

export const typeUrls: Readonly<Record<ResourceType, string>> = {
  cluster: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  endpoints: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  listener: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  route: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  secret: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
};
