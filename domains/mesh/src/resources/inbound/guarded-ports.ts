import type { InboundPolicy, InboundPort } from '../../model/proxy-scope.ts';
import type { GuardedPort } from '../matching/access-rules.ts';

/** HTTP if any service says so: then each request is looked at, and nothing is allowed by mistake. */
const protocolOf = (ports: readonly InboundPort[]): GuardedPort['protocol'] =>
  ports.some(({ protocol }) => protocol === 'http') ? 'http' : 'tcp';

/** The ports on which the workload listens, each once, though several services may lead to it. Sorted. */
export function guardedPorts({ ports }: InboundPolicy): GuardedPort[] {
  const byTarget = Map.groupBy(ports, ({ targetPort }) => targetPort);
  return [...byTarget]
    .map(([port, group]) => ({ port, protocol: protocolOf(group) }))
    .toSorted((one, other) => one.port - other.port);
}

/** As {@link guardedPorts}; one that no service leads to is taken for HTTP. */
export const guardedPort = (policy: InboundPolicy, port: number): GuardedPort =>
  guardedPorts(policy).find(guarded => guarded.port === port) ?? { port, protocol: 'http' };
