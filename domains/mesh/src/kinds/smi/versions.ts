import type { Column, CustomKind, KindDeclaration, KindVersion, KubeObject, VersionConversion } from '@chandlery/api';

export const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** An older version of a kind, and how it becomes the newest. */
export interface OlderVersion {
  readonly version: KindVersion;
  readonly conversion: VersionConversion;
}

/** A kind in all its versions: objects are stored in the newest, which is preferred too. */
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
  // Columns read what is shown: those of older shapes show less.
  const isSameShape = (version: KindVersion): boolean => 'spec' in (version.schema.properties ?? {});
  return {
    ...newest.declaration,
    ...rest,
    versions: versions.map(version => ({ ...version, columns: isSameShape(version) ? [...columns, age] : [age] })),
  };
}

/** The only version of a kind that was defined by schemas. */
export function versionOf({ declaration }: CustomKind): KindVersion {
  const [version] = declaration.versions;
  if (version === undefined) throw new TypeError(`${declaration.kind} has no version`);
  return version;
}

/** The same version, but with the fields of its spec at the top of the object. */
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

/** Takes fields of the same shape over as they are. */
export const sameShape: VersionConversion = { fromStorage: object => object, toStorage: object => object };

/** First one conversion, then the other, on the way from the storage. */
export const chained = (first: VersionConversion, second: VersionConversion): VersionConversion => ({
  fromStorage: object => second.fromStorage(first.fromStorage(object)),
  toStorage: object => first.toStorage(second.toStorage(object)),
  loses: object => [...(first.loses?.(object) ?? []), ...(second.loses?.(object) ?? [])],
});

/** The object with an annotation that holds a value; without it for undefined. */
export function withAnnotation<T extends KubeObject>(object: T, name: string, value: unknown): T {
  const { [name]: _, ...others } = object.metadata.annotations ?? {};
  const annotations = value === undefined ? others : { ...others, [name]: JSON.stringify(value) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** What {@link withAnnotation} put there; undefined for nothing and for what is no JSON. */
export function annotationOf({ metadata }: KubeObject, name: string): unknown {
  const text = metadata.annotations?.[name];
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
