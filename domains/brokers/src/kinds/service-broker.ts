import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, flag, free, labelsSchema, rowStatus, text } from './common.ts';
import { uniqueId, uniqueNameInTenant } from './unique-keys.ts';

const milliseconds = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }));

const limits = Type.Object({
  timeoutMs: milliseconds('How long an answer may take. Default 60,000.'),
  maxConnections: Type.Optional(Type.Integer({ minimum: 1, description: 'Default 32.' })),
  maxWaiting: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Calls that may wait for a connection. Default 256.' }),
  ),
  callsPerSecond: Type.Optional(Type.Number({ minimum: 0, description: 'Default: no limit.' })),
  breakAfterFailures: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Failed calls in a row after which the circuit breaker opens. 0: never. Default 20.',
    }),
  ),
  breakMs: milliseconds('How long the circuit breaker stays open. Default 5,000.'),
});

/** A registered service broker: where it is, how to talk to it, and what it offers. */
export const serviceBrokers = defineKind({
  ...declared,
  kind: 'ServiceBroker',
  shortNames: ['sb'],
  categories: ['brokers'],
  description: 'A registered service broker. Its catalog is fetched and becomes offerings and plans.',
  spec: Type.Object({
    name: text('Unique in its tenant. Default: the name of the object.'),
    url: text('Where the broker is; "/v2/catalog" is appended.'),
    internal: text('Instead of a URL: the name of an offering source of this landscape.'),
    description: text('For people.'),
    labels: labelsSchema,
    credentialsSecret: text(
      'A Secret of the same namespace: username and password, token, client_certificate and client_key, in any combination.',
    ),
    useServerCertificate: flag('Show the certificate of the service manager to the broker.'),
    caBundle: text('Certificates (PEM) that the broker is trusted by, besides the usual ones.'),
    insecureSkipVerify: flag('Trust any certificate. For tests only.'),
    apiVersion: Type.Optional(
      Type.String({
        pattern: '^\\d+\\.\\d+$',
        description: 'The only version that the broker is spoken to in. Default: what it accepts.',
      }),
    ),
    limits: Type.Optional(limits),
  }),
  status: Type.Object({
    ...rowStatus,
    catalog: free('As the broker said it, with reference plans added.'),
    catalogHash: text('Changes when the catalog does.'),
    catalogFetchedAt: text('When it was fetched.'),
    apiVersion: text('The version that the broker accepted.'),
  }),
  columns: [
    column('Display-Name', '.spec.name'),
    column('URL', '.spec.url'),
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    column('Catalog', '.status.conditions[?(@.type=="Synced")].reason'),
    { name: 'Fetched', type: 'date', jsonPath: '.status.catalogFetchedAt', description: 'When its catalog was.' },
    column('Reason', '.status.conditions[?(@.type=="Ready")].reason', 1),
    ageColumn,
  ],
  uniqueKeys: [uniqueId, uniqueNameInTenant],
});

export type ServiceBroker = ObjectOf<typeof serviceBrokers>;
