import { getOwn, isSameJson, type JsonObject, type JsonValue } from '@chandlery/api';
import { fieldElement, type PathElement } from './field-path.ts';
import { type FieldSet, type FieldSetDraft, insertBranch, isEmptySet, leaf } from './field-set.ts';
import { everyFieldBelow, everyFieldOf } from './field-set-of.ts';
import { fieldSchema, groupItems, type MaybeSchema, shapeOf } from './schema-walk.ts';

/** What happened between two states of an object. Maps and lists that appear or vanish count like their contents. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** Compares two states of an object by the schema. Duplicates in associative lists are tolerated. */
export function compareObjects(before: JsonObject, after: JsonObject, schema: MaybeSchema): Comparison {
  const comparer = new Comparer();
  comparer.maps(before, after, schema);
  return comparer;
}

/** True when the two states were the same. */
export const isSame = ({ added, removed, modified }: Comparison): boolean =>
  isEmptySet(added) && isEmptySet(removed) && isEmptySet(modified);

/** Walks both states at once; equal parts cost a look and no memory. */
class Comparer implements Comparison {
  readonly added: FieldSetDraft = {};
  readonly removed: FieldSetDraft = {};
  readonly modified: FieldSetDraft = {};
  readonly #path: PathElement[] = [];

  maps(before: JsonObject, after: JsonObject, schema: MaybeSchema): void {
    for (const key of Object.keys(before)) {
      const left = before[key];
      const right = getOwn(after, key);
      if (left !== right) this.#at(fieldElement(key), left, right, fieldSchema(schema, key));
    }
    for (const key of Object.keys(after)) {
      if (!Object.hasOwn(before, key)) this.#at(fieldElement(key), undefined, after[key], fieldSchema(schema, key));
    }
  }

  #at(element: PathElement, before: JsonValue | undefined, after: JsonValue | undefined, schema: MaybeSchema): void {
    this.#path.push(element);
    this.#values(before, after, schema);
    this.#path.pop();
  }

  #values(before: JsonValue | undefined, after: JsonValue | undefined, schema: MaybeSchema): void {
    if (before === after) return;
    if (before === undefined) return this.#add(everyFieldOf(after as JsonValue, schema));
    if (after === undefined) return this.#remove(everyFieldOf(before, schema));
    const shape = shapeOf(before, schema);
    if (shape !== shapeOf(after, schema)) return this.#transform(before, after, schema);
    if (shape === 'map') return this.maps(before as JsonObject, after as JsonObject, schema);
    if (shape === 'list') return this.#lists(before as JsonValue[], after as JsonValue[], schema);
    if (!isSameJson(before, after)) this.#modify();
  }

  /** A value that changed its type: the fields below it before were removed, those below it now are added. */
  #transform(before: JsonValue, after: JsonValue, schema: MaybeSchema): void {
    const lost = everyFieldBelow(before, schema);
    const won = everyFieldBelow(after, schema);
    this.#remove(lost);
    this.#add(won);
    // null is a container without contents: filling it changes the contents only.
    const isFilled = (before === null && won !== undefined) || (after === null && lost !== undefined);
    if (!isFilled) this.#modify();
  }

  #lists(before: readonly JsonValue[], after: readonly JsonValue[], schema: MaybeSchema): void {
    if (isSameJson(before, after)) return;
    const left = groupItems(before, schema, this.#path);
    const right = groupItems(after, schema, this.#path);
    for (const [element, items] of left) this.#items(element, items, right.get(element) ?? [], schema);
    for (const [element, items] of right) if (!left.has(element)) this.#items(element, [], items, schema);
  }

  /** Compares the items under one element. Duplicates are indistinguishable, so they count as one leaf. */
  #items(element: PathElement, before: readonly JsonValue[], after: readonly JsonValue[], schema: MaybeSchema): void {
    if (before.length <= 1 && after.length <= 1) return this.#at(element, before[0], after[0], schema?.items);
    this.#path.push(element);
    if (before.length === 0) this.#add(leaf);
    else if (after.length === 0) this.#remove(leaf);
    else if (!isSameJson(before, after)) {
      if (before.length === 1) this.#remove(everyFieldBelow(before[0] as JsonValue, schema?.items));
      if (after.length === 1) this.#add(everyFieldBelow(after[0] as JsonValue, schema?.items));
      this.#modify();
    }
    this.#path.pop();
  }

  #add(branch: FieldSet | undefined): void {
    if (branch !== undefined) insertBranch(this.added, this.#path, branch);
  }

  #remove(branch: FieldSet | undefined): void {
    if (branch !== undefined) insertBranch(this.removed, this.#path, branch);
  }

  #modify(): void {
    insertBranch(this.modified, this.#path, leaf);
  }
}
