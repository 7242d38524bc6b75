import type { Column, CustomKind, KindDeclaration, KindVersion, KubeObject, VersionConversion } from '@chandlery/api';

export const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** An older version of a kind, and its conversion to the newest. */
export interface OlderVersion {
  readonly version: KindVersion;
  readonly conversion: VersionConversion;
}

/** Declares a kind in all its versions. The newest is the storage version and preferred. */
export function declareVersions(
  newest: CustomKind,
  older: readonly OlderVersion[],
  more: Pick<KindDeclaration, 'uniqueKeys'> & { readonly columns: readonly Column[] },
): KindDeclaration {
  const { columns, ...rest } = more;
  const versions = [
    { ...versionOf(newest), storage: true },
    ...older.map(({ version, conversion }) => ({ ...version, conversion, storage: false })),
  ];
  // Columns of older shapes show less.
  const isSameShape = (version: KindVersion): boolean => 'spec' in (version.schema.properties ?? {});
  return {
    ...newest.declaration,
    ...rest,
    versions: versions.map(version => ({ ...version, columns: isSameShape(version) ? [...columns, age] : [age] })),
  };
}

/** The only version of a kind that was declared by schemas. */
export function versionOf({ declaration }: CustomKind): KindVersion {
  const [version] = declaration.versions;
  if (version === undefined) throw new TypeError(`${declaration.kind} has no version`);
  return version;
}

/** The same version with the fields of its spec at the top level of the object. */
export function withoutSpec(version: KindVersion): KindVersion {
  const { required: _, properties, ...schema } = version.schema;
  const { spec } = properties ?? {};
  return {
    ...version,
    schema: {
      ...schema,
      ...(spec?.required === undefined ? {} : { required: spec.required }),
      properties: { ...spec?.properties },
    },
  };
}

/** Conversion between versions of the same shape. */
export const sameShape: VersionConversion = { fromStorage: object => object, toStorage: object => object };

/** Applies one conversion, then the other, on the way from the storage version. */
export const chained = (first: VersionConversion, second: VersionConversion): VersionConversion => ({
  fromStorage: object => second.fromStorage(first.fromStorage(object)),
  toStorage: object => first.toStorage(second.toStorage(object)),
  loses: object => [...(first.loses?.(object) ?? []), ...(second.loses?.(object) ?? [])],
});

/** Sets an annotation to a JSON value; undefined removes it. */
export function withAnnotation<T extends KubeObject>(object: T, name: string, value: unknown): T {
  const { [name]: _, ...others } = object.metadata.annotations ?? {};
  const annotations = value === undefined ? others : { ...others, [name]: JSON.stringify(value) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Reads an annotation that {@link withAnnotation} wrote; undefined for a missing or invalid one. */
export function annotationOf({ metadata }: KubeObject, name: string): unknown {
  const text = metadata.annotations?.[name];
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
