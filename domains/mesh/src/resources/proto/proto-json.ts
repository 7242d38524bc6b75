import protobuf from 'protobufjs';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = Readonly<Record<string, unknown>>;
type WriteJson = (message: Fields, root: protobuf.Root) => Json;

/**
 * Converts an encoded `google.protobuf.Any` to JSON: the fields of its message, by their names in the `.proto` file,
 * and `@type`. A message of an unknown type stays encoded.
 */
export function anyToJson(any: Uint8Array, root: protobuf.Root): Json {
  return writeAny(fieldsOf(root.lookupType('google.protobuf.Any').decode(any)), root);
}

/** Converts a decoded message to proto3 JSON with the field names of the `.proto` file. Unset fields are omitted. */
function messageToJson(type: protobuf.Type, message: Fields, root: protobuf.Root): Json {
  const special = specialTypes[type.fullName];
  if (special) return special(message, root);
  const entries = type.fieldsArray
    .filter(field => isSet(field, message))
    .map(field => [field.name, fieldToJson(field, message[field.name], root)] as const);
  return Object.fromEntries(entries);
}

function isSet(field: protobuf.Field, message: Fields): boolean {
  const value = message[field.name];
  if (!Object.hasOwn(message, field.name) || value === null) return false;
  return !(field.repeated || field.map) || Object.keys(value as object).length > 0;
}

function fieldToJson(field: protobuf.Field, value: unknown, root: protobuf.Root): Json {
  if (field instanceof protobuf.MapField) {
    const entries = Object.entries(value as Fields);
    return Object.fromEntries(entries.map(([key, each]) => [key, valueToJson(field, each, root)]));
  }
  if (field.repeated) return (value as unknown[]).map(each => valueToJson(field, each, root));
  return valueToJson(field, value, root);
}

function valueToJson(field: protobuf.Field, value: unknown, root: protobuf.Root): Json {
  const type = field.resolvedType;
  if (type instanceof protobuf.Type) return messageToJson(type, value as Fields, root);
  if (type instanceof protobuf.Enum) return type.valuesById[Number(value)] ?? Number(value);
  if (value instanceof Uint8Array) return base64(value);
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return String(value);
}

function writeAny(message: Fields, root: protobuf.Root): Json {
  const { type_url: typeUrl = '', value = new Uint8Array() } = message as { type_url?: string; value?: Uint8Array };
  const type = findType(typeUrl, root);
  if (!type) return { '@type': typeUrl, value: base64(value) };
  const json = messageToJson(type, fieldsOf(type.decode(value)), root);
  return isObject(json) && !specialTypes[type.fullName]
    ? { '@type': typeUrl, ...json }
    : { '@type': typeUrl, value: json };
}

function findType(typeUrl: string, root: protobuf.Root): protobuf.Type | undefined {
  const found = root.lookup(typeUrl.slice(typeUrl.lastIndexOf('/') + 1), [protobuf.Type]);
  return found instanceof protobuf.Type ? found : undefined;
}

/** Types with a JSON form of their own. */
const specialTypes: Readonly<Record<string, WriteJson>> = {
  '.google.protobuf.Any': writeAny,
  '.google.protobuf.Duration': ({ seconds = 0, nanos = 0 }) => `${Number(seconds)}${fraction(Number(nanos))}s`,
  '.google.protobuf.Timestamp': ({ seconds = 0, nanos = 0 }) =>
    `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${fraction(Number(nanos))}Z`,
  '.google.protobuf.Struct': ({ fields = {} }, root) => writeStruct(fields as Record<string, Fields>, root),
  '.google.protobuf.ListValue': ({ values = [] }, root) => (values as Fields[]).map(value => writeValue(value, root)),
  '.google.protobuf.Value': (message, root) => writeValue(message, root),
  ...wrapperTypes(['BoolValue', 'BytesValue', 'DoubleValue', 'FloatValue', 'StringValue']),
  ...wrapperTypes(['Int32Value', 'UInt32Value', 'Int64Value', 'UInt64Value']),
};

/** Wrappers of a single value, which distinguish it from an unset one. */
function wrapperTypes(names: readonly string[]): Record<string, WriteJson> {
  const write =
    (name: string): WriteJson =>
    (message, root) => {
      const field = root.lookupType(`google.protobuf.${name}`).fields.value;
      return field ? valueToJson(field, message.value ?? field.defaultValue, root) : null;
    };
  return Object.fromEntries(names.map(name => [`.google.protobuf.${name}`, write(name)]));
}

const writeStruct = (fields: Readonly<Record<string, Fields>>, root: protobuf.Root): Json =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, writeValue(value, root)]));

function writeValue(message: Fields, root: protobuf.Root): Json {
  const type = root.lookupType('google.protobuf.Value');
  const field = type.fieldsArray.find(each => isSet(each, message));
  return !field || field.name === 'nullValue' ? null : fieldToJson(field, message[field.name], root);
}

/** Empty, or a point and three, six or nine digits. */
function fraction(nanos: number): string {
  if (nanos === 0) return '';
  const digits = String(Math.abs(nanos)).padStart(9, '0');
  return `.${digits.replace(/(?:000){1,2}$/, '')}`;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const fieldsOf = (message: object): Fields => message as Fields;
const isObject = (json: Json): json is { readonly [key: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json);
