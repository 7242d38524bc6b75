import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, count, declared, flag, free, rowStatus, text, texts } from './common.ts';

/** Phases of a rollout. */
export const rolloutPhases = [
  'Pending',
  'Progressing',
  'Paused',
  'Succeeded',
  'Failed',
  'Aborting',
  'Aborted',
] as const;

export type RolloutPhase = (typeof rolloutPhases)[number];

/** Moves the desired versions of many instances, wave by wave. */
export const fleetRollouts = defineKind({
  ...declared,
  kind: 'FleetRollout',
  shortNames: ['fro'],
  categories: ['fleet'],
  scope: 'Cluster',
  description: 'Moves instances of a product to another version in waves, and stops when one fails.',
  spec: Type.Object({
    product: Type.String({ minLength: 1 }),
    productVersion: text('The version of the product to move to.'),
    operatorVersion: text('The version of its operator to move to.'),
    clusters: texts('Only instances on these clusters. Default: all.'),
    organisations: texts('Only instances of these organisations. Default: all.'),
    waves: Type.Optional(
      Type.Array(Type.Object({ count: count('So many instances.'), percent: count('So many of all, in percent.') }), {
        description:
          'Sizes of the waves, canary first; what is left follows last. Default: 1 instance, 10 %, the rest.',
      }),
    ),
    maxConcurrentPerCluster: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Upgrades in progress on one cluster at a time. Default 10.' }),
    ),
    maxFailures: Type.Optional(Type.Integer({ minimum: 0, description: 'Failures that it tolerates. Default 0.' })),
    instanceTimeoutSeconds: Type.Optional(
      Type.Integer({ minimum: 1, description: 'After which an upgrade that is in progress has failed. Default 900.' }),
    ),
    paused: flag('Begins no further upgrades.'),
    aborted: flag('Takes upgraded instances of the current wave back to their former versions and ends.'),
  }),
  status: Type.Object({
    ...rowStatus,
    rolloutPhase: Type.Optional(Type.Enum(rolloutPhases)),
    wave: count('The wave in progress, from 0.'),
    instances: free('Instances of the wave in progress: state, cluster, former versions and since when.'),
    rejected: texts('Instances whose cluster did not offer the versions; the rollout does not try them again.'),
    tolerated: count('Failures that do not pause it; raised when it is resumed after some.'),
    total: count('Instances that it covers.'),
    upgraded: count('Instances that run the new versions.'),
    failed: count('Instances whose upgrade failed.'),
    message: text('What happens, or why it stopped.'),
  }),
  columns: [
    column('Product', '.spec.product'),
    column('Version', '.spec.productVersion'),
    column('Phase', '.status.rolloutPhase'),
    { name: 'Upgraded', type: 'integer', jsonPath: '.status.upgraded' },
    { name: 'Failed', type: 'integer', jsonPath: '.status.failed' },
    { name: 'Total', type: 'integer', jsonPath: '.status.total' },
    ageColumn,
  ],
  selectableFields: ['.spec.product'],
});

export type FleetRollout = ObjectOf<typeof fleetRollouts>;
