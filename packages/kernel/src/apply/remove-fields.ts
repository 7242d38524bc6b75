import type { JsonObject, JsonValue } from '@chandlery/api';
import { fieldElement } from './field-path.ts';
import { emptySet, type FieldSet, type FieldSetDraft, finishBranch, isEmptySet, isMember } from './field-set.ts';
import { elementSchema, fieldSchema, isNamedElement, itemElements, type MaybeSchema, shapeOf } from './schema-walk.ts';

/** The object without the fields of the set and all that is below them. The argument is not changed. */
export function removeFields(object: JsonObject, set: FieldSet, schema: MaybeSchema): JsonObject {
  return isEmptySet(set) ? object : removeFromMap(object, set, schema);
}

function removeFromMap(object: JsonObject, branch: FieldSet, schema: MaybeSchema): JsonObject {
  const result = { ...object };
  for (const key of Object.keys(object)) {
    const below = branch[fieldElement(key)];
    const value = object[key];
    if (below === undefined || value === undefined) continue;
    if (isMember(below)) delete result[key];
    else result[key] = removeBelow(value, below, fieldSchema(schema, key));
  }
  return result;
}

function removeBelow(value: JsonValue, branch: FieldSet, schema: MaybeSchema): JsonValue {
  const shape = shapeOf(value, schema);
  if (shape === 'map') return removeFromMap(value as JsonObject, branch, schema);
  return shape === 'list' ? removeFromList(value as JsonValue[], branch, schema) : value;
}

function removeFromList(list: readonly JsonValue[], branch: FieldSet, schema: MaybeSchema): JsonValue[] {
  const elements = itemElements(list, schema);
  return list.flatMap((item, i) => {
    const below = branch[elements[i] ?? ''];
    if (below === undefined) return [item];
    return isMember(below) ? [] : [removeBelow(item, below, schema?.items)];
  });
}

/**
 * The fields that an applier gave up: those it owned last and that no manager owns now, the applier included.
 *
 * A named field counts as owned while anything below it is; list items and map keys only when they are owned
 * themselves. So an item that no other manager owns is removed as a whole, while a struct stays as long as one field does.
 */
export function abandonedFields(last: FieldSet, owned: FieldSet, schema: MaybeSchema): FieldSet {
  return abandonedBelow(last, owned, schema) ?? emptySet;
}

function abandonedBelow(last: FieldSet, owned: FieldSet, schema: MaybeSchema): FieldSet | undefined {
  const result: FieldSetDraft = {};
  for (const element in last) {
    if (element === '.') continue;
    const abandoned = abandonedAt(last[element] as FieldSet, owned[element], schema, element);
    if (abandoned !== undefined) result[element] = abandoned;
  }
  return finishBranch(result, false);
}

function abandonedAt(
  last: FieldSet,
  owned: FieldSet | undefined,
  schema: MaybeSchema,
  element: string,
): FieldSet | undefined {
  if (last === owned) return undefined;
  const isNamed = isNamedElement(schema, element);
  const isOwned = owned !== undefined && (isNamed || isMember(owned));
  if (!isOwned && (isNamed || isMember(last))) return emptySet;
  return abandonedBelow(last, owned ?? emptySet, elementSchema(schema, element));
}
