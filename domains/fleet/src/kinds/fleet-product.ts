import { anything, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, rowStatus, text } from './common.ts';

/** A product that the fleet offers. The name of the object is the product's id, which is part of its REST paths. */
export const fleetProducts = defineKind({
  ...declared,
  kind: 'FleetProduct',
  shortNames: ['fprod'],
  categories: ['fleet'],
  scope: 'Cluster',
  description:
    'A product of the fleet: its configuration document, the versions that agents of the landscape offer, and the objects that they apply for each instance.',
  spec: Type.Object({
    kind: Type.String({ minLength: 1, description: 'The singular kind in REST documents, such as Dinosaur.' }),
    configuration: anything(
      'The configuration document (chandlery fleet configure) in its own vocabulary, without product and secrets.',
    ),
    secretName: text('The Secret in the namespace "fleet" that holds the secrets of the document.'),
    program: Type.Optional(
      Type.Object(
        {
          objects: Type.Array(anything('A Kubernetes object with placeholders.'), {
            description: 'What an agent of the landscape applies for each instance.',
          }),
          operatorVersions: Type.Array(
            Type.Object({
              version: Type.String({ description: 'X.Y.Z-B' }),
              productVersions: Type.Array(Type.String()),
            }),
            { description: 'What an agent of the landscape reports as available.' },
          ),
        },
        { description: 'How agents of the landscape run an instance. Absent: agents from outside do.' },
      ),
    ),
  }),
  status: Type.Object({ ...rowStatus, configuredBy: text('Who put the document into force.') }),
  columns: [column('Kind', '.spec.kind'), ageColumn],
});

export type FleetProduct = ObjectOf<typeof fleetProducts>;
