import { type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';

/** apiVersion, kind and metadata have their meaning already; only names may be restricted further. */
export function checkImpliedFields(schema: StructuralSchema, path: string): ErrorCause[] {
  const { apiVersion, kind, metadata } = schema.properties ?? {};
  const at = (name: string): string => `${path}.properties[${name}]`;
  const expect = (name: string, declared: StructuralSchema | undefined, type: string): ErrorCause[] =>
    declared === undefined || declared.type === type
      ? []
      : [fieldCause.invalid(`${at(name)}.type`, declared.type ?? '', `must be ${type}`)];
  return [
    ...expect('apiVersion', apiVersion, 'string'),
    ...expect('kind', kind, 'string'),
    ...expect('metadata', metadata, 'object'),
    ...(metadata === undefined ? [] : checkMetadata(metadata, at('metadata'))),
  ];
}

/** Values may be restricted; how metadata is read and merged may not. */
const metadataKeywords = [
  'additionalProperties',
  'default',
  'items',
  'nullable',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
] as const satisfies readonly (keyof StructuralSchema)[];
const metadataProperties: ReadonlySet<string> = new Set(['name', 'generateName']);

function checkMetadata(metadata: StructuralSchema, path: string): ErrorCause[] {
  const properties = Object.entries(metadata.properties ?? {});
  const isPlain = metadataKeywords.every(keyword => metadata[keyword] === undefined);
  if (
    isPlain &&
    properties.every(([name, { default: value }]) => metadataProperties.has(name) && value === undefined)
  ) {
    return [];
  }
  const rule = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [fieldCause.forbidden(path, rule)];
}
