import { fleetError } from '../errors.ts';
import type { QuotaGrant } from '../kinds/index.ts';
import { everyOrganisation, type FleetConfiguration, type InstanceSize } from './configuration/configuration.ts';
import {
  accountScope,
  type Demand,
  fits,
  organisationScope,
  trialQuotaScope,
  trialScope,
  type UnitUsage,
} from './scopes.ts';

/** The type of registered users, where a request names none. */
export const standardType = 'standard';

/** The type of all other users. */
export const trialType = 'eval';

/** Whose quota is asked for. */
export interface QuotaSubject {
  readonly username: string;
  readonly organisation: string;
}

/** What quota is decided by. */
export interface QuotaContext {
  readonly configuration: FleetConfiguration;
  /** Of the product; those of other organisations and accounts count for nothing. */
  readonly grants: readonly QuotaGrant['spec'][];
  readonly now: Date;
}

/** Through what a user is registered, and how many units that gives. */
export type Entitlement =
  | { readonly type: 'organisation'; readonly limit: number }
  | { readonly type: 'account'; readonly limit: number }
  | { readonly type: 'none' };

/** What an instance takes of quota. */
export interface QuotaClaim {
  /** Where its units are counted, whether limited or not. */
  readonly scope: string;
  readonly units: number;
  /** The scopes that have limits. */
  readonly demands: readonly Demand[];
}

interface QuotaEntry {
  readonly limit: number | undefined;
  readonly users: readonly string[] | ReadonlySet<string>;
  readonly anyUser: boolean;
}

/** Finds what entitles a user: first the organisation, then the account. Several entries add up. */
export function entitlementOf(subject: QuotaSubject, context: QuotaContext): Entitlement {
  const organisation = organisationEntries(subject, context).filter(entry => covers(entry, subject.username));
  if (organisation.length > 0) return { type: 'organisation', limit: sumOfLimits(organisation, context) };
  const account = accountEntries(subject, context);
  return account.length > 0 ? { type: 'account', limit: sumOfLimits(account, context) } : { type: 'none' };
}

/** The type of an instance whose plan names none. */
export const typeOfEntitlement = ({ type }: Entitlement): string => (type === 'none' ? trialType : standardType);

/**
 * Decides whether an instance may be had. Throws 4 where trials are not allowed, 24 for one trial too many, 120 for a type
 * that the subject is not entitled to, and 5 when the units do not fit.
 */
export function claimQuota(
  request: QuotaSubject & { readonly instanceType: string; readonly size: InstanceSize },
  context: QuotaContext,
  usage: UnitUsage,
): QuotaClaim {
  const trial = request.instanceType === trialType ? [trialDemand(request, context, usage)] : [];
  const entitlement = entitlementOf(request, context);
  if ((entitlement.type === 'none') !== (request.instanceType === trialType))
    throw fleetError(120, `Insufficient quota: ${mismatchOf(request, entitlement)}`);
  const quota = quotaDemand(request, entitlement, context);
  if (!context.configuration.settings.enableInstanceLimitControl) return { ...quota, demands: trial };
  if (!fits(quota, usage)) throw fleetError(5, limitReached(request, entitlement, quota.limit));
  return { ...quota, demands: [...trial, quota] };
}

/**
 * Whether the quota lists still cover an instance. Trials are covered until they expire; a limit that was lowered below
 * what is in use takes nothing away.
 */
export function quotaStateOf(
  instance: { readonly owner: string; readonly organisation: string; readonly instanceType: string },
  context: QuotaContext,
): 'covered' | 'lost' {
  if (instance.instanceType === trialType) return 'covered';
  const subject = { username: instance.owner, organisation: instance.organisation };
  return entitlementOf(subject, context).type === 'none' ? 'lost' : 'covered';
}

function trialDemand(subject: QuotaSubject, { configuration }: QuotaContext, usage: UnitUsage): Demand {
  const { allowTrialInstances, maxAllowedTrialInstances: limit } = configuration.settings;
  if (!allowTrialInstances) throw fleetError(4, 'Trial instances are not allowed');
  const scope = trialScope(configuration.product.id, subject.organisation, subject.username);
  const demand = { scope, units: 1, limit };
  if (fits(demand, usage)) return demand;
  const reason = `User '${subject.username}' has reached the maximum number of ${limit} allowed trial instances.`;
  throw fleetError(24, reason, { detail: 'TrialLimit' });
}

function quotaDemand(
  { username, organisation, size }: QuotaSubject & { readonly size: InstanceSize },
  entitlement: Entitlement,
  { configuration }: QuotaContext,
): Demand {
  const { id } = configuration.product;
  const units = size.quotaConsumed;
  switch (entitlement.type) {
    case 'organisation':
      return { scope: organisationScope(id, organisation), units, limit: entitlement.limit };
    case 'account':
      return { scope: accountScope(id, username), units, limit: entitlement.limit };
    case 'none':
      return { scope: trialQuotaScope(id, username), units, limit: configuration.settings.maxAllowedInstances };
  }
}

function organisationEntries(
  { organisation }: QuotaSubject,
  { configuration, grants, now }: QuotaContext,
): QuotaEntry[] {
  const { organisations } = configuration.quota;
  const listed = organisations.get(organisation) ?? organisations.get(everyOrganisation);
  const granted = grants.filter(
    grant => grant.organisation === organisation && isGrantInForce(grant, configuration, now),
  );
  return [
    ...(listed === undefined ? [] : [{ ...listed, limit: listed.maxAllowedInstances }]),
    ...granted.map(grant => ({
      limit: grant.maxAllowedInstances,
      users: grant.users ?? [],
      anyUser: grant.anyUser ?? false,
    })),
  ];
}

function accountEntries(
  { username }: QuotaSubject,
  { configuration, grants, now }: QuotaContext,
): Pick<QuotaEntry, 'limit'>[] {
  const listed = configuration.quota.serviceAccounts.get(username);
  const granted = grants.filter(grant => grant.account === username && isGrantInForce(grant, configuration, now));
  return [...(listed === undefined ? [] : [listed]), ...granted].map(({ maxAllowedInstances }) => ({
    limit: maxAllowedInstances,
  }));
}

/** The named users, or all users where none is named. */
function covers({ users, anyUser }: QuotaEntry, username: string): boolean {
  const named = users instanceof Set ? users : new Set(users);
  return named.size > 0 ? named.has(username) : anyUser;
}

/** Whether a grant of the product has not expired. */
export function isGrantInForce(
  { product, expiresAt }: QuotaGrant['spec'],
  configuration: FleetConfiguration,
  now: Date,
): boolean {
  if (product !== configuration.product.id) return false;
  // A time that cannot be read grants nothing, rather than for ever.
  return expiresAt === undefined || Date.parse(expiresAt) > now.getTime();
}

const sumOfLimits = (
  entries: readonly Pick<QuotaEntry, 'limit'>[],
  { configuration }: Pick<QuotaContext, 'configuration'>,
): number => entries.reduce((sum, { limit = configuration.settings.maxAllowedInstances }) => sum + limit, 0);

function limitReached({ username, organisation }: QuotaSubject, { type }: Entitlement, limit: number): string {
  const who = type === 'organisation' ? `Organization '${organisation}'` : `User '${username}'`;
  return `${who} has reached a maximum number of ${limit} allowed instances.`;
}

const mismatchOf = (
  { username, instanceType }: QuotaSubject & { readonly instanceType: string },
  { type }: Entitlement,
): string =>
  type === 'none'
    ? `user '${username}' is not registered for instances of type '${instanceType}'`
    : `user '${username}' is registered, and type '${instanceType}' is for users who are not`;
