import { badRequest, type JsonObject, type JsonValue, type ProtobufField, type ProtobufMessage } from '@chandlery/api';
import { maxJsonValues, maxMapKeys, tooManyKeys, tooManyValues } from '@chandlery/kernel';
import { isZero, scalars } from './scalars.ts';
import { WireReader, wireTypes } from './wire-reader.ts';

// Deeper than any real object, and far from the end of the stack.
const MAX_DEPTH = 100;

interface NumberedField {
  readonly name: string;
  readonly field: ProtobufField;
}

const layouts = new WeakMap<ProtobufMessage, ReadonlyMap<number, NumberedField>>();

/** The fields by number; declarations never change, so a layout lives as long as its message does. */
function layoutOf(message: ProtobufMessage): ReadonlyMap<number, NumberedField> {
  const known = layouts.get(message);
  if (known !== undefined) return known;
  const layout = new Map(Object.entries(message).map(([name, field]) => [field.number, { name, field }]));
  layouts.set(message, layout);
  return layout;
}

/** Sets a key that the client chose, even when it is `__proto__`, which a plain assignment would not. */
function put(target: JsonObject, key: string, value: JsonValue): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Decodes one message into JSON. Fields that the layout does not know are left out. */
export function decodeMessage(
  bytes: Uint8Array,
  message: ProtobufMessage,
  depth = 0,
  budget: Budget = { valuesLeft: maxJsonValues },
): JsonObject {
  if (depth > MAX_DEPTH) throw badRequest('the protobuf body is nested too deeply');
  const result: JsonObject = {};
  const layout = layoutOf(message);
  const reader = new WireReader(bytes);
  const entries = { count: 0 };
  while (!reader.isAtEnd) {
    const { number, wireType } = reader.readTag();
    const known = layout.get(number);
    if (known === undefined) reader.skip(wireType);
    else decodeField(reader, { ...known, wireType, depth, result, budget, entries });
    if (--budget.valuesLeft < 0) throw tooManyValues();
  }
  return result;
}

/** How many more values a body may have. */
interface Budget {
  valuesLeft: number;
}

interface FieldContext extends NumberedField {
  readonly wireType: number;
  readonly depth: number;
  readonly result: JsonObject;
  readonly budget: Budget;
  /** Of all maps of the message. */
  readonly entries: { count: number };
}

function decodeField(reader: WireReader, context: FieldContext): void {
  const { field, name, result } = context;
  if (field.map === true) decodeEntry(reader, context);
  else if (field.repeated === true) decodeItems(reader, context);
  else if (field.inline === true) Object.assign(result, decodeNested(reader, context));
  else {
    const value = decodeValue(reader, context);
    if (value !== undefined && (field.keepsZero === true || !isZero(value))) result[name] = value;
    // As everywhere in protobuf, the last value wins; so does a last one that says nothing.
    else if (result[name] !== undefined) delete result[name];
  }
}

function expectBytes({ name, wireType }: FieldContext): void {
  if (wireType !== wireTypes.bytes)
    throw badRequest(`the protobuf body is malformed: ${name} has wire type ${wireType}`);
}

function decodeNested(reader: WireReader, context: FieldContext): JsonObject {
  const { type } = context.field;
  expectBytes(context);
  if (typeof type === 'string') throw badRequest('the protobuf body is malformed: a message was expected');
  return decodeMessage(
    reader.readBytes(),
    typeof type === 'function' ? type() : type,
    context.depth + 1,
    context.budget,
  );
}

/** The value of a union: that of the last declared field that is present. */
function unwrap(value: JsonObject, { type }: ProtobufField): JsonValue | undefined {
  const message = typeof type === 'function' ? type() : type;
  const name = typeof message === 'string' ? undefined : Object.keys(message).findLast(key => value[key] !== undefined);
  return name === undefined ? undefined : value[name];
}

function decodeValue(reader: WireReader, context: FieldContext): JsonValue | undefined {
  const { field, name, wireType } = context;
  if (typeof field.type === 'string') {
    const scalar = scalars[field.type];
    if (wireType === scalar.wireType) return scalar.read(reader);
    throw badRequest(`the protobuf body is malformed: ${name} has wire type ${wireType}`);
  }
  const value = decodeNested(reader, context);
  return field.unwraps === true ? unwrap(value, field) : value;
}

function listOf({ result, name }: FieldContext): JsonValue[] {
  const known = result[name];
  if (Array.isArray(known)) return known;
  const created: JsonValue[] = [];
  result[name] = created;
  return created;
}

/** One item, or, for numbers, many of them packed into one value. */
function decodeItems(reader: WireReader, context: FieldContext): void {
  const { field, wireType } = context;
  const items = listOf(context);
  const scalar = typeof field.type === 'string' ? scalars[field.type] : undefined;
  const isPacked = scalar !== undefined && scalar.wireType !== wireTypes.bytes && wireType === wireTypes.bytes;
  if (!isPacked) {
    items.push(decodeValue(reader, context) ?? null);
    return;
  }
  const packed = new WireReader(reader.readBytes());
  while (!packed.isAtEnd) {
    items.push(scalar.read(packed) ?? null);
    if (--context.budget.valuesLeft < 0) throw tooManyValues();
  }
}

function mapOf({ result, name }: FieldContext): JsonObject {
  const known = result[name];
  if (typeof known === 'object' && known !== null && !Array.isArray(known)) return known;
  const created: JsonObject = {};
  result[name] = created;
  return created;
}

/** One entry of a map: a message with the key in field 1 and the value in field 2, both of which may be left out. */
function decodeEntry(reader: WireReader, context: FieldContext): void {
  expectBytes(context);
  if (++context.entries.count > maxMapKeys) throw tooManyKeys();
  const entry = new WireReader(reader.readBytes());
  let key = '';
  let value: JsonValue | undefined;
  while (!entry.isAtEnd) {
    const { number, wireType } = entry.readTag();
    if (number === 1 && wireType === wireTypes.bytes) key = entry.readText();
    else if (number === 2) value = decodeValue(entry, { ...context, wireType });
    else entry.skip(wireType);
  }
  put(mapOf(context), key, value ?? zeroOf(context.field));
}

/** What a map's value is when the entry leaves it out. */
function zeroOf({ type }: ProtobufField): JsonValue {
  switch (type) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'int':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    case 'stringList':
      return [];
    case 'time':
    case 'microTime':
    case 'json':
      return null;
    default:
      return {};
  }
}
