import { defineKind, type KubeObject, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, flag, labelsSchema, rowStatus, text } from './common.ts';
import { uniqueId, uniqueNameInTenant } from './unique-keys.ts';

const credentials = Type.Object({
  username: Type.String(),
  passwordHash: Type.String({ description: 'SHA-256, in hexadecimal, of the random password.' }),
  isActive: flag('Whether a connection was made with them.'),
});

/** A registered Kubernetes cluster, Cloud Foundry or the like, which consumes services for its users. */
export const platforms = defineKind({
  ...declared,
  kind: 'Platform',
  shortNames: ['plat'],
  categories: ['brokers'],
  description: 'A registered deployment of a platform: a Kubernetes cluster, a Cloud Foundry installation.',
  spec: Type.Object({
    name: text('Unique in its tenant. Default: the name of the object.'),
    type: Type.String({ minLength: 1, description: 'Free text; "kubernetes" and "cloudfoundry" have a meaning.' }),
    description: text('For people.'),
    suspended: flag('Whether it may not create anything.'),
    technical: flag('Exists only to hang visibilities on: no credentials, not shown.'),
    labels: labelsSchema,
  }),
  status: Type.Object({
    ...rowStatus,
    credentials: Type.Optional(credentials),
    oldCredentials: Type.Optional(credentials),
    credentialsSecret: text('The Secret with the password, for platforms that were made by kubectl.'),
    isConnected: flag('Whether its proxy is connected.'),
    lastActiveAt: text('When its proxy was last active.'),
    agentVersion: text('What its proxy calls itself.'),
  }),
  columns: [
    column('Display-Name', '.spec.name'),
    column('Type', '.spec.type'),
    { name: 'Connected', type: 'boolean', jsonPath: '.status.isConnected' },
    ageColumn,
  ],
  selectableFields: ['.spec.type'],
  uniqueKeys: [uniqueId, uniqueNameInTenant, { name: 'username', within: 'landscape', values: usernamesOf }],
});

export type Platform = ObjectOf<typeof platforms>;

function usernamesOf(object: KubeObject): string[] {
  const status = object['status'] as Readonly<Record<string, { username: string } | undefined>> | undefined;
  const pairs = [status?.['credentials'], status?.['oldCredentials']];
  return pairs.flatMap(pair => (pair === undefined ? [] : [pair.username]));
}
