import type { StructuralSchema } from '@chandlery/api';

/** How a field takes part in a strategic merge. */
export interface FieldStrategy {
  readonly schema: StructuralSchema | undefined;
  /** Merge into what is there; otherwise the patch's value replaces it. */
  readonly merges: boolean;
  /** The field by which items of a list are matched; undefined for lists of scalars. */
  readonly mergeKey: string | undefined;
}

/** Looks up the strategy of a field. By default maps are merged and lists are replaced. */
export function fieldStrategy(parent: StructuralSchema | undefined, field: string, isList: boolean): FieldStrategy {
  const schema = fieldSchema(parent, field);
  const strategy = declaredStrategy(schema);
  return {
    schema: isList ? schema?.items : schema,
    merges: strategy === undefined ? !isList || isAssociative(schema) : strategy === 'merge',
    mergeKey: schema?.['x-kubernetes-patch-merge-key'] ?? schema?.['x-kubernetes-list-map-keys']?.[0],
  };
}

/** False when the schema lists its fields and this one is not among them. */
export function mayHaveField(schema: StructuralSchema | undefined, field: string): boolean {
  if (schema?.properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  return Object.hasOwn(schema.properties, field) || Boolean(schema.additionalProperties);
}

function fieldSchema(parent: StructuralSchema | undefined, field: string): StructuralSchema | undefined {
  const declared = parent?.properties;
  if (declared !== undefined && Object.hasOwn(declared, field)) return declared[field];
  return typeof parent?.additionalProperties === 'object' ? parent.additionalProperties : undefined;
}

/** `retainKeys` says nothing about merging or replacing: the patch carries its own directive for it. */
function declaredStrategy(schema: StructuralSchema | undefined): string | undefined {
  const strategies = schema?.['x-kubernetes-patch-strategy']?.split(',').map(strategy => strategy.trim());
  return strategies?.find(strategy => strategy !== '' && strategy !== 'retainKeys');
}

const isAssociative = (schema: StructuralSchema | undefined): boolean => {
  const listType = schema?.['x-kubernetes-list-type'];
  return listType === 'map' || listType === 'set';
};
