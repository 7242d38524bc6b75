import { formatAge, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';

/** An event, in either of the two forms that Kubernetes has. */
export interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly firstTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

/** Where events are, in one namespace or in all. */
export const eventsIn = (namespace: string | undefined): ResourceRef => ({
  group: '',
  version: 'v1',
  plural: 'events',
  ...(namespace === undefined ? {} : { namespace }),
});

/** A field selector for the events of one object. */
export const selectorOfObject = (kind: string, name: string): string =>
  `involvedObject.kind=${kind},involvedObject.name=${name}`;

/** Events, the oldest first. */
export async function readEvents(
  client: Client,
  namespace: string | undefined,
  fieldSelector?: string,
): Promise<{ readonly events: readonly EventObject[]; readonly resourceVersion: string | undefined }> {
  const { items, metadata } = await client.list<EventObject>(
    eventsIn(namespace),
    fieldSelector === undefined ? {} : { fieldSelector },
  );
  const events = items.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b)));
  return { events, resourceVersion: metadata.resourceVersion };
}

const timeOf = ({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: EventObject): string =>
  series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? '';

export const eventHeadings = ['last seen', 'type', 'reason', 'object', 'message'] as const;

/** An event as a row of a table. */
export function eventRow(event: EventObject, now: Date): string[] {
  const { type = '', reason = '', message = '', involvedObject: about = {}, count, series } = event;
  const times = series?.count ?? count ?? 1;
  return [
    formatAge(timeOf(event), now),
    type,
    reason,
    `${(about.kind ?? '').toLowerCase()}/${about.name ?? ''}`,
    `${message.replace(/\s+/g, ' ').trim()}${times > 1 ? ` (${times} times)` : ''}`,
  ];
}
