import type { EndpointSet } from '../kinds/endpoint-set.ts';
import { canonicalIp } from '../model/endpoints/canonical-ip.ts';
import type { FieldProblem } from './check-machine-set.ts';

/** Checks what the schema cannot express: each endpoint has the address of a machine. */
export const checkEndpointSet = ({ endpoints }: EndpointSet['spec']): readonly FieldProblem[] =>
  endpoints.flatMap(({ ip }, index) =>
    canonicalIp(ip) === undefined
      ? [{ field: `spec.endpoints[${index}].ip`, message: `"${ip}" is not the IP address of a machine` }]
      : [],
  );
