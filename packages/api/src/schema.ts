import type { JsonValue } from './object.ts';

/**
 * A structural schema in Kubernetes' sense: OpenAPI v3 with every field's type said at its place, plus the
 * `x-kubernetes-*` extensions that steer merging and pruning.
 */
export interface StructuralSchema {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  title?: string;
  description?: string;
  format?: string;
  nullable?: boolean;
  default?: JsonValue;
  example?: JsonValue;
  externalDocs?: JsonValue;
  enum?: JsonValue[];
  properties?: Record<string, StructuralSchema>;
  required?: string[];
  additionalProperties?: boolean | StructuralSchema;
  minProperties?: number;
  maxProperties?: number;
  items?: StructuralSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  allOf?: StructuralSchema[];
  anyOf?: StructuralSchema[];
  oneOf?: StructuralSchema[];
  not?: StructuralSchema;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  /** CEL rules, evaluated once an object has the right form. */
  'x-kubernetes-validations'?: JsonValue[];
  /** Strategic merge of built-in kinds where it differs from list-type map (`replace` is the default for lists). */
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-patch-merge-key'?: string;
}
