import type { Provider } from '../../kinds/index.ts';

/** The port of `/healthz` and `/readyz`. */
export const healthPort = 8081;

/** With server-side defaults: the reference is applied as a whole, and must equal the stored one. */
const fromField = (name: string, fieldPath: string) => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});

/** The variables of every provider process. */
export const predefinedVariables = [
  fromField('POD_NAME', 'metadata.name'),
  fromField('POD_NAMESPACE', 'metadata.namespace'),
  fromField('POD_IP', 'status.podIP'),
  fromField('POD_SERVICE_ACCOUNT_NAME', 'spec.serviceAccountName'),
];

/** The flags of both parts. All other settings are in the ProviderConfig. */
export const commonFlags = ({ metadata, spec }: Provider, environment: string): readonly string[] => [
  `--environment=${environment}`,
  `--verbosity=${spec.verbosity.toUpperCase()}`,
  `--provider-name=${metadata.name}`,
];

/** The common fields of the containers of both parts. */
export function commonContainer({ spec }: Provider): Record<string, unknown> {
  const { image, env = [], extraVolumeMounts = [] } = spec;
  return {
    image,
    env: [...predefinedVariables, ...env],
    // The status of a pod says why its container failed.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...(extraVolumeMounts.length === 0 ? {} : { volumeMounts: extraVolumeMounts }),
  };
}

/** The common fields of the pods of both parts. */
export function commonPod({ spec }: Provider): Record<string, unknown> {
  const { imagePullSecrets = [], extraVolumes = [] } = spec;
  return {
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets }),
    ...(extraVolumes.length === 0 ? {} : { volumes: extraVolumes }),
  };
}
