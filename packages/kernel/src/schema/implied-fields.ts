import { objectMetaSchema, type StructuralSchema } from '@chandlery/api';

const text: StructuralSchema = { type: 'string' };

/**
 * The schema of a whole object (a root or an embedded resource) with the fields that need no declaration.
 * What the kind says about metadata, name patterns for one, is checked on top of the general schema.
 */
export function withImpliedFields(schema: StructuralSchema): StructuralSchema {
  const declared = schema.properties ?? {};
  const isGeneral = declared.metadata === undefined || declared.metadata === objectMetaSchema;
  const metadata = isGeneral ? objectMetaSchema : { ...objectMetaSchema, allOf: [declared.metadata ?? {}] };
  return { ...schema, properties: { apiVersion: text, kind: text, ...declared, metadata } };
}

/** Embedded resources are whole objects with a kind of their own, which must be said. */
export function withEmbeddedFields(schema: StructuralSchema): StructuralSchema {
  const implied = withImpliedFields(schema);
  return { ...implied, required: [...new Set([...(schema.required ?? []), 'apiVersion', 'kind'])] };
}
