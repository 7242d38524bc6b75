import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

/** The response of a backend: its name, and its caller. */
export interface CatalogAnswer {
  readonly pod: string;
  readonly cluster: string;
  readonly pid: number;
  readonly port: number;
  /** The names in the certificate of the caller, `URI:spiffe://…`. */
  readonly caller: string;
}

type Question = Readonly<Record<string, never>>;

const toBytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** The one method of the shop's catalog; messages are JSON. */
export const getCatalog = {
  path: '/shop.Catalog/Get',
  requestStream: false,
  responseStream: false,
  requestSerialize: toBytes,
  requestDeserialize: (bytes: Buffer): Question => JSON.parse(bytes.toString()) as Question,
  responseSerialize: toBytes,
  responseDeserialize: (bytes: Buffer): CatalogAnswer => JSON.parse(bytes.toString()) as CatalogAnswer,
} as const;

export const catalogService: ServiceDefinition<UntypedServiceImplementation> = { get: getCatalog };
