import { recordsOf } from '../../model/dns-records.ts';
import type { InstanceStep } from '../instance-step.ts';

const pollMs = 1000;

/** Puts the records of the routes into the zone, and polls until every server has them. Without a zone there is nothing to do. */
export const putRecords: InstanceStep = async (draft, { adaptersOf }) => {
  const { dns } = await adaptersOf(draft.spec.product);
  const records = recordsOf(draft.status);
  const { dnsChangeId } = draft.status;
  if (dns === undefined) {
    draft.apply({ type: 'dns-done' });
    return 'stop';
  }
  // The agent has not reported its routes yet.
  if (records.length === 0) return 'stop';
  const isDone = dnsChangeId === undefined ? false : await dns.isDone(dnsChangeId);
  if (isDone) draft.apply({ type: 'dns-done' });
  if (dnsChangeId !== undefined) return isDone ? 'stop' : { retryAfterMs: pollMs };
  const change = await dns.upsert(records);
  draft.apply(change.done ? { type: 'dns-done' } : { type: 'dns-started', changeId: change.id });
  return change.done ? 'stop' : { retryAfterMs: pollMs };
};
