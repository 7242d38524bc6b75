import type { EncodedResource } from '../../model/resource.ts';
import { secretNames } from '../../model/resource-names.ts';
import type { ServiceName } from '../../model/service-name.ts';
import type { ResourceEncoder } from '../encoding/resource-encoder.ts';
import { exactly, uriMatchers } from './principals.ts';

/** Trust bundle for inbound connections; access rules authorize the callers. */
export const inboundRootsSecret = (encoder: ResourceEncoder, trustBundle: string): EncodedResource =>
  encoder.encode('secret', secretNames.inboundRoots, {
    name: secretNames.inboundRoots,
    validation_context: { trusted_ca: { inline_string: trustBundle } },
  });

export interface OutboundRoots {
  readonly service: ServiceName;
  readonly trustBundle: string;
  /** SPIFFE ids of the servers of the service. */
  readonly principals: readonly string[];
}

/** Trust bundle and principals for outbound connections to a service. */
export function outboundRootsSecret(encoder: ResourceEncoder, roots: OutboundRoots): EncodedResource {
  const name = secretNames.outboundRoots(roots.service);
  return encoder.encode('secret', name, {
    name,
    validation_context: {
      trusted_ca: { inline_string: roots.trustBundle },
      match_typed_subject_alt_names: uriMatchers(roots.principals.toSorted().map(exactly)),
    },
  });
}
