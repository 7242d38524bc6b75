import type { KubeObject } from '@chandlery/api';
import { systemNamespace } from '@chandlery/clusters/kinds';
import type { Provider } from '../../kinds/index.ts';
import type { ProviderClass } from './provider-class.ts';
import { annotationsOf, labelsOf, namesOf } from './provider-names.ts';

/** The Service of a provider's metrics; none when they are disabled. */
export function buildMetricsService(providerClass: ProviderClass, provider: Provider): KubeObject | undefined {
  const { name = '' } = provider.metadata;
  const { metrics } = provider.spec;
  if (metrics.disabled) return undefined;
  const labels = labelsOf(providerClass, name, 'controller');
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: namesOf(providerClass, name).metrics,
      namespace: systemNamespace,
      labels,
      annotations: annotationsOf(provider),
    },
    spec: {
      type: 'ClusterIP',
      selector: labels,
      ports: [{ name: 'metrics', port: metrics.port, targetPort: 'metrics', protocol: 'TCP' }],
    },
  };
}
