import { type ErrorCause, fieldCause, type KubeObject } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { findScheduleProblem } from './cron-schedule.ts';
import { type JobSpec, jobSpecCauses } from './job.ts';

interface CronJob extends KubeObject {
  spec?: { schedule?: string; timeZone?: string; jobTemplate?: { spec?: JobSpec } };
}

/** Jobs get eleven characters more than the cron job's name, and must still fit into a label. */
const maxNameLength = 52;

/** Cron jobs make jobs by the clock. */
export const cronJobBehaviour: Behaviour = {
  validate(object) {
    const { metadata, spec } = object as CronJob;
    return [
      ...nameLengthCauses(metadata.name ?? ''),
      ...scheduleCauses(spec?.schedule ?? ''),
      ...timeZoneCauses(spec?.timeZone),
      ...jobTemplateCauses(spec?.jobTemplate?.spec ?? {}),
    ];
  },
};

function nameLengthCauses(name: string): ErrorCause[] {
  if (name.length <= maxNameLength) return [];
  return [fieldCause.invalid('metadata.name', name, `must be no more than ${maxNameLength} characters`)];
}

function scheduleCauses(schedule: string): ErrorCause[] {
  if (schedule === '') return [fieldCause.required('spec.schedule')];
  const problem = findScheduleProblem(schedule);
  return problem === undefined ? [] : [fieldCause.invalid('spec.schedule', schedule, problem)];
}

function timeZoneCauses(timeZone: string | null | undefined): ErrorCause[] {
  const field = 'spec.timeZone';
  if (timeZone === undefined || timeZone === null) return [];
  if (timeZone === '') return [fieldCause.invalid(field, timeZone, 'timeZone must be nil or non-empty string')];
  return isTimeZone(timeZone) ? [] : [fieldCause.invalid(field, timeZone, `unknown time zone ${timeZone}`)];
}

function isTimeZone(timeZone: string): boolean {
  // Offsets such as +01:00 are zones to this runtime, but not to others.
  if (!/^[A-Za-z]/.test(timeZone) || timeZone.toLowerCase() === 'local') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}

function jobTemplateCauses(spec: JobSpec): ErrorCause[] {
  const field = 'spec.jobTemplate.spec';
  const causes = jobSpecCauses(field, spec);
  if ((spec.selector ?? undefined) !== undefined) {
    causes.push(fieldCause.invalid(`${field}.selector`, spec.selector, '`selector` will be auto-generated'));
  }
  if (spec.manualSelector === true)
    causes.push(fieldCause.notSupported(`${field}.manualSelector`, true, ['nil', 'false']));
  return causes;
}
