import type { Static, TSchema } from 'typebox';
import type { Column, KindDeclaration, KindVersion, UniqueKey } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import type { StructuralSchema } from '../schema.ts';
import { toStructural } from './to-structural.ts';

/** What a kind of one's own is, said once: types, validation, tables and documentation follow from it. */
export interface KindDefinition<Spec extends TSchema, Status extends TSchema> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Default: the kind in lower case, with an s. */
  readonly plural?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** What `kubectl explain` says first. */
  readonly description: string;
  readonly spec: Spec;
  /** Whether an object may lack its spec. Default false. */
  readonly isSpecOptional?: boolean;
  /** With it the kind has the sub-resource `status`. */
  readonly status?: Status;
  /** Beyond Name. Default: Age. */
  readonly columns?: readonly Pick<Column, 'name' | 'type' | 'jsonPath' | 'description' | 'priority'>[];
  readonly selectableFields?: readonly string[];
  /** CEL rules of the whole object. Default none. */
  readonly rules?: readonly Rule[];
  /** Of the CustomResourceDefinition. Default none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Users who may not list all objects get those that they may list. Default false: they are denied. */
  readonly hasPartialLists?: boolean;
  /** Values that no two objects may share. Only for declared kinds. Default none. */
  readonly uniqueKeys?: readonly UniqueKeyOf<CustomObject<Static<Spec>, Static<Status>>>[];
  /** What names look like. Another than the default is only for declared kinds. Default `dns-subdomain`. */
  readonly nameRule?: NonNullable<KindDeclaration['nameRule']>;
  /** Objects disappear so many seconds after their last write. Only for declared kinds. Default: never. */
  readonly ttlSeconds?: number;
  /** Objects are stored encrypted. Only for declared kinds. Default false. */
  readonly isSecret?: boolean;
  /** Logical clusters that serve the kind. Only for declared kinds. Default: all. */
  readonly servedIn?: readonly string[];
}

/** A {@link UniqueKey} that knows the type of its objects. */
interface UniqueKeyOf<T extends KubeObject> extends Omit<UniqueKey, 'values'> {
  // A method: a definition may then be taken for one of a kind with any schemas.
  values(object: T): readonly string[];
}

/** A CEL rule, as in `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** An object of a kind that was defined by schemas. */
export interface CustomObject<Spec, Status> extends KubeObject {
  spec: Spec;
  status?: Status;
}

/** A kind to install (`crd`) or to declare (`declaration`), and to use (`ref`, `object`). */
export interface CustomKind<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly apiVersion: string;
  readonly isNamespaced: boolean;
  /** Where the collection is. */
  readonly ref: { readonly group: string; readonly version: string; readonly plural: string };
  /**
   * The CustomResourceDefinition, to be applied. It cannot say what only declared kinds have (unique keys, a name rule,
   * a life time, secrecy, where it is served): a kind that has any of these must be declared instead.
   */
  readonly crd: KubeObject;
  /** The same kind for a kernel that is to have it from the start (`KernelOptions.kinds`), in place of `crd`. */
  readonly declaration: KindDeclaration;
  /** A new object, to be created. */
  object(metadata: KubeObject['metadata'], spec: T extends { spec: infer Spec } ? Spec : unknown): T;
}

/** The objects of a defined kind. */
export type ObjectOf<K> = K extends CustomKind<infer T> ? T : never;

/** Defines a kind of one's own by TypeBox schemas. */
export function defineKind<Spec extends TSchema, Status extends TSchema>(
  definition: KindDefinition<Spec, Status>,
): CustomKind<CustomObject<Static<Spec>, Static<Status>>> {
  const { group, version, kind } = definition;
  const plural = definition.plural ?? `${kind.toLowerCase()}s`;
  const apiVersion = `${group}/${version}`;
  // Most programs use a kind and never declare it: schemas are translated when they are asked for.
  const schema = once(() => rootSchema(definition));
  const crd = once(() => crdOf(definition, plural, schema()));
  const declaration = once(() => declarationOf(definition, plural, schema));
  return {
    group,
    version,
    kind,
    plural,
    apiVersion,
    isNamespaced: definition.scope !== 'Cluster',
    ref: { group, version, plural },
    get crd() {
      return crd();
    },
    get declaration() {
      return declaration();
    },
    object: (metadata, spec) => ({ apiVersion, kind, metadata, spec: spec }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Annotation of a CustomResourceDefinition: `true` lets users list those of its objects that they may list one by one. */
export const partialListsAnnotation = 'core.chandlery.io/partial-lists';

/** Annotation of a CustomResourceDefinition: for how many days superseded versions of its objects are kept, 0 to 30. */
export const revisionDaysAnnotation = 'core.chandlery.io/revision-days';

type AnyDefinition = KindDefinition<TSchema, TSchema>;

function crdOf(definition: AnyDefinition, plural: string, schema: StructuralSchema): KubeObject {
  const { group, kind, scope = 'Namespaced', labels, shortNames, categories, hasPartialLists } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(hasPartialLists ? { annotations: { [partialListsAnnotation]: 'true' } } : {}),
    },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular: kind.toLowerCase(),
        kind,
        listKind: `${kind}List`,
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
      },
      versions: [versionOf(definition, schema)],
    },
  };
}

function declarationOf(definition: AnyDefinition, plural: string, schema: () => StructuralSchema): KindDeclaration {
  const { group, kind, scope = 'Namespaced', shortNames = [], categories = [] } = definition;
  const { uniqueKeys, nameRule, ttlSeconds, isSecret, servedIn, hasPartialLists } = definition;
  return {
    group,
    kind,
    plural,
    scope,
    shortNames,
    categories,
    versions: [declaredVersionOf(definition, schema)],
    // The kernel asks about objects of this kind only.
    ...(uniqueKeys === undefined ? {} : { uniqueKeys: uniqueKeys as readonly UniqueKey[] }),
    ...(nameRule === undefined ? {} : { nameRule }),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    ...(isSecret === undefined ? {} : { isSecret }),
    ...(servedIn === undefined ? {} : { servedIn }),
    ...(hasPartialLists === undefined ? {} : { hasPartialLists }),
  };
}

/** Lists of declarations are made when a domain is loaded, by programs too that declare none of them. */
function declaredVersionOf(definition: AnyDefinition, schema: () => StructuralSchema): KindVersion {
  const { version, columns = [age], selectableFields = [], status } = definition;
  return {
    name: version,
    get schema() {
      return schema();
    },
    subresources: { status: status !== undefined },
    columns,
    selectableFields,
  };
}

const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

function versionOf(definition: AnyDefinition, schema: StructuralSchema): object {
  const { version, columns = [age], selectableFields, status } = definition;
  return {
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    ...(status === undefined ? {} : { subresources: { status: {} } }),
    additionalPrinterColumns: columns,
    ...(selectableFields === undefined ? {} : { selectableFields: selectableFields.map(jsonPath => ({ jsonPath })) }),
  };
}

function rootSchema(definition: AnyDefinition): StructuralSchema {
  const { description, spec, status, isSpecOptional = false, rules = [] } = definition;
  return {
    type: 'object',
    description,
    ...(isSpecOptional ? {} : { required: ['spec'] }),
    properties: {
      spec: toStructural(spec),
      ...(status === undefined ? {} : { status: toStructural(status) }),
    },
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules.map(rule => ({ ...rule })) }),
  };
}
