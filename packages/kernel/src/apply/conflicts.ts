import { apiError, type ChandleryError, type ErrorCause, type ManagedFieldsEntry } from '@chandlery/api';
import { printPath } from './field-path.ts';
import { type FieldSet, intersectFields, isEmptySet, memberPaths, subtractFields } from './field-set.ts';
import type { Manager } from './managed-fields.ts';

/** Fields of another manager that an apply would change. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** Who of the managers owns something of what changes. */
export function findConflicts(others: readonly Manager[], changed: FieldSet): readonly Conflict[] {
  if (isEmptySet(changed)) return [];
  return others
    .map(manager => ({ manager, fields: intersectFields(manager.fields, changed) }))
    .filter(({ fields }) => !isEmptySet(fields));
}

/** The conflicts that are left when some fields may be taken over. */
export function withoutFields(conflicts: readonly Conflict[], allowed: FieldSet): readonly Conflict[] {
  return conflicts
    .map(({ manager, fields }) => ({ manager, fields: subtractFields(fields, allowed) }))
    .filter(({ fields }) => !isEmptySet(fields));
}

/** The 409 that kubectl and controllers know how to show: one cause per field, the message grouped by manager. */
export function conflictError(conflicts: readonly Conflict[]): ChandleryError {
  const groups = conflicts
    .map(({ manager, fields }) => ({
      who: describeManager(manager.entry),
      paths: [...memberPaths(fields)].map(printPath),
    }))
    .sort((a, b) => (a.who < b.who ? -1 : 1));
  const causes = groups.flatMap(({ who, paths }) => paths.map(path => causeOf(who, path)));
  return apiError('Conflict', messageOf(groups, causes.length), { causes });
}

const causeOf = (who: string, field: string): ErrorCause => ({
  reason: 'FieldManagerConflict',
  message: `conflict with ${who}`,
  field,
});

function messageOf(groups: readonly { who: string; paths: readonly string[] }[], count: number): string {
  const [first] = groups;
  if (count === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${first.who}: ${first.paths[0]}`;
  }
  const lines = groups.flatMap(({ who, paths }) => [`conflicts with ${who}:`, ...paths.map(path => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

/** `"name" with subresource "status" using v1`; appliers are the same whatever version they use. */
function describeManager({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const name = JSON.stringify(manager ?? '');
  const where = subresource ? ` with subresource ${JSON.stringify(subresource)}` : '';
  return operation === 'Update' ? `${name}${where} using ${apiVersion}` : `${name}${where}`;
}
