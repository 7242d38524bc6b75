import { commonStatus, defineKind, defineProviderConfig, defineService, type ObjectOf, Type } from '@chandlery/sdk';

const group = 'sample.services.open-control-plane.io';

/** What a tenant asks for, on the onboarding cluster, with the name of a control plane. */
export const samples = defineService({
  group,
  version: 'v1alpha1',
  kind: 'Sample',
  description: 'Lets a control plane use SampleItems.',
  spec: Type.Object({
    version: Type.String({ minLength: 1, description: 'One of the versions that the platform offers.' }),
    greeting: Type.String({ default: 'Hello', description: 'How items are greeted.' }),
  }),
  columns: [{ name: 'Version', type: 'string', jsonPath: '.spec.version' }],
});
export type Sample = ObjectOf<typeof samples>;

/** What the platform allows. The one named like the provider counts. */
export const sampleConfigs = defineProviderConfig({
  group,
  version: 'v1alpha1',
  description: 'What the platform offers to tenants of Sample.',
  spec: Type.Object({
    versions: Type.Array(
      Type.Object({ version: Type.String({ minLength: 1 }), image: Type.String({ minLength: 1 }) }),
      {
        minItems: 1,
        description: 'What tenants may ask for, and the image that serves it.',
      },
    ),
  }),
});
export type SampleConfig = ObjectOf<typeof sampleConfigs>;

/** What the tenant works with, on its own control plane: the API of the domain service. */
export const sampleItems = defineKind({
  group: 'sample.example.com',
  version: 'v1',
  kind: 'SampleItem',
  description: 'Something to be greeted.',
  spec: Type.Object({ name: Type.String({ minLength: 1, description: 'Whom to greet.' }) }),
  status: Type.Object({ ...commonStatus, greeting: Type.Optional(Type.String({ description: 'The greeting.' })) }),
  columns: [
    { name: 'Greeting', type: 'string', jsonPath: '.status.greeting' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});
export type SampleItem = ObjectOf<typeof sampleItems>;
