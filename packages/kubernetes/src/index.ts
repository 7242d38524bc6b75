/** The Kubernetes lens: every logical cluster of a kernel as a Kubernetes API. */
export type { IssuerDocuments } from './dispatcher.ts';
export type { PodLogRequest, PodLogs, StoredLogRequest } from './handlers/subresources.ts';
export { KubernetesLens, type KubernetesLensOptions } from './lens.ts';
export { anonymousIdentity, RequestAuthorizer } from './request-authorizer.ts';
