import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { exactlyOne, resourceColumns, resourceStatus, servedFields, tagMap } from './cloud-resource.ts';

/** Machines of Amazon Web Services that serve a service. */
export const awsResources = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'AwsResource',
  shortNames: ['awsr'],
  description: 'Machines of Amazon Web Services that serve a service of the mesh.',
  spec: Type.Object({
    ...servedFields,
    instances: Type.Optional(
      Type.Array(Type.String({ pattern: '^i-[0-9a-f]{8,17}$' }), {
        minItems: 1,
        maxItems: 1000,
        'x-kubernetes-list-type': 'set',
        description: 'Ids of EC2 instances.',
      }),
    ),
    tags: tagMap('EC2 instances with all these tags.'),
    autoScalingGroup: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: 'Instances of the Auto Scaling group of this name.' }),
    ),
    targetGroup: Type.Optional(
      Type.String({
        pattern:
          '^arn:aws[-a-z]*:elasticloadbalancing:[-a-z0-9]+:[0-9]{12}:targetgroup/[-A-Za-z0-9]{1,32}/[0-9a-f]{16}$',
        description: 'ARN of a target group: its targets, with their health.',
      }),
    ),
  }),
  status: resourceStatus,
  rules: [exactlyOne('instances', 'tags', 'autoScalingGroup', 'targetGroup')],
  columns: resourceColumns,
});

export type AwsResource = ObjectOf<typeof awsResources>;
