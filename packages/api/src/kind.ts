import type { GroupVersionKind } from './group-version.ts';
import type { KubeObject } from './object.ts';
import type { StructuralSchema } from './schema.ts';

/**
 * A kind, declared once. Validation, pruning, defaults, OpenAPI, discovery, tables, protobuf decoding and documentation
 * are all derived from this; a CustomResourceDefinition is turned into the same shape at run time.
 */
export interface KindDeclaration {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  /** In order of preference. Exactly one is the storage version. */
  readonly versions: readonly KindVersion[];
  /** Default `dns-subdomain`. `path-segment`: anything that can stand in a URL path (RBAC names). */
  readonly nameRule?: 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'path-segment';
  /** Logical clusters that serve the kind. Default: all. */
  readonly servedIn?: readonly string[];
  /**
   * Logical clusters that do not serve the kind may declare one of its name by a CRD, as an installation of the software
   * there that the kind comes from. Default false: the name is the landscape's everywhere.
   */
  readonly allowsCrdElsewhere?: boolean;
  /** Default: all of get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verbs?: readonly string[];
  /** Stored encrypted. Default false. */
  readonly isSecret?: boolean;
  /** PUT without resourceVersion overwrites, as for Kubernetes' built-in kinds. Default false, as for custom kinds. */
  readonly allowsUnconditionalUpdate?: boolean;
  /** PUT of an object that does not exist creates it, as for some of Kubernetes' built-in kinds. Default false. */
  readonly allowsCreateOnUpdate?: boolean;
  /** Strategic merge patch is accepted. Default false, as for custom kinds. */
  readonly allowsStrategicMerge?: boolean;
  /** metadata.generation counts the changes of the desired state. Default true; false for kinds that Kubernetes does not count. */
  readonly keepsGeneration?: boolean;
  /** Objects of this kind disappear by themselves so many seconds after their last write. */
  readonly ttlSeconds?: number;
  /**
   * How many days superseded versions are kept for readers; 0 for kinds that change all the time. Those of secret and of
   * short-lived kinds never are. Default: what the landscape says.
   */
  readonly revisionDays?: number;
  /** Values that no two objects may share. */
  readonly uniqueKeys?: readonly UniqueKey[];
  /**
   * Users who may not list the whole collection get the objects that they may list, instead of an error; watches
   * likewise. Default false, as in Kubernetes.
   */
  readonly hasPartialLists?: boolean;
  /**
   * How large a body may be that replaces an object. Default: the limits of all requests. Larger for kinds whose objects are
   * joined from many: a client that writes back what it read must be able to.
   */
  readonly replaceLimits?: BodyLimits;
  /** The kind has no objects of its own: it shows another kind's in a shape of its own. Default: it has. */
  readonly viewOf?: KindView;
}

/** How large a request body may be. */
export interface BodyLimits {
  readonly bytes: number;
  /** Scalars, lists and objects in it. */
  readonly values: number;
}

/** How a kind shows the objects of another one. Both converters are pure and lose nothing. */
export interface KindView {
  /** The kind whose objects are shown, of the same scope and with one version. */
  readonly group: string;
  readonly plural: string;
  /** From the other kind's shape to this one's; apiVersion, kind and metadata are taken care of. */
  readonly show: (stored: KubeObject) => KubeObject;
  /** The way back. */
  readonly store: (shown: KubeObject) => KubeObject;
}

export interface KindVersion {
  readonly name: string;
  /** Default true. */
  readonly served?: boolean;
  /** Default: the first version. */
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  /** Schema of the whole object. apiVersion, kind and metadata are implied and need no declaration. */
  readonly schema: StructuralSchema;
  readonly subresources?: Subresources;
  /** Beyond the leading Name, which is left out when one of these is called Name. Default: Age. */
  readonly columns?: readonly Column[];
  /** Simple paths such as `.spec.nodeName` that field selectors may use, besides metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly string[];
  /** Other names under which field selectors know selectable fields (of the shown kind, for a view): name to path. */
  readonly fieldAliases?: Readonly<Record<string, string>>;
  /** Protobuf layout of the whole object, for built-in kinds whose clients send protobuf bodies. */
  readonly protobuf?: ProtobufMessage;
  /** How its objects become stored ones and back. Default: fields that both versions know are taken over as they are. */
  readonly conversion?: VersionConversion;
}

/**
 * How a version that is not the stored one differs from it in shape. Pure. Of metadata only annotations may be changed:
 * what one of the two shapes has no place for is kept there, so that a way to and fro loses nothing.
 */
export interface VersionConversion {
  /** What of the schema is missing is filled in and what it does not know is dropped afterwards. */
  readonly fromStorage: (stored: KubeObject) => KubeObject;
  /** The way back, for objects that the version's own schema has accepted. */
  readonly toStorage: (shown: KubeObject) => KubeObject;
  /** What the version cannot show of a stored object, in sentences; readers are warned. Default: nothing. */
  readonly loses?: (stored: KubeObject) => readonly string[];
}

export interface Subresources {
  readonly status?: boolean;
  readonly scale?: ScaleSubresource;
  /** Others, by name, for discovery: what they answer and which verbs they take (`pods/log`, `serviceaccounts/token`). */
  readonly others?: readonly {
    readonly name: string;
    readonly responseKind: GroupVersionKind;
    readonly verbs: readonly string[];
  }[];
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A table column: either a path into the object or a function for what a path cannot say. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 show only with `-o wide`. Default 0. */
  readonly priority?: number;
  /** kubectl-style JSONPath. */
  readonly jsonPath?: string;
  /** For built-in kinds. A `date` cell is an RFC 3339 string here; it is shown as an age. */
  readonly cell?: (object: KubeObject, now: Date) => string | number | boolean | undefined;
  /** What the column sorts by; needed where the cell depends on the time. Default: the cell. */
  readonly sortValue?: (object: KubeObject) => string | number | undefined;
}

export interface UniqueKey {
  readonly name: string;
  /** Unique within the logical cluster or over the whole landscape. */
  readonly within: 'cluster' | 'landscape';
  readonly values: (object: KubeObject) => readonly string[];
}

/** A protobuf message, by JSON field name. */
export interface ProtobufMessage {
  readonly [field: string]: ProtobufField;
}

export interface ProtobufField {
  readonly number: number;
  readonly type: ProtobufType;
  readonly repeated?: boolean;
  /** The field is a map from string to `type`. */
  readonly map?: boolean;
  /** The message's own fields are part of the parent JSON object, not nested under a name. */
  readonly inline?: boolean;
  /** A zero on the wire is a value (`replicas: 0`), not the absence of one. Default false: zeros and empty strings are dropped. */
  readonly keepsZero?: boolean;
  /** The message stands for a union: its JSON value is that of the last of its declared fields that is present. */
  readonly unwraps?: boolean;
}

/** Scalars by their JSON outcome: `time` and `microTime` become RFC 3339, `quantity` and `intOrString` as Kubernetes prints them, `json` is raw JSON inside, `stringList` is a message that holds nothing but a repeated string. A function defers a (recursive) message. */
export type ProtobufType =
  | 'string'
  | 'bool'
  | 'int'
  | 'double'
  | 'bytes'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString'
  | 'json'
  | 'stringList'
  | ProtobufMessage
  | (() => ProtobufMessage);
