import type { CronWorkflow, WorkflowRecord } from '../../kinds/workflows/index.ts';

/** As in Argo. */
const defaultSuccessful = 3;
const defaultFailed = 1;

/** The ended workflows of a CronWorkflow that are more than it keeps, the oldest ones. */
export function surplusWorkflows(
  { spec }: Pick<CronWorkflow, 'spec'>,
  workflows: readonly WorkflowRecord[],
): readonly WorkflowRecord[] {
  const { successfulJobsHistoryLimit: successful = defaultSuccessful, failedJobsHistoryLimit: failed = defaultFailed } =
    spec as { successfulJobsHistoryLimit?: number; failedJobsHistoryLimit?: number };
  const ended = (phases: readonly string[]): WorkflowRecord[] =>
    workflows.filter(({ status }) => phases.includes(String(status?.['phase']))).sort(byEnd);
  return [...ended(['Succeeded']).slice(successful), ...ended(['Failed', 'Error']).slice(failed)];
}

/** The latest first. */
const byEnd = (a: WorkflowRecord, b: WorkflowRecord): number =>
  String(b.status?.['finishedAt'] ?? '').localeCompare(String(a.status?.['finishedAt'] ?? ''));
