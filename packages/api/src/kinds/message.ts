import type { ProtobufField, ProtobufMessage, ProtobufType } from '../kind.ts';
import type { JsonValue } from '../object.ts';
import type { StructuralSchema } from '../schema.ts';

/**
 * A message of the Kubernetes API, declared once: its structural schema and its protobuf layout.
 *
 * Field numbers and names are part of the protocol and never change.
 */
export interface Message {
  readonly schema: StructuralSchema;
  readonly protobuf: ProtobufMessage;
}

/** One field of a message, as both sides see it. */
export interface Field {
  readonly schema: StructuralSchema;
  readonly protobuf: ProtobufField;
  readonly required?: boolean;
  /** The message whose fields stand in the parent's place. */
  readonly inlined?: Message;
}

/** What may be said about any field beyond its type. */
export interface FieldOptions {
  readonly required?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Strategic merge drops the keys that a patch does not name (unions such as volumes). */
  readonly retainsKeys?: boolean;
  /** Strategic merge replaces the value as a whole. */
  readonly replaces?: boolean;
  /** Server-side apply treats the whole value as one. */
  readonly atomic?: boolean;
}

/** How a list merges. With neither `keys` nor `set` it is replaced as a whole. */
export interface ListOptions extends FieldOptions {
  /** The fields that identify an item (server-side apply). */
  readonly keys?: readonly string[];
  /** Items are scalars, each at most once. */
  readonly set?: boolean;
  /** The field that identifies an item for strategic merge; empty for a list of scalars. */
  readonly mergeKey?: string;
  readonly minItems?: number;
}

interface Scalar {
  readonly protobuf: ProtobufType;
  readonly schema: StructuralSchema;
}

const scalars = {
  string: { protobuf: 'string', schema: { type: 'string' } },
  bool: { protobuf: 'bool', schema: { type: 'boolean' } },
  int32: { protobuf: 'int', schema: { type: 'integer', format: 'int32' } },
  int64: { protobuf: 'int', schema: { type: 'integer', format: 'int64' } },
  bytes: { protobuf: 'bytes', schema: { type: 'string', format: 'byte' } },
  time: { protobuf: 'time', schema: { type: 'string', format: 'date-time' } },
  microTime: { protobuf: 'microTime', schema: { type: 'string', format: 'date-time' } },
  // `cpu: 0.5` is as good as `cpu: "500m"`, so int-or-string would be too narrow.
  quantity: { protobuf: 'quantity', schema: { format: 'quantity', anyOf: [{ type: 'number' }, { type: 'string' }] } },
  intOrString: { protobuf: 'intOrString', schema: { 'x-kubernetes-int-or-string': true } },
  json: { protobuf: 'json', schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  stringList: {
    protobuf: 'stringList',
    schema: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
  },
} as const satisfies Record<string, Scalar>;

/** What lists and maps are made of. */
export type Element = keyof typeof scalars | Message;

const typeOf = (element: Element): Scalar => (typeof element === 'string' ? scalars[element] : element);

/** Declares a message; nested messages are declared before the ones that use them. */
export function message(
  description: string,
  fields: Readonly<Record<string, Field>>,
  options?: { atomic?: true },
): Message {
  const properties: Record<string, StructuralSchema> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    Object.assign(properties, field.inlined === undefined ? { [name]: field.schema } : field.inlined.schema.properties);
    required.push(...(field.inlined?.schema.required ?? []), ...(field.required === true ? [name] : []));
  }
  const schema: StructuralSchema = {
    type: 'object',
    description,
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(options?.atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
  return {
    schema,
    protobuf: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.protobuf])),
  };
}

function constraints(options: FieldOptions): StructuralSchema {
  const { required: _required, retainsKeys, replaces, atomic, enum: values, ...rest } = options;
  return {
    ...rest,
    ...(values === undefined ? {} : { enum: [...values] }),
    ...(retainsKeys === true ? { 'x-kubernetes-patch-strategy': 'retainKeys' } : {}),
    ...(replaces === true ? { 'x-kubernetes-patch-strategy': 'replace' } : {}),
    ...(atomic === true ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

interface FieldParts {
  readonly type: StructuralSchema;
  readonly protobuf: ProtobufField;
  readonly description: string;
  readonly options: FieldOptions;
}

const field = ({ type, protobuf, description, options }: FieldParts): Field => ({
  schema: { ...type, description, ...constraints(options) },
  protobuf,
  ...(options.required === true ? { required: true } : {}),
});

type ScalarField = (number: number, description: string, options?: FieldOptions) => Field;

const scalarField = ({ schema, protobuf }: Scalar, keepsZero: boolean): ScalarField => {
  const presence = keepsZero ? { keepsZero } : {};
  return (number, description, options = {}) =>
    field({ type: schema, protobuf: { number, type: protobuf, ...presence }, description, options });
};

// Plain fields: a zero on the wire means that nothing was said.
export const string = scalarField(scalars.string, false);
export const bool = scalarField(scalars.bool, false);
export const int32 = scalarField(scalars.int32, false);
export const int64 = scalarField(scalars.int64, false);
export const bytes = scalarField(scalars.bytes, false);
export const time = scalarField(scalars.time, false);
export const microTime = scalarField(scalars.microTime, false);
export const quantity = scalarField(scalars.quantity, false);
export const intOrString = scalarField(scalars.intOrString, false);
/** Any JSON object, sent as raw JSON. */
export const json = scalarField(scalars.json, false);

// Fields whose zero differs from their absence.
export const optionalString = scalarField(scalars.string, true);
export const optionalBool = scalarField(scalars.bool, true);
export const optionalInt32 = scalarField(scalars.int32, true);
export const optionalInt64 = scalarField(scalars.int64, true);
export const optionalQuantity = scalarField(scalars.quantity, true);
export const optionalIntOrString = scalarField(scalars.intOrString, true);

/** A field that holds one message. */
export const one = (number: number, type: Message, description: string, options: FieldOptions = {}): Field =>
  field({ type: type.schema, protobuf: { number, type: type.protobuf }, description, options });

/** A message whose fields are the parent's own in JSON, though nested in protobuf. */
export const inline = (number: number, type: Message): Field => ({
  schema: type.schema,
  protobuf: { number, type: type.protobuf, inline: true },
  inlined: type,
});

function mergeSemantics({ keys, set, mergeKey, retainsKeys }: ListOptions): StructuralSchema {
  const strategy = retainsKeys === true ? 'merge,retainKeys' : 'merge';
  return {
    'x-kubernetes-list-type': keys !== undefined ? 'map' : set === true ? 'set' : 'atomic',
    ...(keys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...keys] }),
    ...(mergeKey === undefined ? {} : { 'x-kubernetes-patch-strategy': strategy }),
    ...(mergeKey === undefined || mergeKey === '' ? {} : { 'x-kubernetes-patch-merge-key': mergeKey }),
  };
}

/** A repeated field. */
export function list(number: number, element: Element, description: string, options: ListOptions = {}): Field {
  const { keys: _keys, set: _set, mergeKey: _mergeKey, retainsKeys: _retainsKeys, ...rest } = options;
  const { schema: items, protobuf: type } = typeOf(element);
  return field({
    type: { type: 'array', items, ...mergeSemantics(options) },
    protobuf: { number, type, repeated: true },
    description,
    options: rest,
  });
}

/** A map from string to the element. */
export function map(number: number, element: Element, description: string, options: FieldOptions = {}): Field {
  const { schema: additionalProperties, protobuf: type } = typeOf(element);
  return field({
    type: { type: 'object', additionalProperties },
    protobuf: { number, type, map: true },
    description,
    options,
  });
}
