import { ChandleryError, type JsonObject, type JsonValue } from '@chandlery/api';
import type { WireReader } from './wire-reader.ts';

/** Far above what metadata needs: larger values are an error or an attack. */
const maxDepth = 8;
const maxValues = 2_000;

/** Remaining number of values. */
interface Budget {
  values: number;
}

/** Decodes a `google.protobuf.Value` as JSON. Throws `InvalidMessage` for one that is too deep or too large. */
export const decodeValue = (reader: WireReader): JsonValue => valueOf(reader, maxDepth, { values: maxValues });

function valueOf(reader: WireReader, depth: number, budget: Budget): JsonValue {
  if (depth === 0 || --budget.values < 0) throw tooMuch();
  let value: JsonValue = null;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 2) value = reader.double();
    else if (field === 3) value = reader.string();
    else if (field === 4) value = reader.bool();
    else if (field === 5) value = structOf(reader.message(), depth - 1, budget);
    else if (field === 6) value = listOf(reader.message(), depth - 1, budget);
    else reader.skip();
  }
  return value;
}

function structOf(reader: WireReader, depth: number, budget: Budget): JsonObject {
  const entries: [string, JsonValue][] = [];
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) entries.push(entryOf(reader.message(), depth, budget));
    else reader.skip();
  }
  return Object.fromEntries(entries);
}

function entryOf(reader: WireReader, depth: number, budget: Budget): [string, JsonValue] {
  let key = '';
  let value: JsonValue = null;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) key = reader.string();
    else if (field === 2) value = valueOf(reader.message(), depth, budget);
    else reader.skip();
  }
  return [key, value];
}

function listOf(reader: WireReader, depth: number, budget: Budget): JsonValue[] {
  const values: JsonValue[] = [];
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) values.push(valueOf(reader.message(), depth, budget));
    else reader.skip();
  }
  return values;
}

const tooMuch = (): ChandleryError =>
  new ChandleryError('InvalidMessage', 'cannot read the message: its metadata is too deep or too large');
