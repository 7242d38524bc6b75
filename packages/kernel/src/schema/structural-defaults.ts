import { cloneJson, type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';
import { compileValueDefaulter } from './defaults.ts';
import { compileValuePruner } from './prune.ts';
import { compileValueValidator } from './validate.ts';

/** Defaults on every level of a deep schema each cost their subtree again: so much is looked at, and no more. */
const maxWork = 500_000;

interface Work {
  left: number;
}

/** Defaults must be what the schema would store: known fields only, and valid once their own defaults are filled in. */
export function checkDefaults(schema: StructuralSchema, path: string): ErrorCause[] {
  const causes: ErrorCause[] = [];
  visit(schema, path, { left: maxWork }, causes);
  return causes;
}

/** Returns how many schemas there are from here on. */
function visit(schema: StructuralSchema, path: string, work: Work, causes: ErrorCause[]): number {
  const size = 1 + childrenOf(schema, path).reduce((sum, [child, at]) => sum + visit(child, at, work, causes), 0);
  if (schema.default === undefined) return size;
  work.left -= size;
  if (work.left < 0) causes.push(fieldCause.forbidden(`${path}.default`, 'too many defaults within each other'));
  else causes.push(...checkDefault(schema, `${path}.default`));
  return size;
}

function childrenOf(schema: StructuralSchema, path: string): (readonly [StructuralSchema, string])[] {
  const { additionalProperties, items } = schema;
  return [
    ...Object.entries(schema.properties ?? {}).map(([name, child]) => [child, `${path}.properties[${name}]`] as const),
    ...(typeof additionalProperties === 'object'
      ? [[additionalProperties, `${path}.additionalProperties`] as const]
      : []),
    ...(items === undefined ? [] : [[items, `${path}.items`] as const]),
  ];
}

function checkDefault(schema: StructuralSchema, path: string): ErrorCause[] {
  const original = schema.default ?? null;
  if (original === null) {
    return schema.nullable === true ? [] : [fieldCause.invalid(path, null, 'must not be null unless nullable is true')];
  }
  const { object, pruned } = compileValuePruner(schema)(cloneJson(original));
  if (pruned.length > 0) return pruned.map(field => fieldCause.invalid(`${path}.${field}`, '', 'must be pruned'));
  const causes = compileValueValidator(schema)(compileValueDefaulter(schema)(object));
  return causes.map(cause => ({ ...cause, field: joinPath(path, cause.field ?? '') }));
}

function joinPath(path: string, field: string): string {
  if (field === '') return path;
  return field.startsWith('[') ? `${path}${field}` : `${path}.${field}`;
}
