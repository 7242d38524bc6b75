import type { Column } from '../../kind.ts';
import type { KubeObject } from '../../object.ts';
import { formatAge } from '../../time.ts';
import { selectorText } from './format.ts';
import { listAt, textAt, valueAt } from './read.ts';

type Cell = (object: KubeObject, now: Date) => string | number | boolean | undefined;

/** A column of text. */
export const text = (name: string, cell: Cell): Column => ({ name, type: 'string', cell });

/** A column that shows how long ago something was; it sorts by the time, the latest first. */
export const ago = (name: string, timeOf: (object: KubeObject) => string, none = ''): Column => ({
  name,
  type: 'string',
  cell: (object, now) => {
    const time = timeOf(object);
    return time === '' && none !== '' ? none : formatAge(time, now);
  },
  sortValue: object => {
    const time = Date.parse(timeOf(object));
    return Number.isNaN(time) ? undefined : -time;
  },
});

/** A column of whole numbers. */
export const count = (name: string, cell: Cell): Column => ({ name, type: 'integer', cell });

/** The same column, shown with `-o wide` only. */
export const wide = (column: Column): Column => ({ ...column, priority: 1 });

/** How long ago the object was created. */
export const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** When the object was created, as a timestamp. */
export const createdAt: Column = text('Created At', object => object.metadata.creationTimestamp);

/** Text that shows that there is nothing. */
export const orNone = (value: string): string => (value === '' ? '<none>' : value);

const containersOf = (object: KubeObject): readonly unknown[] =>
  listAt(object, 'spec', 'template', 'spec', 'containers');

const joined = (items: readonly unknown[], field: string): string => items.map(item => textAt(item, field)).join(',');

/** Names and images of the pod template's containers. */
export const templateColumns: readonly Column[] = [
  wide(text('Containers', object => joined(containersOf(object), 'name'))),
  wide(text('Images', object => joined(containersOf(object), 'image'))),
];

/** The label selector of a workload. */
export const selectorColumn: Column = wide(
  text('Selector', object => selectorText(valueAt(object, 'spec', 'selector'))),
);
