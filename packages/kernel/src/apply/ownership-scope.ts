import { type JsonObject, type KubeObject, setOwn } from '@chandlery/api';
import { fieldElement } from './field-path.ts';
import { type FieldSet, type FieldSetDraft, fieldSet, subtractFields } from './field-set.ts';

/**
 * The top-level fields that an endpoint writes, and so may own. The main endpoint of a kind with a status sub-resource
 * has `{ except: ['status'] }`, the sub-resource `{ only: ['status'] }`.
 */
export type OwnershipScope = { readonly except: readonly string[] } | { readonly only: readonly string[] };

/** Metadata that the server sets; it has no owner, and applying cannot change it. */
const serverMetadata = [
  'uid',
  'selfLink',
  'creationTimestamp',
  'generation',
  'resourceVersion',
  'clusterName',
  'managedFields',
] as const;

const metadataPath = (field: string): readonly string[] => ['f:metadata', fieldElement(field)];

/** Fields without an owner: who an object is, and what the server notes about it. */
export const neverOwned: FieldSet = fieldSet(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', ...serverMetadata].map(metadataPath),
);

const isInScope = (field: string, scope: OwnershipScope): boolean =>
  'only' in scope ? scope.only.includes(field) : !scope.except.includes(field);

/** The part of a set that can be owned through an endpoint. */
export function ownableFields(set: FieldSet, scope: OwnershipScope | undefined): FieldSet {
  const ownable = subtractFields(set, neverOwned);
  if (scope === undefined) return ownable;
  const result: FieldSetDraft = {};
  for (const element in ownable) {
    if (isInScope(element.slice(2), scope)) result[element] = ownable[element] as FieldSet;
  }
  return result;
}

/** Identity and metadata that a body must keep even where the endpoint does not write them. */
const identityFields: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** What of an applied body takes part in the merge: without what the server sets and what the endpoint ignores. */
export function applicableBody(applied: KubeObject, scope: OwnershipScope | undefined): JsonObject {
  const body: JsonObject = {};
  for (const [field, value] of Object.entries(applied as unknown as JsonObject)) {
    const isKept = scope === undefined || isInScope(field, scope) || identityFields.includes(field);
    if (isKept && value !== undefined) setOwn(body, field, value);
  }
  body.metadata = applicableMetadata(applied, scope);
  return body;
}

function applicableMetadata(applied: KubeObject, scope: OwnershipScope | undefined): JsonObject {
  const metadata = { ...applied.metadata } as unknown as JsonObject;
  for (const field of [...serverMetadata, 'deletionTimestamp', 'deletionGracePeriodSeconds']) delete metadata[field];
  if (scope === undefined || isInScope('metadata', scope)) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => field === 'name' || field === 'namespace'));
}
