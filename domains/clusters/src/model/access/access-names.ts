import { hash8, shorten } from '../../kinds/hashed-names.ts';

/** Who gives credentials: which landscape, and which cluster provider in it. */
export interface Granter {
  readonly environment: string;
  readonly provider: string;
}

/** Where a request is. */
export interface RequestPlace {
  readonly namespace: string;
  readonly name: string;
}

/** Where the service accounts of all requests are, on every cluster. */
export const accessNamespace = 'openmcp-access';

/** What is made for a request is found by these labels. Granters may share a cluster, so they are part of them. */
export const accessLabels = {
  name: 'clusters.openmcp.cloud/accessrequest-name',
  namespace: 'clusters.openmcp.cloud/accessrequest-namespace',
  environment: 'openmcp.cloud/environment',
  provider: 'openmcp.cloud/managed-by',
} as const;

/** On the Secret: the uid of the service account that its token speaks for. */
export const accountUidAnnotation = 'clusters.openmcp.cloud/serviceaccount-uid';

/** The name of a request's service account, and what tells its roles and bindings from those of others. */
export const accessHash = ({ environment, provider }: Granter, { namespace, name }: RequestPlace): string =>
  hash8(environment, provider, namespace, name);

export const kubeconfigSecretName = (requestName: string): string => shorten(`${requestName}.kubeconfig`);

/** The labels of everything that is made for a request. */
export const labelsFor = (granter: Granter, { namespace, name }: RequestPlace): Readonly<Record<string, string>> => ({
  [accessLabels.name]: shorten(name),
  [accessLabels.namespace]: shorten(namespace),
  ...granterLabels(granter),
});

/** Selects what is made for one request. */
export const selectorFor = (granter: Granter, place: RequestPlace): string => formatSelector(labelsFor(granter, place));

/** Selects what is made for any request of a granter. */
export const selectorForAll = (granter: Granter): string =>
  `${formatSelector(granterLabels(granter))},${accessLabels.name}`;

/** Tells requests apart by their labels alone, which are shorter than their names may be. */
export const labelKey = (labels: Readonly<Record<string, string>> | undefined): string =>
  `${labels?.[accessLabels.namespace] ?? ''}/${labels?.[accessLabels.name] ?? ''}`;

const granterLabels = ({ environment, provider }: Granter): Readonly<Record<string, string>> => ({
  [accessLabels.environment]: shorten(environment),
  [accessLabels.provider]: shorten(provider),
});

const formatSelector = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
