import { isJsonObject, type Json } from '../bodies/body-fields.ts';

/** A field that a tenant's document may not have. */
export interface ForbiddenField {
  /** `spec.templates[0].container.securityContext.privileged`. */
  readonly path: string;
  readonly reason: string;
}

/** Fields that give a pod more than a tenant may have, and when they do so. */
const forbidden: Readonly<Record<string, { readonly reason: string; readonly applies: (value: unknown) => boolean }>> =
  {
    hostNetwork: { reason: 'the network of the host cannot be used', applies: Boolean },
    hostPID: { reason: 'processes of the host cannot be seen', applies: Boolean },
    hostIPC: { reason: 'memory of the host cannot be shared', applies: Boolean },
    hostPath: { reason: 'paths of the host cannot be mounted', applies: isJsonObject },
    privileged: { reason: 'containers cannot be privileged', applies: Boolean },
    allowPrivilegeEscalation: { reason: 'containers cannot gain privileges', applies: Boolean },
    podSpecPatch: { reason: 'pods cannot be patched', applies: value => value !== undefined && value !== '' },
    serviceAccountToken: { reason: 'tokens cannot be mounted', applies: isJsonObject },
  };

/** Fields whose keys are names that authors choose. */
const freeMaps = new Set(['labels', 'annotations', 'nodeSelector']);

/** Returns the first field of a document that a tenant may not use; undefined when there is none. */
export function findForbidden(value: unknown, path: string): ForbiddenField | undefined {
  if (Array.isArray(value)) return firstFound(value.entries(), (item, at) => findForbidden(item, `${path}[${at}]`));
  if (!isJsonObject(value)) return undefined;
  return firstFound(Object.entries(value), (field, name) => {
    const rule = Object.hasOwn(forbidden, name) ? forbidden[name] : undefined;
    if (rule?.applies(field) === true) return { path: `${path}.${name}`, reason: rule.reason };
    return freeMaps.has(name) ? undefined : findForbidden(field, `${path}.${name}`);
  });
}

function firstFound<K>(
  entries: Iterable<readonly [K, unknown]>,
  find: (value: unknown, key: K) => ForbiddenField | undefined,
): ForbiddenField | undefined {
  for (const [key, value] of entries) {
    const found = find(value, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Fields of the spec that the platform sets; what an author gives is dropped. */
const strippedOfSpec = new Set([
  'securityContext',
  'podGC',
  'archiveLogs',
  'artifactRepositoryRef',
  'shutdown',
  'suspend',
]);

/** Fields that name an account, wherever they are. */
const strippedAnywhere = new Set(['serviceAccountName', 'automountServiceAccountToken', 'executor']);

/** What is left of a document, and what was dropped. */
export interface StrippedSpec {
  readonly spec: Json;
  /** Paths of fields. */
  readonly stripped: readonly string[];
}

/** Drops the fields of a spec that the platform sets. */
export function stripSpec(given: Json, path: string): StrippedSpec {
  const stripped: string[] = [];
  const strip = (value: unknown, at: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => strip(item, `${at}[${index}]`));
    if (!isJsonObject(value)) return value;
    const kept = Object.entries(value).filter(([name]) => {
      const isDropped = strippedAnywhere.has(name) || (at === path && strippedOfSpec.has(name));
      if (isDropped) stripped.push(`${at}.${name}`);
      return !isDropped;
    });
    return Object.fromEntries(
      kept.map(([name, field]) => [name, freeMaps.has(name) ? field : strip(field, `${at}.${name}`)]),
    );
  };
  return { spec: strip(given, path) as Json, stripped };
}
