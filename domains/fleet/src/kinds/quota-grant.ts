import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, flag, rowStatus, text, texts } from './common.ts';

/** Quota beside the lists of the configuration document. */
export const quotaGrants = defineKind({
  ...declared,
  kind: 'QuotaGrant',
  categories: ['fleet'],
  scope: 'Cluster',
  description: 'Quota of a product for an organisation, for some of its users, or for one account.',
  spec: Type.Object({
    product: Type.String({ minLength: 1 }),
    organisation: text('The organisation. Either it or account.'),
    anyUser: flag('All users of the organisation may use it, where users names none.'),
    users: texts('The users of the organisation who may use it.'),
    account: text('A user of any organisation, such as a service account. Either it or organisation.'),
    maxAllowedInstances: Type.Optional(Type.Integer({ minimum: 0, description: 'Units. Default: of the settings.' })),
    expiresAt: text('RFC 3339; from then on it grants nothing. Default: never.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [
    column('Product', '.spec.product'),
    column('Organisation', '.spec.organisation'),
    column('Account', '.spec.account'),
    { name: 'Max', type: 'integer', jsonPath: '.spec.maxAllowedInstances' },
    ageColumn,
  ],
  rules: [
    {
      rule: 'has(self.spec.organisation) != has(self.spec.account)',
      message: 'name either an organisation or an account',
    },
  ],
});

export type QuotaGrant = ObjectOf<typeof quotaGrants>;
