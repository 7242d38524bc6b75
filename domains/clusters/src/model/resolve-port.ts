import { ChandleryError } from '@chandlery/api';
import type { Container } from './pod.ts';

/** The number of a port that a probe names. */
export function resolvePort(container: Container, port: number | string): number {
  if (typeof port === 'number' || /^\d+$/.test(port)) return Number(port);
  const named = container.ports?.find(({ name }) => name === port);
  if (named !== undefined) return named.containerPort;
  throw new ChandleryError('UnknownPort', `Container "${container.name}" has no port named "${port}".`);
}
