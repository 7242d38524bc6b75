import type { ServiceProtocol } from '../../model/mesh-service.ts';

/** The fields of a Service port that determine its protocol. */
export interface DeclaredPort {
  readonly name?: string;
  readonly port: number;
  /** Default TCP. */
  readonly protocol?: string;
  readonly appProtocol?: string;
}

const httpProtocols = new Set(['http', 'http2', 'grpc', 'grpc-web', 'h2c', 'kubernetes.io/h2c', 'kubernetes.io/ws']);

/**
 * The protocol of a port: by its `appProtocol`, otherwise by its name up to the first hyphen (`http`, `grpc-admin`).
 * Anything else, including HTTPS, is forwarded as TCP.
 */
export function protocolOf({ name = '', appProtocol }: DeclaredPort): ServiceProtocol {
  const declared = (appProtocol ?? '').toLowerCase();
  if (declared !== '') return httpProtocols.has(declared) ? 'http' : 'tcp';
  const lower = name.toLowerCase();
  const [prefix = ''] = lower.split('-', 1);
  return httpProtocols.has(prefix) || lower === 'grpc-web' ? 'http' : 'tcp';
}

/** Only TCP is supported, which is the default. */
export const isCarried = ({ protocol = 'TCP' }: DeclaredPort): boolean => protocol === 'TCP';
