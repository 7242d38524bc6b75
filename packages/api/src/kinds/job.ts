import { formatDuration } from '../time.ts';
import { builtIn, withStatus } from './built-in.ts';
import { age, ago, count, orNone, selectorColumn, templateColumns, text, wide } from './columns/columns.ts';
import { selectorText } from './columns/format.ts';
import { conditionOf, hasCondition, listAt, numberAt, textAt, valueAt } from './columns/read.ts';
import { one } from './message.ts';
import { cronJobSpec, cronJobStatus, jobSpec, jobStatus } from './messages/job.ts';

function statusText(job: unknown): string {
  if (hasCondition(job, 'Complete')) return 'Complete';
  if (hasCondition(job, 'Failed')) return 'Failed';
  if (valueAt(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  const passing = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(type => hasCondition(job, type));
  return passing ?? 'Running';
}

function completionsText(job: unknown): string {
  const succeeded = numberAt(job, 'status', 'succeeded');
  const completions = valueAt(job, 'spec', 'completions');
  if (typeof completions === 'number') return `${succeeded}/${completions}`;
  const parallelism = numberAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

/** When a job began and ended, in milliseconds; NaN when it has not. */
function timesOf(job: unknown): { readonly start: number; readonly end: number } {
  const failedAt = hasCondition(job, 'Failed') ? textAt(conditionOf(job, 'Failed'), 'lastTransitionTime') : '';
  return {
    start: Date.parse(textAt(job, 'status', 'startTime')),
    end: Date.parse(textAt(job, 'status', 'completionTime') || failedAt),
  };
}

function durationText(job: unknown, now: Date): string {
  const { start, end } = timesOf(job);
  if (Number.isNaN(start)) return '';
  return formatDuration((Number.isNaN(end) ? now.getTime() : end) - start);
}

/** Undefined until the job has ended. */
function durationMs(job: unknown): number | undefined {
  const { start, end } = timesOf(job);
  return Number.isNaN(start) || Number.isNaN(end) ? undefined : end - start;
}

/** Pods that run to their end. */
export const job = builtIn({
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  scope: 'Namespaced',
  description: 'Pods that run to their end.',
  fields: {
    spec: one(2, jobSpec, 'The pods that are to run.', { required: true }),
    status: one(3, jobStatus, 'What became of them.'),
  },
  subresources: withStatus,
  selectableFields: ['.status.succeeded'],
  fieldAliases: { 'status.successful': 'status.succeeded' },
  columns: [
    text('Status', statusText),
    text('Completions', completionsText),
    { ...text('Duration', durationText), sortValue: durationMs },
    age,
    ...templateColumns,
    selectorColumn,
  ],
});

const podTemplate = (cronJob: unknown): unknown => valueAt(cronJob, 'spec', 'jobTemplate', 'spec', 'template');

const containerTexts = (cronJob: unknown, field: string): string =>
  listAt(podTemplate(cronJob), 'spec', 'containers')
    .map(container => textAt(container, field))
    .join(',');

/** Jobs by the clock. */
export const cronJob = builtIn({
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  categories: ['all'],
  scope: 'Namespaced',
  description: 'Jobs by the clock.',
  fields: {
    spec: one(2, cronJobSpec, 'When, and what.', { required: true }),
    status: one(3, cronJobStatus, 'What became of it.'),
  },
  subresources: withStatus,
  columns: [
    text('Schedule', object => textAt(object, 'spec', 'schedule')),
    text('Timezone', object => orNone(textAt(object, 'spec', 'timeZone'))),
    text('Suspend', object => (valueAt(object, 'spec', 'suspend') === true ? 'True' : 'False')),
    count('Active', object => listAt(object, 'status', 'active').length),
    ago('Last Schedule', cronJob => textAt(cronJob, 'status', 'lastScheduleTime'), '<none>'),
    age,
    wide(text('Containers', object => containerTexts(object, 'name'))),
    wide(text('Images', object => containerTexts(object, 'image'))),
    wide(text('Selector', object => selectorText(valueAt(object, 'spec', 'jobTemplate', 'spec', 'selector')))),
  ],
});
