import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { isSameJson, terminalError } from '@chandlery/runtime';
import type { LocalInstance } from '../model/decide-instance.ts';
import type { InstanceVersions, ManagedInstance } from '../model/managed-instance.ts';
import { agentNames, fieldManager } from '../model/names.ts';
import type { KindId } from './kind-resolver.ts';

/** What a namespace remembers of its instance. */
export interface NamespaceState extends LocalInstance {
  readonly host: string;
  readonly kinds: readonly KindId[];
  /** Digest of what was applied last; empty before. */
  readonly applied: string;
  readonly versions: InstanceVersions | undefined;
}

const refOf = (name: string): ObjectRef => ({ group: '', version: 'v1', plural: 'namespaces', name });

/** Reads what a namespace remembers. */
export function stateOf({ metadata }: KubeObject): NamespaceState {
  const { annotations = {} } = metadata;
  return {
    placementId: annotations[agentNames.placementAnnotation] ?? '',
    isMarkedDeleted: annotations[agentNames.deletedAnnotation] === 'true' || metadata.deletionTimestamp !== undefined,
    host: annotations[agentNames.hostAnnotation] ?? '',
    kinds: parse<readonly KindId[]>(annotations[agentNames.kindsAnnotation]) ?? [],
    applied: annotations[agentNames.appliedAnnotation] ?? '',
    versions: parse<InstanceVersions>(annotations[agentNames.versionsAnnotation]),
  };
}

/** The namespace as the server has it now; undefined when there is none. */
export async function readNamespace(client: Client, name: string): Promise<KubeObject | undefined> {
  try {
    return await client.get(refOf(name));
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Makes the namespace of an instance, or returns the one that is there. Throws a terminal error if it is not ours. */
export async function ensureNamespace(
  client: Client,
  product: string,
  { id, namespace, placementId, host }: ManagedInstance,
): Promise<KubeObject> {
  const present = await readNamespace(client, namespace);
  if (present?.metadata.labels?.[agentNames.instanceLabel] === id) return present;
  if (present !== undefined) throw terminalError(`the namespace ${namespace} exists and is not of this instance`);
  const metadata = {
    name: namespace,
    labels: { [agentNames.productLabel]: product, [agentNames.instanceLabel]: id },
    annotations: { [agentNames.placementAnnotation]: placementId, [agentNames.hostAnnotation]: host },
  };
  return client.create(refOf(namespace), { apiVersion: 'v1', kind: 'Namespace', metadata }, { fieldManager });
}

/** What to remember; what is not named stays. */
export interface RememberedState {
  readonly kinds?: readonly KindId[];
  readonly applied?: string;
  readonly versions?: InstanceVersions;
  readonly host?: string;
  readonly isMarkedDeleted?: true;
}

/** Writes what has changed of what a namespace remembers, unless it was replaced meanwhile. Returns it as it is then. */
export async function remember(client: Client, namespace: KubeObject, state: RememberedState): Promise<KubeObject> {
  const { annotations = {}, uid, name = '' } = namespace.metadata;
  const changed = annotationsOf(state);
  if (isSameJson({ ...annotations, ...changed }, annotations)) return namespace;
  const body = { metadata: { ...(uid === undefined ? {} : { uid }), annotations: changed } };
  return client.patch(refOf(name), { type: 'merge', body }, { fieldManager });
}

/** Deletes a namespace, unless it was replaced meanwhile or is going already. */
export async function deleteNamespace(client: Client, { metadata }: KubeObject): Promise<void> {
  const { name = '', uid, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return;
  try {
    await client.delete(refOf(name), { preconditions: uid === undefined ? {} : { uid } });
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

const annotationsOf = ({
  kinds,
  applied,
  versions,
  host,
  isMarkedDeleted,
}: RememberedState): Record<string, string> => ({
  ...(kinds === undefined ? {} : { [agentNames.kindsAnnotation]: JSON.stringify(kinds) }),
  ...(applied === undefined ? {} : { [agentNames.appliedAnnotation]: applied }),
  ...(versions === undefined ? {} : { [agentNames.versionsAnnotation]: JSON.stringify(versions) }),
  ...(host === undefined ? {} : { [agentNames.hostAnnotation]: host }),
  ...(isMarkedDeleted === undefined ? {} : { [agentNames.deletedAnnotation]: 'true' }),
});

/** An invalid value is treated as absent. */
function parse<T>(text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
