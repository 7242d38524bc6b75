import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { exactlyOne, resourceColumns, resourceStatus, servedFields, tagMap } from './cloud-resource.ts';

/** Machines of Microsoft Azure that serve a service. */
export const azureResources = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'AzureResource',
  shortNames: ['azr'],
  description: 'Machines of Microsoft Azure that serve a service of the mesh.',
  spec: Type.Object({
    ...servedFields,
    ids: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 400,
          pattern:
            '^/subscriptions/[-0-9a-fA-F]{36}/resourceGroups/[-A-Za-z0-9_.()]{1,90}/providers/Microsoft[.]Compute/(virtualMachines|virtualMachineScaleSets)/[-A-Za-z0-9_.]{1,80}$',
        }),
        {
          minItems: 1,
          maxItems: 200,
          'x-kubernetes-list-type': 'set',
          description: 'Resource ids of virtual machines and scale sets, in the subscription of the account.',
        },
      ),
    ),
    tags: tagMap('Virtual machines and scale sets with all these tags.'),
    resourceGroup: Type.Optional(
      Type.String({
        pattern: '^[-A-Za-z0-9_.()]{1,90}$',
        description: 'Of resources with these tags. Default: all of the subscription.',
      }),
    ),
  }),
  status: resourceStatus,
  rules: [
    exactlyOne('ids', 'tags'),
    { rule: '!has(self.spec.resourceGroup) || has(self.spec.tags)', message: 'resourceGroup goes with tags' },
  ],
  columns: resourceColumns,
});

export type AzureResource = ObjectOf<typeof azureResources>;
