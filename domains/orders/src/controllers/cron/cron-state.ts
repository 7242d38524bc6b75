import type { CronSpec, CronState } from '@chandlery/workflow';
import type { CronWorkflow } from '../../kinds/workflows/index.ts';

interface CronStatus {
  readonly lastScheduledTime?: string;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly phase?: string;
}

/** When a CronWorkflow runs. The field `schedule` is that of older documents. */
export function cronSpecOf({ spec }: CronWorkflow): CronSpec {
  const { schedules, schedule, ...rest } = spec as unknown as CronSpec & { readonly schedule?: string };
  return { ...rest, schedules: schedules ?? (schedule === undefined ? [] : [schedule]) };
}

/** What a CronWorkflow's status says of its past. */
export function cronStateOf(cron: CronWorkflow, activeCount: number): CronState {
  const { name = '', namespace = '', labels, annotations } = cron.metadata;
  const { lastScheduledTime = '', succeeded = 0, failed = 0, phase } = (cron.status ?? {}) as CronStatus;
  const last = Date.parse(lastScheduledTime);
  return {
    name,
    namespace,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(!Number.isNaN(last) && { lastScheduledTime: last }),
    succeeded,
    failed,
    activeCount,
    isStopped: phase === 'Stopped',
  };
}
