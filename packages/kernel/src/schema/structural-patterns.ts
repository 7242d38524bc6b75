import { type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';
import { maxCauses } from './findings.ts';
import { Pattern } from './patterns.ts';

/** Instructions of all different patterns of a schema. Compiling so many takes tens of milliseconds. */
const maxTotalSize = 20_000;

/** Checks all patterns of a schema, also those inside junctors: each must compile, and all together must not be too large. */
export function checkPatterns(schema: StructuralSchema, path: string): ErrorCause[] {
  const causes: ErrorCause[] = [];
  const problems = new Map<string, string | undefined>();
  let size = 0;
  for (const [pattern, at] of patternsOf(schema, path)) {
    if (!problems.has(pattern)) {
      const compiled = tryCompile(pattern);
      problems.set(pattern, typeof compiled === 'string' ? compiled : undefined);
      size += typeof compiled === 'string' ? 0 : compiled.size;
    }
    const problem = problems.get(pattern);
    if (problem !== undefined) {
      const rule = `must be a valid regular expression, but isn't: ${problem}`;
      causes.push(fieldCause.invalid(at, pattern, rule));
    }
    if (size > maxTotalSize) {
      causes.push(
        fieldCause.forbidden(at, `the patterns of a schema must not have more than ${maxTotalSize} instructions`),
      );
    }
    if (size > maxTotalSize || causes.length >= maxCauses) break;
  }
  return causes;
}

function tryCompile(pattern: string): Pattern | string {
  try {
    return new Pattern(pattern);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

type PlacedPattern = readonly [pattern: string, path: string];

function* patternsOf(schema: StructuralSchema, path: string): Generator<PlacedPattern> {
  if (schema.pattern !== undefined) yield [schema.pattern, `${path}.pattern`];
  for (const [child, at] of childrenOf(schema, path)) yield* patternsOf(child, at);
}

function* childrenOf(schema: StructuralSchema, path: string): Generator<readonly [StructuralSchema, string]> {
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    yield [property, `${path}.properties[${name}]`];
  const { additionalProperties, items, not } = schema;
  if (typeof additionalProperties === 'object') yield [additionalProperties, `${path}.additionalProperties`];
  if (items !== undefined) yield [items, `${path}.items`];
  if (not !== undefined) yield [not, `${path}.not`];
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, inner] of (schema[keyword] ?? []).entries()) yield [inner, `${path}.${keyword}[${index}]`];
  }
}
