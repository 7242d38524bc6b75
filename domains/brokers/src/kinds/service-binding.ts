import { defineKind, type KubeObject, type ObjectOf, userInfo } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, creationStatus, declared, flag, free, labelsSchema, rowStatus, text } from './common.ts';
import { specOf, uniqueId } from './unique-keys.ts';

/** Access to an instance, whichever way it was made. */
export const serviceBindings = defineKind({
  ...declared,
  kind: 'ServiceBinding',
  shortNames: ['sbd'],
  categories: ['brokers'],
  description: 'Access to a service instance. For those made here the credentials are kept in a Secret.',
  spec: Type.Object({
    name: text('Unique for its instance. Default: the name of the object.'),
    instanceId: Type.String({ minLength: 1 }),
    parameters: free('For the broker. Readable by all who may read the binding.'),
    parametersSecret: text('A Secret whose key "parameters" holds parameters as JSON. Those above win.'),
    bindResource: free(
      'What uses the instance. `service_account` ("namespace/name") and `cluster`: the account that gets access to it in meshes.',
    ),
    predecessorId: text('The binding whose successor this is.'),
    secretName: text('Where credentials go. Default: "binding-" and the name of the object.'),
    labels: labelsSchema,
    userInfo,
  }),
  status: Type.Object({
    ...rowStatus,
    creation: creationStatus,
    context: free('What the platform said of itself.'),
    credentialsSecret: text('Where the credentials are.'),
    syslogDrainUrl: text('From the broker.'),
    routeServiceUrl: text('From the broker.'),
    volumeMounts: Type.Optional(Type.Array(Type.Unknown())),
    endpoints: Type.Optional(Type.Array(Type.Unknown())),
    metadata: free('Expiry and renewal, from the broker.'),
    requestHash: text('By what a repeated request is known.'),
    isTracked: flag('Made by a platform, not here.'),
  }),
  columns: [
    column('Display-Name', '.spec.name'),
    column('Instance', '.spec.instanceId'),
    { name: 'Ready', type: 'boolean', jsonPath: '.status.ready' },
    column('Reason', '.status.conditions[?(@.type=="Synced")].reason'),
    column('Secret', '.status.credentialsSecret'),
    ageColumn,
  ],
  uniqueKeys: [uniqueId, { name: 'name', within: 'cluster', values: namesOfInstance }],
});

export type ServiceBinding = ObjectOf<typeof serviceBindings>;

function namesOfInstance(object: KubeObject): string[] {
  const { instanceId, name = object.metadata.name } = specOf(object);
  return [JSON.stringify([instanceId, name])];
}
