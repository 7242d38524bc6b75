import { badRequest, isJsonObject } from '@chandlery/api';
import { type FieldPath, parseElement, sortElements } from './field-path.ts';

/**
 * A set of field paths, as a trie that is shaped exactly like FieldsV1: a node without children is in the set, a node
 * with children is in the set when it has the key `.`; the root only holds the tree together, so `{}` is the empty set.
 *
 * Sharing FieldsV1's shape makes decoding free: a write looks only at the branches that it touched. Sets are never
 * changed after they are made and may share branches.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** A set, or branch of one, that is still being built by its only owner. */
export type FieldSetDraft = { [element: string]: FieldSet };

/** The set without paths; as a branch, a path without further ones below it. */
export const emptySet: FieldSet = Object.freeze({});

/** The branch of a path that is in the set and has none below it. */
export const leaf: FieldSet = Object.freeze({});

export function isEmptySet(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** True when the branch's own path is in the set. */
export const isMember = (branch: FieldSet): boolean => branch['.'] !== undefined || isEmptySet(branch);

/** The same branch with its own path in the set. */
export const asMember = (branch: FieldSet): FieldSet => (isMember(branch) ? branch : { '.': leaf, ...branch });

/** A set of the given paths. */
export function fieldSet(...paths: readonly FieldPath[]): FieldSet {
  return paths.reduce((set, path) => unionFields(set, branchAtPath(path)), emptySet);
}

const branchAtPath = (path: FieldPath): FieldSet =>
  path.reduceRight<FieldSet>((below, element) => ({ [element]: below }), leaf);

/**
 * Puts a branch into a set that is being built. Each path may be given once, and none below a branch that was put in
 * earlier: only the nodes that lead to branches belong to the draft.
 */
export function insertBranch(set: FieldSetDraft, path: FieldPath, branch: FieldSet): void {
  let node = set;
  const last = path.length - 1;
  for (let i = 0; i < last; i++) {
    const element = path[i] as string;
    let next = node[element];
    if (next === undefined) {
      next = {};
      node[element] = next;
    }
    node = next;
  }
  node[path[last] as string] = branch;
}

export function hasField(set: FieldSet, path: FieldPath): boolean {
  const branch = branchAt(set, path);
  return branch !== undefined && path.length > 0 && isMember(branch);
}

function branchAt(set: FieldSet, path: FieldPath): FieldSet | undefined {
  let branch: FieldSet | undefined = set;
  for (const element of path) {
    branch = branch[element];
    if (branch === undefined) return undefined;
  }
  return branch;
}

/** Paths in either set. Returns `left` itself when `right` adds nothing. */
export function unionFields(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(right)) return left;
  return isEmptySet(left) ? right : unionBranches(left, right);
}

function unionBranches(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  if (isEmptySet(right)) return asMember(left);
  if (isEmptySet(left)) return asMember(right);
  let result: FieldSetDraft | undefined;
  for (const element in right) {
    const ours = left[element];
    const theirs = right[element] as FieldSet;
    const both = ours === undefined ? theirs : unionBranches(ours, theirs);
    if (both === ours) continue;
    result ??= { ...left };
    result[element] = both;
  }
  return result ?? left;
}

/** Paths in both sets. */
export function intersectFields(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(left) || isEmptySet(right)) return emptySet;
  return intersectBranches(left, right) ?? emptySet;
}

function intersectBranches(left: FieldSet, right: FieldSet): FieldSet | undefined {
  if (left === right) return left;
  const result: FieldSetDraft = {};
  for (const element in left) {
    if (element === '.') continue;
    const theirs = right[element];
    const both = theirs === undefined ? undefined : intersectBranches(left[element] as FieldSet, theirs);
    if (both !== undefined) result[element] = both;
  }
  return finishBranch(result, isMember(left) && isMember(right));
}

/** Paths in `left` that are not in `right`; a path does not stand for those below it. Returns `left` itself if all stay. */
export function subtractFields(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmptySet(left) || isEmptySet(right)) return left;
  return subtractBranches(left, right) ?? emptySet;
}

function subtractBranches(left: FieldSet, right: FieldSet): FieldSet | undefined {
  const wasMember = isMember(left);
  const staysMember = wasMember && !isMember(right);
  let isChanged = wasMember !== staysMember;
  const result: FieldSetDraft = {};
  for (const element in left) {
    if (element === '.') continue;
    const ours = left[element] as FieldSet;
    const theirs = right[element];
    const rest = theirs === undefined ? ours : subtractBranches(ours, theirs);
    if (rest !== ours) isChanged = true;
    if (rest !== undefined) result[element] = rest;
  }
  return isChanged ? finishBranch(result, staysMember) : left;
}

/** Makes a branch of children and its own membership; undefined when neither is there. */
export function finishBranch(children: FieldSetDraft, isInSet: boolean): FieldSet | undefined {
  if (isEmptySet(children)) return isInSet ? leaf : undefined;
  return isInSet ? { '.': leaf, ...children } : children;
}

export function equalFields(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  let size = 0;
  for (const element in left) {
    const theirs = right[element];
    if (theirs === undefined || !equalFields(left[element] as FieldSet, theirs)) return false;
    size++;
  }
  for (const _ in right) size--;
  return size === 0;
}

/** Every path in the set, in canonical order, a path before those below it. */
export function* memberPaths(set: FieldSet, prefix: FieldPath = []): Generator<FieldPath> {
  for (const element of sortedElements(set)) {
    const branch = set[element] as FieldSet;
    const path = [...prefix, element];
    if (isMember(branch)) yield path;
    yield* memberPaths(branch, path);
  }
}

/** The paths in the set that have no others below them, in canonical order. */
export function* leafPaths(set: FieldSet, prefix: FieldPath = []): Generator<FieldPath> {
  for (const element of sortedElements(set)) {
    const branch = set[element] as FieldSet;
    const path = [...prefix, element];
    if (isEmptySet(branch)) yield path;
    else yield* leafPaths(branch, path);
  }
}

const sortedElements = (set: FieldSet): readonly string[] =>
  sortElements(Object.keys(set).filter(element => element !== '.'));

/** The set as it is stored in `fieldsV1`, in canonical order; the set itself when it has this order already. */
export function toFieldsV1(set: FieldSet): FieldSet {
  const given = Object.keys(set);
  const elements = sortElements(given);
  let result: FieldSetDraft | undefined = elements === given ? undefined : {};
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i] as string;
    const child = set[element] as FieldSet;
    const ordered = toFieldsV1(child);
    if (result === undefined && ordered !== child) result = pickBranches(set, elements.slice(0, i));
    if (result !== undefined) result[element] = ordered;
  }
  return result ?? set;
}

function pickBranches(set: FieldSet, elements: readonly string[]): FieldSetDraft {
  const result: FieldSetDraft = {};
  for (const element of elements) result[element] = set[element] as FieldSet;
  return result;
}

/** Reads `fieldsV1` that a client sent. Throws `BadRequest` for what is malformed. */
export function fromFieldsV1(json: unknown): FieldSet {
  const { '.': _, ...paths } = parseBranch(json);
  return paths;
}

function parseBranch(json: unknown): FieldSet {
  if (!isJsonObject(json)) throw badRequest('fieldsV1 must consist of objects');
  const result: FieldSetDraft = {};
  for (const key of Object.keys(json)) {
    const element = key === '.' ? key : parseElement(key);
    if (element === undefined || json[key] === undefined) continue;
    const branch = element === '.' ? leaf : parseBranch(json[key]);
    const twin = result[element];
    result[element] = twin === undefined ? branch : unionBranches(twin, branch);
  }
  return finishBranch(withoutSelf(result), result['.'] !== undefined) ?? leaf;
}

const withoutSelf = ({ '.': _, ...children }: FieldSetDraft): FieldSetDraft => children;
