import { anything, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { clusterTemplateSchema } from './cluster.ts';
import { capabilitiesSchema, chandleryClustersGroup, onPlatform } from './common.ts';

const purposeSelector = Type.Object({
  operator: Type.Enum(['ContainsAll', 'ContainsAny', 'ContainsNone', 'Equals']),
  values: Type.Array(Type.String()),
});

/** Selects among the clusters of a purpose. */
export const clusterSelectorSchema = Type.Object({
  matchIdentities: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), namespace: Type.Optional(Type.String()) }), {
      description: 'Just these; an empty list means none. Overrides the rest.',
    }),
  ),
  matchLabels: Type.Optional(Type.Record(Type.String(), Type.String())),
  matchExpressions: Type.Optional(
    Type.Array(
      Type.Object({
        key: Type.String(),
        operator: Type.Enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  ),
  matchPurposes: Type.Optional(Type.Array(purposeSelector)),
});

/** How clusters are found or created for each purpose; only the object named `default` is used. */
export const schedulerConfigs = defineKind({
  group: chandleryClustersGroup,
  version: 'v1alpha1',
  kind: 'SchedulerConfig',
  scope: 'Cluster',
  description: 'How clusters are found or made for each purpose. The one named "default" counts.',
  spec: Type.Object({
    scope: Type.Enum(['Cluster', 'Namespaced'], {
      default: 'Cluster',
      description: 'Whether clusters of all namespaces may be given, or only those beside the request.',
    }),
    strategy: Type.Enum(['Balanced', 'Random', 'Simple'], {
      default: 'Balanced',
      description: 'Which of several shared clusters is given: the one with the fewest requests, any, the first.',
    }),
    purposes: Type.Record(
      Type.String(),
      Type.Object({
        template: Type.Object({
          metadata: Type.Optional(anything('Labels, annotations, name, generateName and namespace of new clusters.')),
          spec: clusterTemplateSchema,
        }),
        tenancyCount: Type.Integer({
          minimum: 0,
          default: 0,
          description: 'How many requests may share a cluster; 0 means any number.',
        }),
        requiredCapabilities: Type.Optional(
          capabilitiesSchema(
            "What clusters must be able to do to be given for the purpose. Default: what the template's profile offers.",
          ),
        ),
        selector: Type.Optional(clusterSelectorSchema),
      }),
      { description: 'By purpose.' },
    ),
  }),
  labels: onPlatform,
});

export type SchedulerConfig = ObjectOf<typeof schedulerConfigs>;
