import { isJsonObject, type KubeObject } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';
import { withoutBookkeeping } from './ownership.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the sorted paths at which two states of an object differ, without fields that the server maintains. */
export function diffFields(before: KubeObject, after: KubeObject): string[] {
  return [...pathsOf(stated(before), stated(after), '')].sort();
}

/** The part of an object that clients write. */
function stated({ status: _, apiVersion: _version, metadata, ...content }: KubeObject): Fields {
  const { labels = {}, annotations = {}, finalizers, ownerReferences } = metadata;
  return {
    ...content,
    metadata: { labels, annotations: withoutBookkeeping(annotations), finalizers, ownerReferences },
  };
}

function* pathsOf(before: unknown, after: unknown, path: string): Iterable<string> {
  if (isSameJson(before, after)) return;
  if (isJsonObject(before) && isJsonObject(after)) yield* mapPaths(before, after, path);
  else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [index, item] of before.entries()) yield* pathsOf(item, after[index], `${path}[${index}]`);
  } else yield path;
}

function* mapPaths(before: Fields, after: Fields, path: string): Iterable<string> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    yield* pathsOf(before[name], after[name], `${path}${step(name, path)}`);
  }
}

/** Names with dots or slashes, such as those of labels, are put in brackets. */
function step(name: string, path: string): string {
  if (!/^[\w-]+$/.test(name)) return `["${name}"]`;
  return path === '' ? name : `.${name}`;
}
