import { ChandleryError, type JsonObject } from '@chandlery/api';

/** What the control plane wants of one instance. */
export interface ManagedInstance {
  readonly id: string;
  /** Another one for each placement: an instance with another placement is another instance. */
  readonly placementId: string;
  readonly name: string;
  readonly namespace: string;
  readonly host: string;
  readonly owners: readonly string[];
  readonly instanceType: string;
  readonly sizeId: string;
  readonly versions: InstanceVersions;
  readonly isDeleted: boolean;
  readonly isSuspended: boolean;
  /** Frozen: neither applied nor removed. */
  readonly isPaused: boolean;
  /** Changes when the secrets do. */
  readonly secretsRevision: string;
  readonly secrets: InstanceSecrets;
}

export interface InstanceVersions {
  readonly product: string;
  readonly operator: string;
}

/** What only the instance may know. Empty where the list leaves secrets out. */
export interface InstanceSecrets {
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly serviceAccounts: readonly ServiceAccount[];
}

export interface ServiceAccount {
  readonly name: string;
  readonly principal: string;
  readonly password: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads an item of the list for agents. Throws `UnexpectedAnswer` when it has no id, placement or namespace. */
export function readManagedInstance(item: JsonObject): ManagedInstance {
  const metadata = fieldsOf(item['metadata']);
  const annotations = fieldsOf(metadata['annotations']);
  const labels = fieldsOf(metadata['labels']);
  const spec = fieldsOf(item['spec']);
  const endpoint = fieldsOf(spec['endpoint']);
  return {
    id: required(text(item['id']) || text(annotations['mas/id']), 'id'),
    placementId: required(text(annotations['mas/placementId']), 'placement id'),
    name: text(metadata['name']),
    namespace: required(text(metadata['namespace']), 'namespace'),
    host: text(endpoint['host']),
    owners: list(spec['owners']).map(text),
    instanceType: text(labels['mas/instanceType']),
    sizeId: text(labels['mas/sizeId']),
    versions: readVersions(fieldsOf(spec['versions']), singularOf(text(item['kind']))),
    isDeleted: spec['deleted'] === true,
    isSuspended: labels['mas/suspended'] === 'true',
    isPaused: annotations['mas/pause-reconciliation'] === 'true',
    secretsRevision: text(labels['mas/secretsRevision']),
    secrets: { tls: readTls(endpoint['tls']), serviceAccounts: list(spec['serviceAccounts']).map(readServiceAccount) },
  };
}

/** `dinosaur` for `ManagedDinosaur` and `ManagedDinosaurList`. */
export const singularOf = (kind: string): string => kindOf(kind).toLowerCase();

/** `Dinosaur` for `ManagedDinosaur` and `ManagedDinosaurList`. */
export const kindOf = (kind: string): string => kind.replace(/^Managed/, '').replace(/List$/, '');

const readVersions = (versions: Fields, singular: string): InstanceVersions => ({
  product: text(versions[singular]),
  operator: text(versions[`${singular}Operator`]),
});

function readTls(value: unknown): InstanceSecrets['tls'] {
  const { cert, key } = fieldsOf(value);
  return typeof cert === 'string' && typeof key === 'string' ? { cert, key } : undefined;
}

function readServiceAccount(value: unknown): ServiceAccount {
  const { name, principal, password } = fieldsOf(value);
  return { name: text(name), principal: text(principal), password: text(password) };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function required(value: string, what: string): string {
  if (value === '') throw new ChandleryError('UnexpectedAnswer', `an instance of the list has no ${what}`);
  return value;
}
