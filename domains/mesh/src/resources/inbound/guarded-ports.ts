import type { InboundPolicy, InboundPort } from '../../model/proxy-scope.ts';
import type { GuardedPort } from '../matching/access-rules.ts';

/** HTTP if any service declares it: then each request is authorized, and nothing is allowed by mistake. */
const protocolOf = (ports: readonly InboundPort[]): GuardedPort['protocol'] =>
  ports.some(({ protocol }) => protocol === 'http') ? 'http' : 'tcp';

/** The target ports of the workload without duplicates, sorted; several services may share one. */
export function guardedPorts({ ports }: InboundPolicy): GuardedPort[] {
  const byTarget = Map.groupBy(ports, ({ targetPort }) => targetPort);
  return [...byTarget]
    .map(([port, group]) => ({ port, protocol: protocolOf(group) }))
    .toSorted((one, other) => one.port - other.port);
}

/** Like {@link guardedPorts}; a port without a service is treated as HTTP. */
export const guardedPort = (policy: InboundPolicy, port: number): GuardedPort =>
  guardedPorts(policy).find(guarded => guarded.port === port) ?? { port, protocol: 'http' };
