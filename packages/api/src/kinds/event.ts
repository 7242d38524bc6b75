import type { Column } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { builtIn } from './built-in.ts';
import { ago, count, text, wide } from './columns/columns.ts';
import { numberAt, textAt, valueAt } from './columns/read.ts';
import { int32, message, microTime, one, optionalInt32, string, time } from './message.ts';
import { objectReference } from './messages/references.ts';

const HOUR_IN_SECONDS = 3600;

const eventSource = message('Who noticed it.', {
  component: string(1, 'The component.'),
  host: string(2, 'Its node.'),
});

/** How an event is read, for both of its API groups: they name the same things differently. */
interface EventReader {
  readonly object: string;
  readonly text: string;
  readonly reporter: string;
  readonly source: string;
  readonly first: string;
  readonly last: string;
  readonly count: string;
}

const either = (...texts: readonly string[]): string => texts.find(candidate => candidate !== '') ?? '';

const firstSeen = (event: unknown, reader: EventReader): string =>
  either(textAt(event, reader.first), textAt(event, 'eventTime'));

const lastSeen = (event: unknown, reader: EventReader): string =>
  either(textAt(event, 'series', 'lastObservedTime'), textAt(event, reader.last), firstSeen(event, reader));

function timesSeen(event: unknown, reader: EventReader): number {
  if (valueAt(event, 'series') !== undefined) return numberAt(event, 'series', 'count');
  return numberAt(event, reader.count) || 1;
}

function target(event: unknown, reader: EventReader): string {
  const kind = textAt(event, reader.object, 'kind').toLowerCase();
  const name = textAt(event, reader.object, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceText(event: unknown, reader: EventReader): string {
  const component = either(textAt(event, reader.source, 'component'), textAt(event, reader.reporter));
  const host = either(textAt(event, reader.source, 'host'), textAt(event, 'reportingInstance'));
  return [component, host].filter(part => part !== '').join(', ');
}

const columnsOf = (reader: EventReader): readonly Column[] => [
  ago('Last Seen', event => lastSeen(event, reader)),
  text('Type', event => textAt(event, 'type')),
  text('Reason', event => textAt(event, 'reason')),
  text('Object', event => target(event, reader)),
  wide(text('Subobject', event => textAt(event, reader.object, 'fieldPath'))),
  wide(text('Source', event => sourceText(event, reader))),
  text('Message', event => textAt(event, reader.text).trim()),
  wide(ago('First Seen', event => firstSeen(event, reader))),
  wide(count('Count', event => timesSeen(event, reader))),
  // Names of events mean nothing to people, so the column is not the first one here.
  wide(text('Name', event => event.metadata.name)),
];

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** What the newer group calls the fields of the core group's events; the others have the same names in both. */
const viewNames: ReadonlyMap<string, string> = new Map([
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]);
const storedNames: ReadonlyMap<string, string> = new Map([...viewNames].map(([stored, view]) => [view, stored]));

const renameFields = (object: KubeObject, names: ReadonlyMap<string, string>): KubeObject =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value])) as KubeObject;

const shared = {
  kind: 'Event',
  allowsCreateOnUpdate: true,
  plural: 'events',
  shortNames: ['ev'],
  scope: 'Namespaced',
  keepsGeneration: false,
  ttlSeconds: HOUR_IN_SECONDS,
  description: 'Something that happened to an object.',
} as const;

/** Something that happened to an object. */
export const event = builtIn({
  ...shared,
  group: '',
  fields: {
    involvedObject: one(2, objectReference, 'The object.'),
    reason: string(3, 'One CamelCase word for what happened.'),
    message: string(4, 'What happened, for people.'),
    source: one(5, eventSource, 'Who noticed it.'),
    firstTimestamp: time(6, 'When it happened first.'),
    lastTimestamp: time(7, 'When it happened last.'),
    count: int32(8, 'How often it happened.'),
    type: string(9, 'Normal or Warning.'),
    eventTime: microTime(10, 'When it was noticed first.'),
    series: one(
      11,
      message('A series of the same event.', {
        count: int32(1, 'How often it happened.'),
        lastObservedTime: microTime(2, 'When it happened last.'),
      }),
      'The series that the event stands for.',
    ),
    action: string(12, 'What was done.'),
    related: one(13, objectReference, 'Another object that matters.'),
    reportingComponent: string(14, 'Controller that noticed it.', { default: '' }),
    reportingInstance: string(15, 'Instance of the controller.', { default: '' }),
  },
  selectableFields: [
    ...referenceFields.map(field => `.involvedObject.${field}`),
    '.reason',
    '.reportingComponent',
    '.source.component',
    '.type',
  ],
  fieldAliases: { source: 'source.component' },
  columns: columnsOf({
    object: 'involvedObject',
    text: 'message',
    reporter: 'reportingComponent',
    source: 'source',
    first: 'firstTimestamp',
    last: 'lastTimestamp',
    count: 'count',
  }),
});

/** The same as {@link event} in its newer API group. */
export const eventsEvent = builtIn({
  ...shared,
  group: 'events.k8s.io',
  fields: {
    eventTime: microTime(2, 'When it was noticed first.'),
    series: one(
      3,
      message('A series of the same event.', {
        count: optionalInt32(1, 'How often it happened.', { required: true }),
        lastObservedTime: microTime(2, 'When it happened last.', { required: true }),
      }),
      'The series that the event stands for.',
    ),
    reportingController: string(4, 'Controller that noticed it.'),
    reportingInstance: string(5, 'Instance of the controller.'),
    action: string(6, 'What was done.'),
    reason: string(7, 'One CamelCase word for what happened.'),
    regarding: one(8, objectReference, 'The object.'),
    related: one(9, objectReference, 'Another object that matters.'),
    note: string(10, 'What happened, for people.'),
    type: string(11, 'Normal or Warning.'),
    deprecatedSource: one(12, eventSource, 'Who noticed it, in the old form.'),
    deprecatedFirstTimestamp: time(13, 'When it happened first, in the old form.'),
    deprecatedLastTimestamp: time(14, 'When it happened last, in the old form.'),
    deprecatedCount: int32(15, 'How often it happened, in the old form.'),
  },
  viewOf: {
    group: '',
    plural: 'events',
    show: event => renameFields(event, viewNames),
    store: event => renameFields(event, storedNames),
  },
  fieldAliases: {
    ...Object.fromEntries(referenceFields.map(field => [`regarding.${field}`, `involvedObject.${field}`])),
    reportingController: 'reportingComponent',
  },
  columns: columnsOf({
    object: 'regarding',
    text: 'note',
    reporter: 'reportingController',
    source: 'deprecatedSource',
    first: 'deprecatedFirstTimestamp',
    last: 'deprecatedLastTimestamp',
    count: 'deprecatedCount',
  }),
});
