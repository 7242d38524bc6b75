import { builtIn } from './built-in.ts';
import { age, count } from './columns/columns.ts';
import { fieldsAt } from './columns/read.ts';
import { map, optionalBool } from './message.ts';

const sizeOf = (object: unknown, field: string): number => Object.keys(fieldsAt(object, field)).length;

/** Settings for programs. */
export const configMap = builtIn({
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'Settings for programs.',
  fields: {
    data: map(2, 'string', 'Text by key.'),
    binaryData: map(3, 'bytes', 'Bytes by key, each value in base64.'),
    immutable: optionalBool(4, 'Whether the data can never change again.'),
  },
  columns: [count('Data', object => sizeOf(object, 'data') + sizeOf(object, 'binaryData')), age],
});
