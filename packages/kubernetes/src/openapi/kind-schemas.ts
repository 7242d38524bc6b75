import type { GroupVersionKind, StructuralSchema } from '@chandlery/api';
import type { ServedResource } from '../discovery/served-resource.ts';
import {
  intOrStringName,
  listMetaProperty,
  objectMetaProperty,
  quantityName,
  typeMetaProperties,
} from './meta-schemas.ts';
import { refTo, schemaName } from './schema-name.ts';

/** The published schema of a kind. */
export function kindSchema(resource: ServedResource): object {
  const { declaration, declaredVersion } = resource;
  const own = publish(declaredVersion.schema, declaration.allowsStrategicMerge ?? false);
  return {
    ...own,
    type: 'object',
    properties: { ...typeMetaProperties, ...own.properties, metadata: objectMetaProperty },
    'x-kubernetes-group-version-kind': [gvkOf(resource)],
  };
}

/** The published schema of a kind's list. */
export function listSchema(resource: ServedResource): object {
  return {
    type: 'object',
    description: `A list of ${resource.kind} objects.`,
    required: ['items'],
    properties: {
      ...typeMetaProperties,
      items: { type: 'array', description: 'The objects.', items: refTo(schemaName(resource)) },
      metadata: listMetaProperty,
    },
    'x-kubernetes-group-version-kind': [{ ...gvkOf(resource), kind: resource.listKind }],
  };
}

/** The schema of a kind of which nothing is known here but its name. */
export const unknownKindSchema = (gvk: GroupVersionKind): object => ({
  type: 'object',
  description: `A ${gvk.kind}.`,
  properties: { ...typeMetaProperties, metadata: objectMetaProperty },
  'x-kubernetes-preserve-unknown-fields': true,
  'x-kubernetes-group-version-kind': [gvkOf(gvk)],
});

/** Just the group, version and kind, in the order that documents use. */
export const gvkOf = ({ group, version, kind }: GroupVersionKind): GroupVersionKind => ({ group, version, kind });

const embeddedProperties = { ...typeMetaProperties, metadata: objectMetaProperty };

type PublishedSchema = Record<string, unknown> & { readonly properties?: Record<string, unknown> };

/** Structural schemas are published as they are, except that object metadata becomes a reference. */
function publish(schema: StructuralSchema, isStrategic: boolean): PublishedSchema {
  if (isObjectMeta(schema))
    return { ...objectMetaProperty, ...(schema.description && { description: schema.description }) };
  const named = isStrategic ? namedType(schema) : undefined;
  if (named !== undefined) return named;
  const { properties, items, additionalProperties, ...rest } = schema;
  const embedded = schema['x-kubernetes-embedded-resource'] ? embeddedProperties : undefined;
  return {
    ...rest,
    ...(isStrategic && patchMerge(schema)),
    ...(items && { items: publish(items, isStrategic) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties: publishAdditional(additionalProperties, isStrategic),
        }),
    ...((properties ?? embedded) && { properties: { ...publishAll(properties ?? {}, isStrategic), ...embedded } }),
  };
}

/** Only object metadata has fields of all these names: that of pod templates, for one. */
const isObjectMeta = ({ properties }: StructuralSchema): boolean =>
  properties !== undefined &&
  ['managedFields', 'ownerReferences', 'resourceVersion'].every(name => Object.hasOwn(properties, name));

/** Built-in kinds' quantities and int-or-strings refer to Kubernetes' names for them, which explain shows. */
function namedType(schema: StructuralSchema): PublishedSchema | undefined {
  const { anyOf: _anyOf, ...rest } = schema;
  if (schema.format === 'quantity') return { ...rest, allOf: [refTo(quantityName)] };
  if (schema['x-kubernetes-int-or-string']) return { ...rest, allOf: [refTo(intOrStringName)] };
  return undefined;
}

const publishAll = (properties: Record<string, StructuralSchema>, isStrategic: boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, publish(property, isStrategic)]));

const publishAdditional = (schema: boolean | StructuralSchema, isStrategic: boolean): unknown =>
  typeof schema === 'boolean' ? schema : publish(schema, isStrategic);

/** How clients merge a list when they compute a strategic merge patch: by default as the server does. */
function patchMerge(schema: StructuralSchema): object {
  if (schema['x-kubernetes-patch-strategy'] !== undefined) return {};
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return { 'x-kubernetes-patch-strategy': 'merge' };
  const key = schema['x-kubernetes-patch-merge-key'] ?? schema['x-kubernetes-list-map-keys']?.[0];
  if (listType !== 'map' || key === undefined) return {};
  return { 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': key };
}
