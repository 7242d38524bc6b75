import { defineKind, type KubeObject, type ObjectOf, userInfo } from '@chandlery/api';
import { Type } from 'typebox';
import {
  ageColumn,
  column,
  creationStatus,
  declared,
  flag,
  free,
  labelsSchema,
  ownPlatformId,
  rowStatus,
  text,
} from './common.ts';
import { listeningSchema } from './listening.ts';
import { specOf, uniqueId } from './unique-keys.ts';

/** An instance of a service, whichever way it was made. */
export const serviceInstances = defineKind({
  ...declared,
  kind: 'ServiceInstance',
  shortNames: ['si'],
  categories: ['brokers'],
  description:
    'An instance of a service. Made here, the service manager provisions it; made on a platform, it is tracked.',
  spec: Type.Object({
    name: text('Unique in its tenant for instances made here. Default: the name of the object.'),
    planId: text('The plan. Or say its names below.'),
    offeringName: text('With planName, instead of planId.'),
    planName: text('With offeringName, instead of planId.'),
    brokerName: text('Where several brokers have an offering of that name.'),
    platformId: text('The platform that it belongs to. Default: the service manager itself.'),
    parameters: free('For the broker. Readable by all who may read the instance.'),
    parametersSecret: text('A Secret whose key "parameters" holds parameters as JSON. Those above win.'),
    maintenanceInfo: free('The version of what it runs.'),
    shared: flag('Whether others may refer to it.'),
    referencedInstanceId: text('The shared instance that this one stands for.'),
    labels: labelsSchema,
    userInfo,
  }),
  status: Type.Object({
    ...rowStatus,
    creation: creationStatus,
    usable: flag('Whether it can be used.'),
    planId: text('The plan that the broker knows.'),
    context: free('What the platform said of itself.'),
    dashboardUrl: text("The broker's page for it."),
    metadata: free('Labels and attributes that the broker gave.'),
    listens: listeningSchema,
    request: Type.Optional(
      Type.Object(
        { organizationGuid: text('As sent.'), spaceGuid: text('As sent.'), parametersHash: text('Of the parameters.') },
        { description: 'By what a repeated request is known.' },
      ),
    ),
    previous: free('What an update that fails goes back to.'),
  }),
  columns: [
    column('Display-Name', '.spec.name'),
    column('Plan', '.spec.planId'),
    column('Platform', '.spec.platformId'),
    { name: 'Ready', type: 'boolean', jsonPath: '.status.ready' },
    column('Reason', '.status.conditions[?(@.type=="Synced")].reason'),
    ageColumn,
  ],
  uniqueKeys: [uniqueId, { name: 'name', within: 'cluster', values: ownNames }],
});

export type ServiceInstance = ObjectOf<typeof serviceInstances>;

/** Platforms name their instances as they like; names count only for instances made here. */
function ownNames(object: KubeObject): string[] {
  const { metadata } = object;
  const { platformId = ownPlatformId, name = metadata.name } = specOf(object);
  return platformId === ownPlatformId ? [`${metadata.namespace}/${String(name)}`] : [];
}
