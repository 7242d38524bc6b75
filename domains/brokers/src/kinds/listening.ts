import { isIP } from 'node:net';
import { isRecord } from '@chandlery/api';
import { Type } from 'typebox';
import { text } from './common.ts';

/** An address at which an instance takes connections. */
export interface ListeningEndpoint {
  /** A literal IP address. */
  readonly address: string;
  readonly port: number;
  /** Name of the port. It determines the protocol, as in a Service: `http`, `grpc`, anything else is TCP. Default: no name. */
  readonly name?: string;
}

/** Where an instance takes connections. With it, the instance is a service of meshes. */
export interface Listening {
  /** The cluster that it runs on. Default: not known. */
  readonly cluster?: string;
  /**
   * Its service account, in the namespace of its tenant: what the proxy in front of it authenticates as. Default: it has
   * no proxy of the mesh.
   */
  readonly serviceAccount?: string;
  readonly endpoints: readonly ListeningEndpoint[];
}

/** The schema of {@link Listening}. */
export const listeningSchema = Type.Optional(
  Type.Object(
    {
      cluster: text('The cluster that it runs on.'),
      serviceAccount: text('Its service account in this namespace, if a proxy of the mesh is in front of it.'),
      endpoints: Type.Array(
        Type.Object({
          address: Type.String({ description: 'A literal IP address.' }),
          port: Type.Integer({ minimum: 1, maximum: 65_535 }),
          name: text('Name of the port, which determines the protocol.'),
        }),
      ),
    },
    { description: 'Where it takes connections: with it, the instance is a service of meshes.' },
  ),
);

/** An instance has few addresses: more of them are ignored. */
const maxEndpoints = 64;

/**
 * Reads where something takes connections from a status that no schema of ours has checked. Invalid endpoints are left
 * out; undefined when none is left.
 */
export function readListening(value: unknown): Listening | undefined {
  if (!isRecord(value) || !Array.isArray(value['endpoints'])) return undefined;
  const endpoints = value['endpoints'].flatMap(endpoint => readEndpoint(endpoint) ?? []).slice(0, maxEndpoints);
  const { cluster, serviceAccount } = value;
  if (endpoints.length === 0) return undefined;
  return {
    ...(isText(cluster) && { cluster }),
    ...(isText(serviceAccount) && { serviceAccount }),
    endpoints,
  };
}

function readEndpoint(value: unknown): ListeningEndpoint | undefined {
  if (!isRecord(value)) return undefined;
  const { address, port, name } = value;
  if (!isText(address) || isIP(address) === 0) return undefined;
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return { address, port, ...(isText(name) && { name }) };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
