import { clusterNames } from '../../kinds/names.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';

type Purposes = SchedulerConfig['spec']['purposes'];

/** The default purposes of landscapes created before the annotation existed. */
const firstDefaults = 'platform,onboarding,mcp,workload';

/**
 * Returns the configuration with the default purposes that were never added, or undefined when all were. A default that
 * an operator removed or redefined stays as it is.
 */
export function addDefaultPurposes(config: SchedulerConfig, defaults: Purposes): SchedulerConfig | undefined {
  const annotation = clusterNames.defaultPurposesAnnotation;
  const { metadata, spec } = config;
  const given = (metadata.annotations?.[annotation] ?? firstDefaults).split(',');
  const missing = Object.keys(defaults).filter(purpose => !given.includes(purpose));
  if (missing.length === 0) return undefined;
  const added = Object.fromEntries(Object.entries(defaults).filter(([purpose]) => missing.includes(purpose)));
  return {
    ...config,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotation]: [...given, ...missing].join() } },
    spec: { ...spec, purposes: { ...added, ...spec.purposes } },
  };
}
