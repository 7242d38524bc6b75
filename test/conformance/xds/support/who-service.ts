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

/** Asks a server what it is called. */
export const whoPath = '/test.Names/Who';
/** The same, where policies know nothing of it. */
export const otherPath = '/test.Names/Other';

export const whoService: ServiceDefinition<UntypedServiceImplementation> = {
  who: { ...method, path: whoPath },
  other: { ...method, path: otherPath },
};
