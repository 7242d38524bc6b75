import type { StepResult } from '@chandlery/runtime';
import { recordsOf } from '../../model/dns-records.ts';
import { isWithin } from '../../model/hosts.ts';
import type { InstanceStep } from '../instance-step.ts';

/**
 * Removes the DNS records of the routes, also of those on clusters that the instance left. Those of a zone that the product had before stay there, which an
 * event says.
 */
export const removeDnsRecords: InstanceStep = async (
  draft,
  { adaptersOf, recordEvent },
  { product },
): Promise<StepResult> => {
  const { routes = [], formerRoutes = [] } = draft.status;
  const records = recordsOf({ routes: [...formerRoutes, ...routes] });
  const zone = product?.configuration.dns;
  if (records.length === 0 || zone === undefined || zone.type === 'none') return 'continue';
  const { inZone = [], elsewhere = [] } = Object.groupBy(records, ({ name }) =>
    isWithin(name, zone.domain) ? 'inZone' : 'elsewhere',
  );
  const { dns } = await adaptersOf(draft.spec.product);
  if (inZone.length > 0) await dns?.remove(inZone);
  if (elsewhere.length > 0)
    recordEvent(draft.row, {
      type: 'Warning',
      reason: 'DnsRecordsStay',
      message: `the records ${elsewhere.map(({ name }) => name).join(', ')} are in a zone that is no longer configured: remove them there`,
    });
  return 'continue';
};
