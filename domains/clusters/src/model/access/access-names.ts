import { hash8, shorten } from '../../kinds/hashed-names.ts';

/** The issuer of credentials: a landscape, and a cluster provider in it. */
export interface Granter {
  readonly environment: string;
  readonly provider: string;
}

/** The place of a request. */
export interface RequestPlace {
  readonly namespace: string;
  readonly name: string;
}

/** The namespace of the service accounts of all requests, on every cluster. */
export const accessNamespace = 'openmcp-access';

/**
 * The labels of objects created for a request. Several granters may share a cluster, so that they are part of the
 * labels.
 */
export const accessLabels = {
  name: 'clusters.openmcp.cloud/accessrequest-name',
  namespace: 'clusters.openmcp.cloud/accessrequest-namespace',
  environment: 'openmcp.cloud/environment',
  provider: 'openmcp.cloud/managed-by',
} as const;

/** On the Secret: the uid of the service account of its token. */
export const accountUidAnnotation = 'clusters.openmcp.cloud/serviceaccount-uid';

/** The name of a request's service account, which also distinguishes its roles and bindings. */
export const accessHash = ({ environment, provider }: Granter, { namespace, name }: RequestPlace): string =>
  hash8(environment, provider, namespace, name);

export const kubeconfigSecretName = (requestName: string): string => shorten(`${requestName}.kubeconfig`);

/** The labels of the objects of a request. */
export const labelsFor = (granter: Granter, { namespace, name }: RequestPlace): Readonly<Record<string, string>> => ({
  [accessLabels.name]: shorten(name),
  [accessLabels.namespace]: shorten(namespace),
  ...granterLabels(granter),
});

/** Selects the objects of one request. */
export const selectorFor = (granter: Granter, place: RequestPlace): string => formatSelector(labelsFor(granter, place));

/** Selects the objects of all requests of a granter. */
export const selectorForAll = (granter: Granter): string =>
  `${formatSelector(granterLabels(granter))},${accessLabels.name}`;

/** Identifies a request by its labels alone, which are shorter than its name may be. */
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
