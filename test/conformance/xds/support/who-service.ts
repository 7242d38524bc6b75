import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

const asIs = (bytes: Buffer): Buffer => bytes;
const method = {
  requestStream: false,
  responseStream: false,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
} as const;

/** Returns the name of a server. */
export const whoPath = '/test.Names/Who';
/** The same, on a path without a policy. */
export const otherPath = '/test.Names/Other';

export const whoService: ServiceDefinition<UntypedServiceImplementation> = {
  who: { ...method, path: whoPath },
  other: { ...method, path: otherPath },
};
