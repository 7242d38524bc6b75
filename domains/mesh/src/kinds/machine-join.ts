import { defineKind, keyedList, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';

/** A machine that has joined. Only the key of its first join may join again; deleting the object allows another one. */
export const machineJoins = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'MachineJoin',
  description:
    'A machine that has joined by a MachineRule. Only the key of its first join may join again, by whatever rule; delete the object to allow another one.',
  spec: Type.Object({
    cloud: Type.String({ description: 'The cloud of the machine.' }),
    account: Type.String({ description: 'Its account or project.' }),
    machine: Type.String({ description: 'Its id.' }),
    key: Type.String({ description: 'SHA-256 of its public key, hexadecimal.' }),
    rules: keyedList(
      Type.Object({
        name: Type.String({ description: 'The MachineRule.' }),
        lastProofTime: Type.String({
          format: 'date-time',
          description: 'Time of the last proof that was accepted; others must be later.',
        }),
      }),
      ['name'],
      'Rules by which the machine has joined; it was the first one that recorded the key.',
    ),
  }),
  columns: [
    { name: 'Rule', type: 'string', jsonPath: '.spec.rules[0].name' },
    { name: 'Cloud', type: 'string', jsonPath: '.spec.cloud' },
    { name: 'Machine', type: 'string', jsonPath: '.spec.machine' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type MachineJoin = ObjectOf<typeof machineJoins>;
