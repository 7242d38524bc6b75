import { type AccountQuota, everyOrganisation, type OrganisationQuota, type QuotaList } from './configuration.ts';
import { type DocumentValue, mapUnique } from './document-value.ts';

/** Reads `registered_users_per_organisation` and `registered_service_accounts`. */
export const readQuotaList = (organisations: DocumentValue, accounts: DocumentValue): QuotaList => ({
  organisations: mapUnique(organisations.items(), item => {
    const organisation = readOrganisation(item);
    return [organisation.id, organisation];
  }),
  serviceAccounts: mapUnique(accounts.items(), item => {
    const account = readAccount(item);
    return [account.username, account];
  }),
});

function readOrganisation(value: DocumentValue): OrganisationQuota {
  const field = value.fields(['id', 'any_user', 'max_allowed_instances', 'registered_users']);
  const users = mapUnique(field('registered_users').items(), item => {
    const username = item.fields(['username'])('username').identifier();
    return [username, username];
  });
  const id = field('id').identifier();
  if (id === everyOrganisation && users.size > 0)
    field('registered_users').reject('must be empty for every organisation');
  return {
    id,
    anyUser: field('any_user').flag(false),
    maxAllowedInstances: field('max_allowed_instances').optionalInteger({}),
    users: new Set(users.keys()),
  };
}

function readAccount(value: DocumentValue): AccountQuota {
  const field = value.fields(['username', 'max_allowed_instances']);
  return {
    username: field('username').identifier(),
    maxAllowedInstances: field('max_allowed_instances').optionalInteger({}),
  };
}
