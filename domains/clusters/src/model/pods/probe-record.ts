import type { ProbeRecord, Running } from './observation.ts';
import { type Container, type Probe, type ProbeKind, probeOf } from './pod.ts';

const unprobed: ProbeRecord = { successes: 0, failures: 0, isBusy: false };

/** The record of a probe; an empty one before its first result. */
export const recordOf = (running: Running, kind: ProbeKind): ProbeRecord => running.probes[kind] ?? unprobed;

/** The record after one more result. Thresholds count consecutive results. */
export function addResult(
  record: ProbeRecord,
  probe: Probe,
  answer: { readonly ok: boolean; readonly message?: string },
): ProbeRecord {
  const successes = answer.ok ? record.successes + 1 : 0;
  const failures = answer.ok ? 0 : record.failures + 1;
  const { message: _, ...rest } = record;
  const told = answer.message === undefined ? rest : { ...rest, message: answer.message };
  const counted = { ...told, successes, failures, isBusy: false };
  if (successes >= (probe.successThreshold ?? 1)) return { ...counted, passing: true };
  if (failures >= (probe.failureThreshold ?? 3)) return { ...counted, passing: false };
  return counted;
}

/** Whether the container has started: it runs, and its startup probe, if any, has passed. */
export const isStarted = (container: Container, running: Running | undefined): boolean =>
  running !== undefined && (container.startupProbe === undefined || recordOf(running, 'startup').passing === true);

/** True when the container may get traffic. */
export function isReady(container: Container, running: Running | undefined): boolean {
  if (running === undefined || running.stopping !== undefined || !isStarted(container, running)) return false;
  return container.readinessProbe === undefined || recordOf(running, 'readiness').passing === true;
}

/** The probes that apply now: the startup probe alone until it has passed, then the others. */
export function activeProbes(container: Container, running: Running): readonly ProbeKind[] {
  if (running.stopping !== undefined) return [];
  const kinds: readonly ProbeKind[] = isStarted(container, running) ? ['liveness', 'readiness'] : ['startup'];
  return kinds.filter(kind => probeOf(container, kind) !== undefined);
}

/** When a probe is to be run next. */
export function nextProbeAtMs(probe: Probe, running: Running, record: ProbeRecord): number {
  if (record.lastAtMs !== undefined) return record.lastAtMs + (probe.periodSeconds ?? 10) * 1000;
  return running.startedAtMs + (probe.initialDelaySeconds ?? 0) * 1000;
}

/** The probe whose failure stops the container, if there is one. */
export const condemningProbe = (container: Container, running: Running): ProbeKind | undefined =>
  (['startup', 'liveness'] as const).find(
    kind => probeOf(container, kind) !== undefined && recordOf(running, kind).passing === false,
  );
