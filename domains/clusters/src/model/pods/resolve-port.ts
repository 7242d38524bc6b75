import { ChandleryError } from '@chandlery/api';
import type { PortNumbers } from '../../kinds/dynamic-ports.ts';
import type { Container } from './pod.ts';

/** The number of a port that a probe names, or the one that the node assigned. */
export function resolvePort(container: Container, port: number | string, chosen: PortNumbers = {}): number {
  const isNumber = typeof port === 'number' || /^\d+$/.test(port);
  const declared = container.ports?.find(({ name, containerPort }) =>
    isNumber ? containerPort === Number(port) : name === port,
  );
  const dynamic = chosen[declared?.name ?? ''] ?? chosen[String(port)];
  if (dynamic !== undefined) return dynamic;
  if (isNumber) return Number(port);
  if (declared !== undefined) return declared.containerPort;
  throw new ChandleryError('UnknownPort', `Container "${container.name}" has no port named "${port}".`);
}
