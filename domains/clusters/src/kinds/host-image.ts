import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { chandleryClustersGroup, onPlatform } from './common.ts';

/** The program for an image on local clusters, which run containers as processes of the server's machine. */
export const hostImages = defineKind({
  group: chandleryClustersGroup,
  version: 'v1alpha1',
  kind: 'HostImage',
  shortNames: ['himg'],
  scope: 'Cluster',
  description:
    "The program for an image on local clusters, which run containers as processes of the server's machine. A user with the right to write these can run anything there.",
  spec: Type.Object({
    image: Type.String({ minLength: 1, description: 'The image; * stands for anything, no tag for every tag.' }),
    command: Type.Array(Type.String(), {
      minItems: 1,
      description: 'The program and its first arguments. What begins with ./ is looked for in the folder.',
    }),
    folder: Type.Optional(
      Type.String({ description: "Where ./ is. Default, and for a relative one: the server's working folder." }),
    ),
    env: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Variables.' })),
  }),
  columns: [
    { name: 'Image', type: 'string', jsonPath: '.spec.image' },
    { name: 'Command', type: 'string', jsonPath: '.spec.command' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  labels: onPlatform,
});

export type HostImage = ObjectOf<typeof hostImages>;
