import { badRequest, OrdersError } from '../../../errors.ts';
import { withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { isEnded } from '../../../model/order-status.ts';
import type { JobRow, OrdersRegistry } from '../../../registry/orders-registry.ts';
import type { Call } from '../call.ts';

const defaultWaitSeconds = 30;
const maxWaitSeconds = 600;

type Tables = Pick<OrdersRegistry, 'jobs' | 'jobEvents'>;

/** Follows the events of a job as server-sent events. Throws `no-events` when none comes in time. */
export async function openEvents(tables: Tables, job: JobRow, call: Call): Promise<AsyncIterable<Uint8Array>> {
  const waitMs =
    readNumber(call.query.get('max-wait-time'), 'max-wait-time', defaultWaitSeconds, maxWaitSeconds) * 1000;
  const maxMessages = readNumber(call.query.get('max-messages'), 'max-messages', Number.MAX_SAFE_INTEGER);
  const last = call.headers['last-event-id'] ?? call.query.get('last-event-id');
  const after = readNumber(typeof last === 'string' ? last : null, 'last-event-id', 0);
  const events = followEvents(tables, { id: job.id, after, waitMs, signal: call.signal });
  const first = await events.next();
  if (first.done === true) throw new OrdersError('no-events', `Nothing happened to the job within ${waitMs / 1000} s`);
  return framesOf(first.value, events, maxMessages);
}

async function* framesOf(first: string, rest: AsyncGenerator<string>, maxMessages: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(first);
  let count = 1;
  if (count >= maxMessages) return;
  for await (const frame of rest) {
    yield Buffer.from(frame);
    if (++count >= maxMessages) return;
  }
}

interface Following {
  readonly id: string;
  /** The number of the last event that the client has. */
  readonly after: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Ends with the job, when nothing happens for the time, or with the signal. */
async function* followEvents(tables: Tables, { id, after, waitMs, signal }: Following): AsyncGenerator<string> {
  let sequence = after;
  for (;;) {
    const job = tables.jobs.get(id);
    const last = job?.status.lastEvent ?? 0;
    for (; sequence < last; sequence++) {
      const event = tables.jobEvents.get(`${id}.${sequence + 1}`);
      if (event !== undefined) yield frameOf(sequence + 1, event.spec);
    }
    if (job === undefined || isEnded(job.status.status ?? 'pending') || signal.aborted) return;
    const hasMore = await tables.jobs
      .until(
        id,
        row => row === undefined || (row.status.lastEvent ?? 0) > sequence,
        AbortSignal.any([signal, AbortSignal.timeout(waitMs)]),
      )
      .then(
        () => true,
        () => false,
      );
    if (!hasMore) return;
  }
}

type EventSpec = NonNullable<ReturnType<OrdersRegistry['jobEvents']['get']>>['spec'];

function frameOf(sequence: number, { job, type, schema, source, timestamp, data }: EventSpec): string {
  const event = withoutUndefined({
    SeqID: sequence,
    eventID: `${job}.${sequence}`,
    type,
    schema,
    source,
    timestamp,
    data,
  });
  return `id: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`;
}

function readNumber(text: string | null, name: string, missing: number, max = Number.MAX_SAFE_INTEGER): number {
  if (text === null || text === '') return missing;
  if (!/^\d{1,15}(\.\d+)?$/.test(text)) throw badRequest(`${name} must be a number, not '${text.slice(0, 30)}'`);
  return Math.min(Number(text), max);
}
