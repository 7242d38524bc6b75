import { apiError, conflict, isError, type KubeObject } from '@chandlery/api';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import { type Commit, type Delete, type Expectation, formatKey, type ObjectKey, type Put } from '../store/store.ts';
import { fieldTerm, labelTerm, ownerTerm, terminatingTerm } from '../store/terms.ts';
import { toStoredForm } from './convert.ts';
import { commitTraced } from './link-trace.ts';
import type { ResourceDeps } from './request.ts';

/**
 * The largest stored object: etcd's default limit, below that of request bodies (`HttpLimits`). See docs/operating.md, and
 * what stays below it: `maxPayloadBytes` of notifications, `json-limits.ts`.
 */
const maxObjectBytes = 1.5 * 1024 * 1024;

/** The write that stores an object, in its kind's storage version. */
export function putOf(
  deps: ResourceDeps,
  kind: CompiledKind,
  key: ObjectKey,
  object: KubeObject,
  expect: Expectation,
): Put {
  const stored = toStoredForm(kind, object);
  const value = deps.codec.encode(key, stored);
  if (value.bytes.length > maxObjectBytes) {
    throw apiError(
      'RequestEntityTooLarge',
      `the object has ${value.bytes.length} bytes; at most ${maxObjectBytes} are allowed`,
    );
  }
  const ttl = kind.declaration.ttlSeconds;
  return {
    type: 'put',
    key,
    expect,
    value,
    terms: indexTerms(kind.stored, key, stored),
    unique: uniqueStrings(kind.stored, key, stored),
    ...(ttl === undefined ? {} : { expiresAt: deps.clock.now().getTime() + ttl * 1000 }),
  };
}

/** The write that removes an object; watchers get its last state. */
export function deleteOf(
  deps: ResourceDeps,
  kind: CompiledKind,
  key: ObjectKey,
  last: KubeObject,
  expect: Expectation,
): Delete {
  return { type: 'delete', key, expect, value: deps.codec.encode(key, toStoredForm(kind, last)) };
}

/** Resources that the kernel caches: their writers wait until the caches of this process are up to date. */
const cachedResources = new Set([
  '/namespaces',
  'apiextensions.k8s.io/customresourcedefinitions',
  'core.chandlery.io/logicalclusters',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/clusterrolebindings',
]);

/** Commits, waits for the process' own caches where that matters, and returns the first write's revision. */
export async function commitWrites(deps: ResourceDeps, commit: Commit): Promise<number> {
  try {
    const { revisions } = await commitTraced(deps, commit);
    if (commit.writes.some(write => cachedResources.has(write.key.resource))) {
      await deps.feed.reached(revisions.at(-1) ?? 0);
    }
    return revisions[0] ?? 0;
  } catch (error) {
    throw isError(error, 'UniqueViolation') ? uniqueViolation(commit, error.details.name ?? '') : error;
  }
}

function uniqueViolation({ writes }: Commit, text: string): Error {
  const [, resource = '', keyName = '', ...values] = text.split('|');
  const [group = '', plural = ''] = resource.split('/');
  const name = writes.find(write => write.key.resource === resource)?.key.name ?? '';
  return conflict(
    { group, resource: plural },
    name,
    `another object holds ${keyName} "${readableValue(values.join('|'))}"`,
  );
}

/** Values of several parts are JSON arrays: they are shown as `a/b`. */
const readableValue = (value: string): string =>
  /^\[".*"\]$/.test(value) ? value.slice(2, -2).replaceAll('","', '/') : value;

/** True when the expectation on just this key failed: another writer was faster. */
export const lostRace = (error: unknown, key: ObjectKey): boolean =>
  isError(error, 'PreconditionFailed') && error.details.name === formatKey(key);

/** The index terms of an object: its labels, its selectable fields, its owners, and whether it is being deleted. */
function indexTerms(kind: CompiledKind, key: ObjectKey, object: KubeObject): number[] {
  const terms = new Set<number>();
  const labels = object.metadata.labels ?? {};
  for (const label of Object.keys(labels)) terms.add(labelTerm(key.cluster, key.resource, label, labels[label] ?? ''));
  for (const version of kind.versions.values()) {
    for (const [path, read] of version.selectableFields) {
      terms.add(fieldTerm(key.cluster, key.resource, path, read(object)));
    }
  }
  for (const owner of object.metadata.ownerReferences ?? []) terms.add(ownerTerm(key.cluster, owner.uid));
  if (object.metadata.deletionTimestamp !== undefined) terms.add(terminatingTerm);
  return [...terms];
}

/** The unique strings that an object holds by its kind's rules. */
function uniqueStrings(kind: CompiledKind, key: ObjectKey, object: KubeObject): string[] {
  const strings: string[] = [];
  for (const { name, within, values } of kind.declaration.uniqueKeys ?? []) {
    const scope = within === 'cluster' ? key.cluster : '*';
    for (const value of values(object)) strings.push(`${scope}|${key.resource}|${name}|${value}`);
  }
  return strings;
}
