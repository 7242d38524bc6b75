import type { MetricsRegistry } from '@chandlery/platform';
import { addPhaseGauges, type PhaseGauges } from '@chandlery/runtime';

/** The gauges of providers and control planes, which name no tenant. */
export type ProviderMetrics = PhaseGauges<'serviceProviders' | 'controlPlanes'>;

/** Adds the metrics of providers and control planes. */
export const addProviderMetrics = (registry: MetricsRegistry): ProviderMetrics =>
  addPhaseGauges(registry, {
    serviceProviders: { name: 'chandlery_service_providers', help: 'ServiceProviders by phase.' },
    controlPlanes: { name: 'chandlery_control_planes', help: 'ControlPlanes by phase.' },
  });
