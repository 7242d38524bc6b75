import type { JsonObject, JsonValue } from '@chandlery/api';
import { fieldElement, type PathElement } from './field-path.ts';
import { emptySet, type FieldSet, type FieldSetDraft, leaf } from './field-set.ts';
import { fieldSchema, isNamedField, itemElements, type MaybeSchema, rejectDuplicate, shapeOf } from './schema-walk.ts';

export interface FieldSetOptions {
  /** Accept associative lists that name an item twice; such an item is owned as a whole. Default false: `BadRequest`. */
  readonly allowDuplicates?: boolean;
}

/**
 * The fields that an applier owns when it applies this object: every leaf, every list item and map key, but not the
 * named fields that only lead to them.
 */
export function fieldSetOf(object: JsonObject, schema: MaybeSchema, options: FieldSetOptions = {}): FieldSet {
  return new Collector(options.allowDuplicates === true, false).map(object, schema, false) ?? emptySet;
}

/** The branch of everything in a value, and of the value itself: what an updater owns that has just added it. */
export function everyFieldOf(value: JsonValue, schema: MaybeSchema): FieldSet {
  return new Collector(true, true).value(value, schema, true) ?? leaf;
}

/** The branch of everything below a value, without the value itself; undefined when nothing is below it. */
export function everyFieldBelow(value: JsonValue, schema: MaybeSchema): FieldSet | undefined {
  return shapeOf(value, schema) === 'leaf' ? undefined : new Collector(true, true).value(value, schema, false);
}

/** Walks a value and builds the branch of its paths from the bottom up. */
class Collector {
  readonly #allowDuplicates: boolean;
  /** Named fields and list fields are part of the set too. */
  readonly #withContainers: boolean;
  readonly #path: PathElement[] = [];

  constructor(allowDuplicates: boolean, withContainers: boolean) {
    this.#allowDuplicates = allowDuplicates;
    this.#withContainers = withContainers;
  }

  /** The branch of a value; `isOwned` states whether a container is in the set itself. */
  value(value: JsonValue, schema: MaybeSchema, isOwned: boolean): FieldSet | undefined {
    const shape = shapeOf(value, schema);
    if (shape === 'map') return this.map(value as JsonObject, schema, isOwned);
    if (shape === 'list') return this.#list(value as JsonValue[], schema, isOwned);
    return leaf;
  }

  map(object: JsonObject, schema: MaybeSchema, isOwned: boolean): FieldSet | undefined {
    let branch: FieldSetDraft | undefined;
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (value === undefined) continue;
      const element = fieldElement(key);
      const isNamed = isNamedField(schema, key);
      this.#path.push(element);
      const below = this.value(
        value,
        fieldSchema(schema, key),
        this.#withContainers || !isNamed || isEmptyContainer(value),
      );
      this.#path.pop();
      if (below === undefined) continue;
      branch ??= isOwned ? { '.': leaf } : {};
      branch[element] = below;
    }
    return branch ?? (isOwned ? leaf : undefined);
  }

  #list(list: readonly JsonValue[], schema: MaybeSchema, isOwned: boolean): FieldSet | undefined {
    if (list.length === 0) return isOwned ? leaf : undefined;
    const branch: FieldSetDraft = isOwned ? { '.': leaf } : {};
    const elements = itemElements(list, schema, this.#path);
    for (let i = 0; i < list.length; i++) {
      const element = elements[i] as PathElement;
      if (branch[element] === undefined) branch[element] = this.#item(element, list[i] as JsonValue, schema);
      else if (this.#allowDuplicates) branch[element] = leaf;
      else throw rejectDuplicate(element, this.#path);
    }
    return branch;
  }

  /** Indistinguishable items are owned as one. */
  #item(element: PathElement, item: JsonValue, schema: MaybeSchema): FieldSet {
    this.#path.push(element);
    const below = this.value(item, schema?.items, true);
    this.#path.pop();
    return below ?? leaf;
  }
}

/**
 * An empty map or list says something by being there: nothing below could say it. Kubernetes forgets empty associative
 * lists here, and so removes and re-adds them by turns when they are applied again and again.
 */
const isEmptyContainer = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
