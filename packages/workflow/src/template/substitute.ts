import { WorkflowError } from '../errors.ts';
import { evaluateTag } from './expression-tag.ts';
import type { Scope } from './scope.ts';
import { isStrict, type Strictness } from './strictness.ts';

/**
 * Replaces the tags in every text of a value. Parts without a tag are shared with the original, which is never changed.
 * What is inserted is not scanned again by the same pass.
 */
export function substitute<T>(value: T, scope: Scope, strictness: Strictness = 'none'): T {
  return substituted(value, scope, strictness) as T;
}

function substituted(value: unknown, scope: Scope, strictness: Strictness): unknown {
  if (typeof value === 'string') return substituteText(value, scope, strictness);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? substituteItems(value, scope, strictness)
    : substituteFields(value as Record<string, unknown>, scope, strictness);
}

function substituteItems(items: readonly unknown[], scope: Scope, strictness: Strictness): readonly unknown[] {
  const replaced = items.map(item => substituted(item, scope, strictness));
  return replaced.some((item, index) => item !== items[index]) ? replaced : items;
}

function substituteFields(fields: Record<string, unknown>, scope: Scope, strictness: Strictness): object {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(fields)) {
    const replaced = substituted(fields[key], scope, strictness);
    if (replaced === fields[key]) continue;
    copy ??= { ...fields };
    copy[key] = replaced;
  }
  return copy ?? fields;
}

/** Replaces the tags of one text. */
export function substituteText(text: string, scope: Scope, strictness: Strictness = 'none'): string {
  let start = text.indexOf('{{');
  if (start < 0) return text;
  let result = '';
  let copied = 0;
  for (; start >= 0; start = text.indexOf('{{', copied)) {
    const end = text.indexOf('}}', start + 2);
    if (end < 0) break;
    result += text.slice(copied, start) + replaceTag(text.slice(start + 2, end), scope, strictness);
    copied = end + 2;
  }
  return result + text.slice(copied);
}

function replaceTag(tag: string, scope: Scope, strictness: Strictness): string {
  if (tag.startsWith('=')) return evaluateTag(tag.slice(1), scope, strictness);
  const value = scope.get(tag.trim());
  // Artifacts are passed on by `from`, not as text.
  if (value === undefined || (typeof value === 'object' && value !== null)) return replaceInner(tag, scope, strictness);
  if (value === null) {
    throw absent(
      `unable to substitute {{${tag}}}: output is an absent optional (skipped/omitted node with no default)`,
    );
  }
  return value;
}

/** A tag within the tag is resolved first; what it makes of the outer one is for the next pass. */
function replaceInner(tag: string, scope: Scope, strictness: Strictness): string {
  const start = tag.lastIndexOf('{{');
  if (start > 0) {
    const inner = scope.get(tag.slice(start + 2));
    if (inner === null) {
      throw absent(`unable to substitute nested tag {{${tag}}}: "${tag.slice(start + 2)}" is an absent optional`);
    }
    if (typeof inner === 'string') return `{{${tag.slice(0, start)}${inner}`;
  }
  const name = tag.trim();
  if (isStrict(name, strictness) && (strictness === 'all' || !name.includes('.outputs.artifacts.'))) {
    throw new WorkflowError('unresolved-tag', `failed to resolve {{${tag}}}`);
  }
  return `{{${tag}}}`;
}

const absent = (message: string): WorkflowError => new WorkflowError('absent-value', message);
