import type { GroupVersionKind } from '../group-version.ts';
import type { KindDeclaration, KindVersion, ScaleSubresource, Subresources } from '../kind.ts';
import { type Field, message, one } from './message.ts';
import { objectMeta } from './messages/meta.ts';

/** What a built-in kind says about itself; the rest is the same for all of them. */
export interface BuiltIn extends Omit<KindDeclaration, 'versions'>, Omit<KindVersion, 'name' | 'schema' | 'protobuf'> {
  /** Default v1. */
  readonly version?: string;
  readonly description: string;
  /** Beyond metadata, which is field 1 of every kind. */
  readonly fields: Readonly<Record<string, Field>>;
}

/** Declares a kind that Kubernetes itself has. */
export function builtIn(parts: BuiltIn): KindDeclaration {
  const {
    version = 'v1',
    description,
    fields,
    subresources,
    columns,
    selectableFields,
    fieldAliases,
    ...declaration
  } = parts;
  const { schema } = message(description, fields);
  const { protobuf } = message(description, { metadata: one(1, objectMeta, ''), ...fields });
  const optional = {
    ...(subresources === undefined ? {} : { subresources }),
    ...(columns === undefined ? {} : { columns }),
    ...(selectableFields === undefined ? {} : { selectableFields }),
    ...(fieldAliases === undefined ? {} : { fieldAliases }),
  };
  return {
    allowsUnconditionalUpdate: true,
    allowsStrategicMerge: true,
    ...declaration,
    versions: [{ name: version, schema, protobuf, ...optional }],
  };
}

/** Where workloads keep what the scale sub-resource shows. */
export const workloadScale: ScaleSubresource = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** A sub-resource that is neither status nor scale. */
export const subresource = (name: string, responseKind: GroupVersionKind, verbs: readonly string[]) => ({
  name,
  responseKind,
  verbs,
});

/** Just the status sub-resource. */
export const withStatus: Subresources = { status: true };

/** A kind that is asked, not stored: clients create it and read the answer. */
export function review(parts: Omit<BuiltIn, 'verbs'>): KindDeclaration {
  return builtIn({ ...parts, verbs: ['create'] });
}
