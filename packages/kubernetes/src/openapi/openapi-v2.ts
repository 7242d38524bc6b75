const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value));

const bytes = (field: number, value: Buffer): Buffer =>
  Buffer.concat([Buffer.of((field << 3) | 2, value.length), value]);

/** The media type in which clients of Kubernetes ask for OpenAPI v2. */
export const openapiV2MediaType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * An OpenAPI v2 document that describes nothing.
 *
 * kubectl turns to v2 for what v3 does not describe: `kind: List`, and kinds that do not exist. A missing document is
 * an error to it; one without that kind means "leave validation to the server", which is what we want.
 */
export const openapiV2Document: Buffer = Buffer.concat([
  text(1, '2.0'),
  bytes(2, Buffer.concat([text(1, 'Chandlery'), text(2, 'v1')])),
  bytes(8, Buffer.alloc(0)),
]);
