import { builtIn } from './built-in.ts';
import { age, count, text } from './columns/columns.ts';
import { fieldsAt, textAt } from './columns/read.ts';
import { map, optionalBool, string } from './message.ts';

/** Confidential data. */
export const secret = builtIn({
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  keepsGeneration: false,
  isSecret: true,
  description: 'Confidential data, kept encrypted.',
  fields: {
    data: map(2, 'bytes', 'The data, each value in base64.'),
    type: string(3, 'What the data is; cannot be changed.', { default: 'Opaque' }),
    stringData: map(4, 'string', 'Data in plain text; merged into data, never shown.'),
    immutable: optionalBool(5, 'Whether the data can never change again.'),
  },
  selectableFields: ['.type'],
  columns: [
    text('Type', object => textAt(object, 'type')),
    count('Data', object => Object.keys(fieldsAt(object, 'data')).length),
    age,
  ],
});
