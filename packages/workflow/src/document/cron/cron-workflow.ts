import { messageOf, WorkflowError } from '../../errors.ts';
import { timeOfMs } from '../../expressions/dates/civil-time.ts';
import { findTimeZone } from '../../expressions/dates/time-zone.ts';
import {
  compileExpression,
  type Environment,
  evaluateExpression,
  evaluateWhen,
  insertedText,
} from '../../expressions/index.ts';
import { nextTime } from './next-time.ts';
import { parseSchedule } from './schedule.ts';

/** The part of a CronWorkflow's spec that says when it runs. */
export interface CronSpec {
  readonly schedules: readonly string[];
  readonly timezone?: string;
  readonly concurrencyPolicy?: string;
  readonly startingDeadlineSeconds?: number;
  readonly suspend?: boolean;
  /** A condition on `{{=cronworkflow.…}}`. */
  readonly when?: string;
  readonly stopStrategy?: { readonly expression: string };
}

/** What a CronWorkflow knows of its past. Times are milliseconds since 1970. */
export interface CronState {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly lastScheduledTime?: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Workflows that have not ended. */
  readonly activeCount: number;
  readonly isStopped?: boolean;
}

export type CronDecision =
  | { readonly type: 'run'; readonly workflowName: string; readonly replacesActive: boolean }
  | { readonly type: 'skip'; readonly reason: string };

const policies: readonly string[] = ['', 'Allow', 'Forbid', 'Replace'];
const maxNameLength = 52;

/** Why a CronWorkflow cannot run, in the words of Argo; undefined when it can. Its workflow is validated apart. */
export function cronProblem(name: string, spec: CronSpec): string | undefined {
  if (name.length > maxNameLength) {
    return `cron workflow name "${name}" must not be more than ${maxNameLength} characters long (currently ${name.length})`;
  }
  if (spec.schedules.length === 0) return 'cron workflow must have at least one schedule';
  const malformed = spec.schedules.map(scheduleProblem).find(problem => problem !== undefined);
  if (malformed !== undefined) return malformed;
  const { timezone = '', concurrencyPolicy = '', startingDeadlineSeconds = 0 } = spec;
  if (findTimeZone(timezone) === undefined) return `invalid timezone "${timezone}": unknown time zone ${timezone}`;
  if (!policies.includes(concurrencyPolicy)) return `'${concurrencyPolicy}' is not a valid concurrencyPolicy`;
  return startingDeadlineSeconds < 0 ? 'startingDeadlineSeconds must be positive' : undefined;
}

function scheduleProblem(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The next time of any schedule after an instant. */
export function nextScheduledTime({ schedules, timezone }: CronSpec, afterMs: number): number | undefined {
  const times = schedules.map(schedule => nextTime(parseSchedule(schedule), afterMs, timezone));
  return times.filter(time => time !== undefined).sort((a, b) => a - b)[0];
}

const hourMs = 3_600_000;
const windowsMs = [hourMs, 24 * hourMs, 40 * 24 * hourMs, Number.POSITIVE_INFINITY];

/** The latest time that was missed and is still within the starting deadline: it runs late. */
export function missedTime(spec: CronSpec, { lastScheduledTime }: CronState, nowMs: number): number | undefined {
  const { startingDeadlineSeconds } = spec;
  if (lastScheduledTime === undefined || startingDeadlineSeconds === undefined) return undefined;
  for (const windowMs of windowsMs) {
    const missed = latestBetween(spec, Math.max(lastScheduledTime, nowMs - windowMs), nowMs);
    if (missed !== undefined) return nowMs < missed + startingDeadlineSeconds * 1000 ? missed : undefined;
  }
  return undefined;
}

function latestBetween(spec: CronSpec, fromMs: number, nowMs: number): number | undefined {
  let latest: number | undefined;
  for (
    let time = nextScheduledTime(spec, fromMs);
    time !== undefined && time < nowMs;
    time = nextScheduledTime(spec, time)
  ) {
    latest = time;
  }
  return latest;
}

/** Whether a CronWorkflow has reached its end. Throws when its expression fails. */
export function isStopDue({ stopStrategy }: CronSpec, state: CronState, nowMs: number): boolean {
  if (stopStrategy === undefined) return false;
  const value = evaluateExpression(compileExpression(stopStrategy.expression), environmentOf(state), { now: nowMs });
  if (typeof value === 'boolean') return value;
  throw new WorkflowError('expression-failed', 'failed to evaluate stop expression: the result is not a bool');
}

/** What to do at a scheduled time. Throws when the condition fails. */
export function decideCron(spec: CronSpec, state: CronState, scheduledMs: number, nowMs: number): CronDecision {
  if (spec.suspend === true) return { type: 'skip', reason: 'suspended' };
  if (state.isStopped === true || isStopDue(spec, state, nowMs)) return { type: 'skip', reason: 'stopped' };
  if (!holds(spec.when ?? '', state, nowMs)) return { type: 'skip', reason: `when '${spec.when}' evaluated false` };
  const isActive = state.activeCount > 0;
  if (spec.concurrencyPolicy === 'Forbid' && isActive) return { type: 'skip', reason: 'a workflow is active' };
  const workflowName = `${state.name}-${Math.floor(scheduledMs / 1000)}`;
  return { type: 'run', workflowName, replacesActive: spec.concurrencyPolicy === 'Replace' && isActive };
}

/** Evaluates the condition after its expression tags. */
function holds(when: string, state: CronState, nowMs: number): boolean {
  const env = environmentOf(state);
  const text = when.replaceAll(/\{\{=((?:(?!\}\})[^])*)\}\}/g, (_, source: string) => {
    const value = evaluateExpression(compileExpression(source), env, { now: nowMs });
    if (value === undefined) throw new WorkflowError('expression-failed', `failed to evaluate expression "${source}"`);
    return insertedText(value);
  });
  return evaluateWhen(text);
}

function environmentOf(state: CronState): Environment {
  const { name, namespace, labels = {}, annotations = {}, lastScheduledTime } = state;
  const last = lastScheduledTime === undefined ? null : timeOfMs(lastScheduledTime);
  const counts = { succeeded: BigInt(state.succeeded), failed: BigInt(state.failed) };
  return { cronworkflow: { name, namespace, labels, annotations, lastScheduledTime: last, ...counts } };
}
