import type { Column, ErrorCause, KindDeclaration, KindVersion, KubeObject, StructuralSchema } from '@chandlery/api';
import { compileJsonPath, fillDependentDefaults, formatApiVersion, hasDependentDefaults } from '@chandlery/api';
import { type CompiledSchema, type ValidatorCache, withImpliedFields } from '../schema/index.ts';

/** A kind with everything derived from its declaration; derived parts are made on first use. */
export class CompiledKind {
  readonly declaration: KindDeclaration;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly keepsGeneration: boolean;
  /** `group/plural`. */
  readonly resource: string;
  /** The kind whose collection holds the objects: itself, or the one that it is a view of. */
  readonly stored: CompiledKind;
  readonly versions: ReadonlyMap<string, CompiledVersion>;
  readonly storageVersion: CompiledVersion;
  readonly groupResource: { readonly group: string; readonly resource: string };

  constructor(declaration: KindDeclaration, validators: ValidatorCache, stored?: CompiledKind) {
    this.declaration = declaration;
    this.group = declaration.group;
    this.kind = declaration.kind;
    this.plural = declaration.plural;
    this.singular = declaration.singular ?? declaration.kind.toLowerCase();
    this.listKind = declaration.listKind ?? `${declaration.kind}List`;
    this.isNamespaced = declaration.scope === 'Namespaced';
    this.verbs = declaration.verbs ?? allVerbs;
    this.keepsGeneration = declaration.keepsGeneration ?? true;
    this.resource = `${declaration.group}/${declaration.plural}`;
    this.stored = stored ?? this;
    this.groupResource = { group: declaration.group, resource: declaration.plural };
    this.versions = new Map(
      declaration.versions.map(version => [version.name, new CompiledVersion(this, version, validators)]),
    );
    const storage = declaration.versions.find(version => version.storage) ?? declaration.versions[0];
    const compiled = storage && this.versions.get(storage.name);
    if (compiled === undefined) throw new TypeError(`kind ${declaration.kind} declares no version`);
    this.storageVersion = compiled;
  }
}

export const allVerbs: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** A field that selectors may name. Read from objects as they are stored. */
export interface SelectableField {
  readonly path: string;
  /** The value; of an absent boolean or integer of a built-in kind, `false` or `0`. */
  readonly read: (object: KubeObject) => string;
  /** What an absent value is read as. The index holds the empty text for it. */
  readonly absent: string;
}

/** One version of a kind. */
export class CompiledVersion {
  readonly kind: CompiledKind;
  readonly declaration: KindVersion;
  readonly name: string;
  readonly apiVersion: string;
  readonly isServed: boolean;
  readonly hasStatus: boolean;
  /** The schema of the whole object, metadata included. */
  readonly schema: StructuralSchema;
  readonly #validators: ValidatorCache;
  readonly #hasDependentDefaults: boolean;
  #selectable: ReadonlyMap<string, (object: KubeObject) => string> | undefined;

  constructor(kind: CompiledKind, declaration: KindVersion, validators: ValidatorCache) {
    this.kind = kind;
    this.declaration = declaration;
    this.name = declaration.name;
    this.apiVersion = formatApiVersion({ group: kind.declaration.group, version: declaration.name });
    this.isServed = declaration.served ?? true;
    this.hasStatus = declaration.subresources?.status ?? false;
    this.schema = wholeSchema(declaration.schema);
    this.#validators = validators;
    this.#hasDependentDefaults = hasDependentDefaults(this.apiVersion, kind.kind);
  }

  /** Columns beyond Name. */
  get columns(): readonly Column[] {
    return this.declaration.columns ?? [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }];
  }

  /** Whether pruning, defaults and validation would find nothing to do. False means only that they must be asked. */
  isClean(object: KubeObject): boolean {
    return !this.#hasDependentDefaults && this.#compiled.isClean(object);
  }

  /** Drops unknown fields from the object in place; answers their paths. */
  prune(object: KubeObject): readonly string[] {
    return this.#compiled.prune(object).pruned;
  }

  /** Fills in defaults in place. */
  applyDefaults(object: KubeObject): void {
    // First those that depend on what was said: the schema's own would hide what was not.
    if (this.#hasDependentDefaults) fillDependentDefaults(object);
    this.#compiled.applyDefaults(object);
  }

  /** What the schema says against an object; of an update of `live`, against what it has changed. */
  validate(object: KubeObject, live?: KubeObject): readonly ErrorCause[] {
    return this.#compiled.validate(object, live);
  }

  /** What the schema's rules say against an object of valid form; `live` is what it was before. */
  validateRules(object: KubeObject, live: KubeObject | undefined): readonly ErrorCause[] {
    return this.#compiled.validateRules(object, live);
  }

  /** Readers of the fields that selectors may name, by path without the leading dot. */
  get selectableFields(): ReadonlyMap<string, (object: KubeObject) => string> {
    this.#selectable ??= new Map(
      (this.declaration.selectableFields ?? []).map(path => [path.replace(/^\./, ''), fieldReader(path)]),
    );
    return this.#selectable;
  }

  /** The reader of a field that selectors may name, and its name in the index; undefined when they may not. */
  selectableField(name: string): SelectableField | undefined {
    const path = this.declaration.fieldAliases?.[name] ?? name;
    const owner = this.kind.stored === this.kind ? this : this.kind.stored.storageVersion;
    const read = owner.selectableFields.get(path);
    if (read === undefined) return undefined;
    const absent = this.declaration.protobuf === undefined ? '' : zeroOf(owner.schema, path);
    return { path, absent, read: object => read(object) || absent };
  }

  /** Compiled on first use and shared with every equal schema, whichever logical cluster it comes from. */
  get #compiled(): CompiledSchema {
    return this.#validators.get(this.schema);
  }
}

function wholeSchema(schema: StructuralSchema): StructuralSchema {
  return withImpliedFields({ ...schema, type: 'object' });
}

/** What Kubernetes reads of a field that is not there: its Go types have a zero value. */
function zeroOf(schema: StructuralSchema, path: string): string {
  let field: StructuralSchema | undefined = schema;
  for (const name of path.split('.')) field = field?.properties?.[name];
  if (field?.type === 'boolean') return 'false';
  return field?.type === 'integer' ? '0' : '';
}

function fieldReader(path: string): (object: KubeObject) => string {
  const read = compileJsonPath(path.startsWith('.') ? path : `.${path}`);
  return object => {
    const [value] = read(object);
    return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
  };
}
