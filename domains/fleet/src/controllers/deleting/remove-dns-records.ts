import type { StepResult } from '@chandlery/runtime';
import { recordsOf } from '../../model/dns-records.ts';
import type { InstanceStep } from '../instance-step.ts';

/** Removes the DNS records of the routes, also of those on clusters that it left. */
export const removeDnsRecords: InstanceStep = async (draft, { adaptersOf }): Promise<StepResult> => {
  const { routes = [], formerRoutes = [] } = draft.status;
  const records = recordsOf({ routes: [...formerRoutes, ...routes] });
  if (records.length === 0) return 'continue';
  const { dns } = await adaptersOf(draft.spec.product);
  await dns?.remove(records);
  return 'continue';
};
