import type { JsonObject, KubeObject } from '@chandlery/api';

/** A Namespace. */
export const namespaceOf = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** A Deployment with one container. */
export interface DeploymentParts {
  /** Of the Deployment and its container. */
  readonly name: string;
  /** The label `app` of its pods, which cannot be changed later. Default: the name. */
  readonly app?: string;
  readonly namespace: string;
  /** The fields of the container besides its name. */
  readonly container: JsonObject & { readonly image: string };
  /** More fields of the pods, such as volumes. Default none. */
  readonly pod?: JsonObject;
  /** Annotations of the pods. Default none. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** More fields of the Deployment's spec, such as `strategy`. Default: one replica. */
  readonly spec?: JsonObject;
}

/** A Deployment with one container. Its pods have no token for the cluster unless they name a service account. */
export function deploymentOf(parts: DeploymentParts): KubeObject {
  const { name, app = name, namespace, container, pod = {}, annotations, spec } = parts;
  const labels = { app };
  const token = pod['serviceAccountName'] === undefined ? { automountServiceAccountToken: false } : {};
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      ...spec,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, ...(annotations && { annotations }) },
        spec: { ...token, ...pod, containers: [{ name, ...container }] },
      },
    },
  };
}
