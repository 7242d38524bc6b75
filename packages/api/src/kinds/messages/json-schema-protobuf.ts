import type { ProtobufField, ProtobufMessage, ProtobufType } from '../../kind.ts';

const plain = (number: number, type: ProtobufType): ProtobufField => ({ number, type });
const pointer = (number: number, type: ProtobufType): ProtobufField => ({ number, type, keepsZero: true });
const repeated = (number: number, type: ProtobufType): ProtobufField => ({ number, type, repeated: true });
const mapped = (number: number, type: ProtobufType): ProtobufField => ({ number, type, map: true });
const union = (number: number, type: ProtobufType): ProtobufField => ({ ...pointer(number, type), unwraps: true });

const self = (): ProtobufMessage => jsonSchemaProtobuf;

const schemaOrArray: ProtobufMessage = { jSONSchemas: repeated(2, self), schema: plain(1, self) };
const schemaOrBool: ProtobufMessage = { allows: pointer(1, 'bool'), schema: plain(2, self) };
const schemaOrStrings: ProtobufMessage = { property: repeated(2, 'string'), schema: plain(1, self) };

const validationRule: ProtobufMessage = {
  rule: plain(1, 'string'),
  message: plain(2, 'string'),
  messageExpression: plain(3, 'string'),
  reason: pointer(4, 'string'),
  fieldPath: plain(5, 'string'),
  optionalOldSelf: pointer(6, 'bool'),
};

/** JSON schema as custom resource definitions carry it in protobuf. Its structure is checked elsewhere. */
export const jsonSchemaProtobuf: ProtobufMessage = {
  id: plain(1, 'string'),
  $schema: plain(2, 'string'),
  $ref: pointer(3, 'string'),
  description: plain(4, 'string'),
  type: plain(5, 'string'),
  format: plain(6, 'string'),
  title: plain(7, 'string'),
  default: pointer(8, 'json'),
  maximum: pointer(9, 'double'),
  exclusiveMaximum: plain(10, 'bool'),
  minimum: pointer(11, 'double'),
  exclusiveMinimum: plain(12, 'bool'),
  maxLength: pointer(13, 'int'),
  minLength: pointer(14, 'int'),
  pattern: plain(15, 'string'),
  maxItems: pointer(16, 'int'),
  minItems: pointer(17, 'int'),
  uniqueItems: plain(18, 'bool'),
  multipleOf: pointer(19, 'double'),
  enum: repeated(20, 'json'),
  maxProperties: pointer(21, 'int'),
  minProperties: pointer(22, 'int'),
  required: repeated(23, 'string'),
  items: union(24, schemaOrArray),
  allOf: repeated(25, self),
  oneOf: repeated(26, self),
  anyOf: repeated(27, self),
  not: plain(28, self),
  properties: mapped(29, self),
  additionalProperties: union(30, schemaOrBool),
  patternProperties: mapped(31, self),
  dependencies: { ...mapped(32, schemaOrStrings), unwraps: true },
  additionalItems: union(33, schemaOrBool),
  definitions: mapped(34, self),
  externalDocs: plain(35, { description: plain(1, 'string'), url: plain(2, 'string') }),
  example: pointer(36, 'json'),
  nullable: plain(37, 'bool'),
  'x-kubernetes-preserve-unknown-fields': pointer(38, 'bool'),
  'x-kubernetes-embedded-resource': plain(39, 'bool'),
  'x-kubernetes-int-or-string': plain(40, 'bool'),
  'x-kubernetes-list-map-keys': repeated(41, 'string'),
  'x-kubernetes-list-type': pointer(42, 'string'),
  'x-kubernetes-map-type': pointer(43, 'string'),
  'x-kubernetes-validations': repeated(44, validationRule),
};
