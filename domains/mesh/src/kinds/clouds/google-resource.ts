import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { exactlyOne, resourceColumns, resourceStatus, servedFields, tagMap } from './cloud-resource.ts';

const name = '[a-z]([-a-z0-9]{0,61}[a-z0-9])?';

/** Machines of Google Cloud that serve a service. */
export const googleResources = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'GoogleResource',
  shortNames: ['gcr'],
  description: 'Machines of Google Cloud that serve a service of the mesh.',
  spec: Type.Object({
    ...servedFields,
    instances: Type.Optional(
      Type.Array(Type.String({ maxLength: 200, pattern: `^zones/${name}/instances/${name}$` }), {
        minItems: 1,
        maxItems: 1000,
        'x-kubernetes-list-type': 'set',
        description: 'Instances of the project, such as zones/europe-west1-b/instances/web-1.',
      }),
    ),
    labels: tagMap('Instances with all these labels.'),
    instanceGroup: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: `^(zones|regions)/${name}/instanceGroups/${name}$`,
        description:
          'Instances of a group, such as regions/europe-west1/instanceGroups/web. Managed groups add their health.',
      }),
    ),
  }),
  status: resourceStatus,
  rules: [exactlyOne('instances', 'labels', 'instanceGroup')],
  columns: resourceColumns,
});

export type GoogleResource = ObjectOf<typeof googleResources>;
