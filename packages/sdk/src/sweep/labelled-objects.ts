import { isError, type KubeObject, parseApiVersion } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { TokenAccess } from '../model/access-requirements.ts';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import type { OwnerInfo, ResourceEntry } from '../objects/managed-objects.ts';
import { isOwned, managedBySelector } from '../objects/ownership.ts';
import { locations } from '../objects/work.ts';

type Rule = NonNullable<NonNullable<TokenAccess['permissions']>[number]['rules']>[number];

/** Kinds that every cluster serves and that providers create; controllers create the others of these groups. */
const builtIn: readonly ResourceRef[] = [
  ...refsOf('', 'v1', ['configmaps', 'secrets', 'services', 'serviceaccounts', 'persistentvolumeclaims', 'namespaces']),
  ...refsOf('apps', 'v1', ['deployments', 'statefulsets', 'daemonsets']),
  ...refsOf('batch', 'v1', ['jobs', 'cronjobs']),
  ...refsOf('rbac.authorization.k8s.io', 'v1', ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings']),
  ...refsOf('networking.k8s.io', 'v1', ['ingresses', 'networkpolicies']),
  ...refsOf('apiextensions.k8s.io', 'v1', ['customresourcedefinitions']),
];

function refsOf(group: string, version: string, plurals: readonly string[]): ResourceRef[] {
  return plurals.map(plural => ({ group, version, plural }));
}

/**
 * Finds the objects with an owner's labels on a cluster when its desired objects are unknown: among the kinds that the
 * provider's rights there allow it to create.
 */
export async function findLabelledObjects(
  client: Client,
  { role, owner, provider, token, signal }: LabelledQuery,
): Promise<readonly ResourceEntry[]> {
  const rules = (token.permissions ?? []).flatMap(permission => permission.rules);
  const hasRoles = (token.roleRefs ?? []).length > 0;
  const kinds = [...builtIn, ...(await customKinds(client, signal))].filter(
    kind => hasRoles || isMakeable(kind, rules),
  );
  const found = await Promise.all(kinds.map(kind => listOwned(client, kind, { role, owner, provider, signal })));
  return found.flat();
}

export interface LabelledQuery {
  readonly role: ClusterRole;
  readonly owner: OwnerInfo;
  readonly provider: string;
  /** The rights of the provider on the cluster. */
  readonly token: TokenAccess;
  readonly signal: AbortSignal;
}

const isMakeable = ({ group, plural }: ResourceRef, rules: readonly Rule[]): boolean =>
  rules.some(
    ({ apiGroups = [], resources = [], verbs }) =>
      includes(apiGroups, group) &&
      includes(resources, plural) &&
      (includes(verbs, 'create') || includes(verbs, 'patch')),
  );

const includes = (words: readonly string[], word: string): boolean => words.includes('*') || words.includes(word);

interface Definition extends KubeObject {
  spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

async function customKinds(client: Client, signal: AbortSignal): Promise<readonly ResourceRef[]> {
  const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
  const found = await Array.fromAsync(client.listAll<Definition>(definitions, { signal })).catch(orNone);
  return found.flatMap(({ spec: { group, names, versions } }) => {
    const version = versions.find(({ served }) => served)?.name;
    return version === undefined ? [] : [{ group, version, plural: names.plural }];
  });
}

async function listOwned(
  client: Client,
  kind: ResourceRef,
  { role, owner, provider, signal }: Omit<LabelledQuery, 'token'>,
): Promise<readonly ResourceEntry[]> {
  const labelSelector = managedBySelector(provider);
  const list = await client.list(kind, { labelSelector, signal }).catch(error => void orNone(error));
  const listed = (list?.kind ?? '').replace(/List$/, '');
  return (list?.items ?? [])
    .filter(object => isOwned(object, provider, owner))
    .map(object => ({
      apiGroup: parseApiVersion(list?.apiVersion ?? '')?.group ?? kind.group,
      kind: object.kind || listed,
      name: object.metadata.name ?? '',
      ...(object.metadata.namespace && { namespace: object.metadata.namespace }),
      phase: 'Unknown' as const,
      message: '',
      location: locations[role],
    }));
}

/** The kind is not served, or we may not read it: then it has no objects of ours. */
function orNone(error: unknown): never[] {
  if (!isError(error, 'NotFound', 'Forbidden')) throw error;
  return [];
}
