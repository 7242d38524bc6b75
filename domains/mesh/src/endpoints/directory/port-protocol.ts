import type { ServiceProtocol } from '../../model/mesh-service.ts';

/** The parts of a Service's port that say what it speaks. */
export interface DeclaredPort {
  readonly name?: string;
  readonly port: number;
  /** Default TCP. */
  readonly protocol?: string;
  readonly appProtocol?: string;
}

const httpProtocols = new Set(['http', 'http2', 'grpc', 'grpc-web', 'h2c', 'kubernetes.io/h2c', 'kubernetes.io/ws']);

/**
 * What a port speaks: its `appProtocol` says it, else its name up to the first hyphen (`http`, `grpc-admin`). Anything
 * else, encrypted HTTP among it, is passed on unread.
 */
export function protocolOf({ name = '', appProtocol }: DeclaredPort): ServiceProtocol {
  const said = (appProtocol ?? '').toLowerCase();
  if (said !== '') return httpProtocols.has(said) ? 'http' : 'tcp';
  const lower = name.toLowerCase();
  const [prefix = ''] = lower.split('-', 1);
  return httpProtocols.has(prefix) || lower === 'grpc-web' ? 'http' : 'tcp';
}

/** Only TCP is carried; ports that say nothing are TCP. */
export const isCarried = ({ protocol = 'TCP' }: DeclaredPort): boolean => protocol === 'TCP';
