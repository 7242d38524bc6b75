import { isRecord, type StructuralSchema } from '@chandlery/api';
import type { Environment } from '@marcbachmann/cel-js';
import type { JsonRecord } from '../json.ts';
import { Untyped } from './equality.ts';
import { escapeName } from './names.ts';
import { scalarTypeOf } from './scalars.ts';
import { listName, mapName } from './type-names.ts';
import { identityOf, type UnorderedList, unorderedBy } from './unordered-list.ts';

/** Values that have been converted already, by what they were made of; one per run, so that each is made once. */
export type Converted = WeakMap<object, unknown>;

/** How values of a schema appear in rules. */
export interface DeclaredType {
  readonly name: string;
  readonly convert: (value: unknown, converted: Converted) => unknown;
}

/** Objects beyond so many are not checked by type; the library's cost grows with their square. */
const maxObjectTypes = 1000;

const plainText: StructuralSchema = { type: 'string' };

/** Of metadata, rules see the name only. */
const wholeObjectFields: Record<string, StructuralSchema> = {
  apiVersion: plainText,
  kind: plainText,
  metadata: { type: 'object', properties: { name: plainText, generateName: plainText } },
};

/** Declares the types of a schema in an environment, as far as rules need them. */
export class TypeDeclarations {
  readonly #environment: Environment;
  readonly #bySchema = new Map<StructuralSchema, DeclaredType | undefined>();
  #objectCount = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Undefined for values that rules cannot reach: those of no declared type. */
  declare(schema: StructuralSchema, isRoot = false): DeclaredType | undefined {
    if (this.#bySchema.has(schema)) return this.#bySchema.get(schema);
    const type = this.#declareNew(schema, isRoot);
    this.#bySchema.set(schema, type);
    return type;
  }

  #declareNew(schema: StructuralSchema, isRoot: boolean): DeclaredType | undefined {
    if (schema.type === 'array') return this.#declareList(schema);
    if (schema.type !== 'object') return scalarTypeOf(schema);
    const { additionalProperties } = schema;
    if (typeof additionalProperties === 'object') return this.#declareMap(additionalProperties);
    const isWhole = isRoot || schema['x-kubernetes-embedded-resource'] === true;
    return this.#declareObject({ ...schema.properties, ...(isWhole ? wholeObjectFields : {}) });
  }

  /** Items may be null where the schema says so; fields that are null count as absent. */
  #declareItem(schema: StructuralSchema): DeclaredType | undefined {
    const type = this.declare(schema);
    return schema.nullable === true && type !== undefined ? nullable(type) : type;
  }

  #declareList(schema: StructuralSchema): DeclaredType | undefined {
    const item = schema.items && this.#declareItem(schema.items);
    if (item === undefined) return undefined;
    const identify = identityOf(schema);
    const toList = (value: readonly unknown[], converted: Converted): UnorderedList => {
      const list: UnorderedList = value.map(each => item.convert(each, converted));
      if (identify !== undefined) list[unorderedBy] = identify;
      return list;
    };
    return { name: listName(item.name), convert: remembering(isList, toList) };
  }

  #declareMap(additional: StructuralSchema): DeclaredType | undefined {
    const item = this.#declareItem(additional);
    if (item === undefined) return undefined;
    const toMap = (value: JsonRecord, converted: Converted): Map<string, unknown> =>
      new Map(Object.keys(value).map(key => [key, item.convert(value[key], converted)]));
    return { name: mapName('string', item.name), convert: remembering(isRecord, toMap) };
  }

  #declareObject(properties: Readonly<Record<string, StructuralSchema>>): DeclaredType {
    const types = new Map(Object.entries(properties).map(([name, schema]) => [name, this.declare(schema)] as const));
    const isTyped = ++this.#objectCount <= maxObjectTypes;
    const name = isTyped ? `object${this.#objectCount}` : 'dyn';
    const ObjectValue = isTyped ? class extends Map<string, unknown> {} : Map<string, unknown>;
    if (isTyped) this.#environment.registerType(name, { ctor: ObjectValue, fields: fieldTypes(types) });
    const toObject = (value: JsonRecord, converted: Converted): Map<string, unknown> =>
      new ObjectValue(fieldEntries(value, types, converted));
    return { name, convert: remembering(isRecord, toObject) };
  }
}

type FieldTypes = ReadonlyMap<string, DeclaredType | undefined>;

function fieldTypes(types: FieldTypes): Record<string, string> {
  const fields = [...types].flatMap(([field, type]) => {
    const name = escapeName(field);
    return type === undefined || name === undefined ? [] : [[name, type.name] as const];
  });
  return Object.fromEntries(fields);
}

const nullable = ({ convert }: DeclaredType): DeclaredType => ({
  name: 'dyn',
  convert: (value, converted) => (value === null ? null : convert(value, converted)),
});

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Converts each value once. Values of another form have no business here and are left as they are. */
const remembering =
  <T extends object>(hasForm: (value: unknown) => value is T, make: (value: T, converted: Converted) => object) =>
  (value: unknown, converted: Converted): unknown => {
    if (!hasForm(value)) return value;
    const made = converted.get(value) ?? make(value, converted);
    converted.set(value, made);
    return made;
  };

function* fieldEntries(value: JsonRecord, types: FieldTypes, converted: Converted): Generator<[string, unknown]> {
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field === undefined || field === null) continue;
    const type = types.get(key);
    const name = escapeName(key);
    // No name of a field has a space in it.
    if (type === undefined || name === undefined) yield [` ${key}`, new Untyped(field)];
    else yield [name, type.convert(field, converted)];
  }
}
