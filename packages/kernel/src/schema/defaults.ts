import { cloneJson, isRecord, type JsonValue, type StructuralSchema } from '@chandlery/api';
import { withImpliedFields } from './implied-fields.ts';
import { hasField, type JsonRecord, mapProperties } from './json.ts';

/**
 * Fills in defaults, from the top down, and drops nulls where the schema allows none: such a null means the default
 * when there is one and absence when there is none. Works in place and returns the object that was given.
 */
export type Defaulter = <T>(object: T) => T;

type Fill = (value: unknown) => void;

/** How to treat one place in an object or list. */
interface Place {
  readonly isNullable: boolean;
  readonly defaultValue: JsonValue | undefined;
  readonly fill: Fill | undefined;
}

/** Compiles the schema of a whole object. */
export const compileDefaulter = (schema: StructuralSchema): Defaulter =>
  toDefaulter(compileFill(withImpliedFields(schema)));

/** Compiles the schema of any value, without implied fields. */
export const compileValueDefaulter = (schema: StructuralSchema): Defaulter => toDefaulter(compileFill(schema));

function toDefaulter(fill: Fill | undefined): Defaulter {
  return object => {
    fill?.(object);
    return object;
  };
}

/** Undefined for scalars and lists of them: nothing to fill below. Objects always may hold nulls to be dropped. */
function compileFill(declared: StructuralSchema): Fill | undefined {
  const schema = declared['x-kubernetes-embedded-resource'] === true ? withImpliedFields(declared) : declared;
  const fillObject = compileObject(schema);
  const fillList = schema.items === undefined ? undefined : compileList(schema.items);
  if (fillObject === undefined && fillList === undefined) return undefined;
  return value => {
    if (Array.isArray(value)) fillList?.(value);
    else if (isRecord(value)) fillObject?.(value);
  };
}

const compilePlace = (schema: StructuralSchema): Place => ({
  isNullable: schema.nullable === true,
  defaultValue: schema.default,
  fill: compileFill(schema),
});

function compileObject(schema: StructuralSchema): ((object: JsonRecord) => void) | undefined {
  const places = mapProperties(schema, compilePlace);
  const additional = schema.additionalProperties;
  const otherPlace = typeof additional === 'object' ? compilePlace(additional) : undefined;
  if (places.size === 0 && otherPlace === undefined) return undefined;
  const withDefault = [...places].filter(([name, place]) => place.defaultValue !== undefined && name !== '__proto__');
  return object => {
    for (const [name, { defaultValue }] of withDefault) {
      if (!hasField(object, name)) object[name] = cloneJson(defaultValue ?? null);
    }
    for (const key of Object.keys(object)) {
      const place = places.get(key) ?? otherPlace;
      if (place !== undefined) fillField(object, key, place);
    }
  };
}

function fillField(object: JsonRecord, key: string, { isNullable, defaultValue, fill }: Place): void {
  if (object[key] === null && !isNullable) {
    if (defaultValue === undefined || key === '__proto__') {
      delete object[key];
      return;
    }
    object[key] = cloneJson(defaultValue);
  }
  fill?.(object[key]);
}

/** A null item without a default stays, for validation to reject: dropping it would move the others. */
function compileList(items: StructuralSchema): ((list: unknown[]) => void) | undefined {
  const { isNullable, defaultValue, fill } = compilePlace(items);
  if (fill === undefined && defaultValue === undefined) return undefined;
  return list => {
    for (let index = 0; index < list.length; index++) {
      if (list[index] === null && !isNullable && defaultValue !== undefined) list[index] = cloneJson(defaultValue);
      fill?.(list[index]);
    }
  };
}
