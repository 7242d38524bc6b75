import type { InstanceStatus } from './instance-events.ts';

const ttlSeconds = 300;

/** The DNS records of an instance: each of its names leads to its router. */
export const recordsOf = ({
  routes = [],
}: InstanceStatus): readonly {
  readonly name: string;
  readonly target: string;
  readonly ttlSeconds: number;
}[] => routes.map(({ domain, router }) => ({ name: domain, target: router, ttlSeconds }));
