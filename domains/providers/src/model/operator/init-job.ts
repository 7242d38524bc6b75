import type { KubeObject } from '@chandlery/api';
import { systemNamespace } from '@chandlery/clusters/kinds';
import { ownerReference } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import type { ProviderClass } from './provider-class.ts';
import { commonContainer, commonFlags, commonPod } from './provider-container.ts';
import { annotationsOf, labelsOf, namesOf } from './provider-names.ts';

/** The Job that installs a provider's API, for the provider as it is in this generation. */
export function buildInitJob(providerClass: ProviderClass, provider: Provider, environment: string): KubeObject {
  const { name = '', generation = 0 } = provider.metadata;
  const { init } = namesOf(providerClass, name);
  const labels = labelsOf(providerClass, name, 'init-job');
  const annotations = { ...annotationsOf(provider), [providerNames.providerGenerationAnnotation]: String(generation) };
  const container = {
    name: 'init',
    ...commonContainer(provider),
    args: [...provider.spec.initCommand, ...commonFlags(provider, environment)],
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: init,
      namespace: systemNamespace,
      labels,
      annotations,
      ownerReferences: [ownerReference(provider, { controller: true })],
    },
    spec: {
      backoffLimit: 4,
      template: {
        metadata: { labels, annotations: annotationsOf(provider) },
        spec: {
          restartPolicy: 'Never',
          serviceAccountName: init,
          ...commonPod(provider),
          containers: [container],
        },
      },
    },
  };
}
