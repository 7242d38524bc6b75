import type { Provider } from '../../kinds/index.ts';

/** Where a provider answers `/healthz` and `/readyz`. */
export const healthPort = 8081;

/** With what a server would fill in: the reference is applied as a whole, and must not differ from what is there. */
const fromField = (name: string, fieldPath: string) => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});

/** The variables that every provider process is given. */
export const predefinedVariables = [
  fromField('POD_NAME', 'metadata.name'),
  fromField('POD_NAMESPACE', 'metadata.namespace'),
  fromField('POD_IP', 'status.podIP'),
  fromField('POD_SERVICE_ACCOUNT_NAME', 'spec.serviceAccountName'),
];

/** The flags of both parts. All else a provider reads from its ProviderConfig. */
export const commonFlags = ({ metadata, spec }: Provider, environment: string): readonly string[] => [
  `--environment=${environment}`,
  `--verbosity=${spec.verbosity.toUpperCase()}`,
  `--provider-name=${metadata.name}`,
];

/** What the containers of both parts have in common. */
export function commonContainer({ spec }: Provider): Record<string, unknown> {
  const { image, env = [], extraVolumeMounts = [] } = spec;
  return {
    image,
    env: [...predefinedVariables, ...env],
    ...(extraVolumeMounts.length === 0 ? {} : { volumeMounts: extraVolumeMounts }),
  };
}

/** What the pods of both parts have in common. */
export function commonPod({ spec }: Provider): Record<string, unknown> {
  const { imagePullSecrets = [], extraVolumes = [] } = spec;
  return {
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets }),
    ...(extraVolumes.length === 0 ? {} : { volumes: extraVolumes }),
  };
}
