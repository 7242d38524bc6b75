import type { KubeObject } from '@chandlery/api';
import type { MetricsRegistry } from '@chandlery/platform';
import type { Informer } from '../informer/informer.ts';

type Counted = Pick<Informer, 'list'>;

/** Gauges of objects by `status.phase`. They show nothing while nothing is counted. */
export interface PhaseGauges<Kind extends string> {
  /** Counts the objects of informers whenever the metrics are read. Returns how to stop. */
  count(informers: Readonly<Record<Kind, Counted>>): () => void;
}

/**
 * Adds a gauge with the label `phase` for each kind. Controllers of a domain run in one replica at a time, while metrics are
 * registered once for the process.
 */
export function addPhaseGauges<Kind extends string>(
  registry: MetricsRegistry,
  kinds: Readonly<Record<Kind, { readonly name: string; readonly help: string }>>,
): PhaseGauges<Kind> {
  let counted: Readonly<Record<Kind, Counted>> | undefined;
  for (const kind of Object.keys(kinds) as Kind[]) {
    const family = registry.gauge({ ...kinds[kind], labels: ['phase'] });
    registry.collect(() => {
      family.clear();
      for (const object of counted?.[kind].list() ?? []) family.with({ phase: phaseOf(object) }).inc();
    });
  }
  return {
    count(informers) {
      counted = informers;
      return () => {
        if (counted === informers) counted = undefined;
      };
    },
  };
}

const phaseOf = (object: KubeObject): string =>
  (object['status'] as { phase?: string } | undefined)?.phase ?? 'Unknown';
