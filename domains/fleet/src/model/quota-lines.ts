import type { QuotaGrant } from '../kinds/index.ts';
import { everyOrganisation, type FleetConfiguration } from './configuration/configuration.ts';
import { isGrantInForce, trialType } from './quota.ts';
import { accountScope, organisationScope, trialScope, type UnitUsage } from './scopes.ts';

/** One source of quota, or the trials of one owner, with what is used of it. */
export interface QuotaLine {
  readonly type: 'organisation' | 'account' | 'trial';
  /** Undefined for accounts, which count in whichever organisation. */
  readonly organisation?: string;
  /** The account, or the owner of trials. */
  readonly username?: string;
  /** `document`, `document *` (the entry for organisations that have none of their own), `settings`, or `grant/<name>`. */
  readonly source: string;
  /** Who may use it; undefined: every user whom the line covers. */
  readonly users?: readonly string[];
  /** Undefined: not limited, because `enable_instance_limit_control` is off. */
  readonly limit?: number;
  /** Units in use of all sources of the organisation or account together. */
  readonly used: number;
}

/** A grant and the name of its object. */
export interface NamedGrant {
  readonly id: string;
  readonly spec: QuotaGrant['spec'];
}

/** Whose quota is in use: what is looked at in an instance. */
export interface QuotaHolder {
  readonly organisation: string;
  readonly owner: string;
  readonly instanceType: string | undefined;
}

/** What quota lines are made from. */
export interface QuotaLineContext {
  readonly configuration: FleetConfiguration;
  readonly grants: readonly NamedGrant[];
  readonly holders: Iterable<QuotaHolder>;
  readonly usage: UnitUsage;
  readonly now: Date;
}

/** The source of quota of an organisation without an entry of its own. */
const documentForAll = `document ${everyOrganisation}`;

/** Lists all quota of a product: organisations, accounts, trials in use. With an organisation only what counts in it. */
export function quotaLines(context: QuotaLineContext, organisation?: string): readonly QuotaLine[] {
  const { organisations, trials } = subjectsInUse(context);
  const lines = [
    ...organisationLines(context, organisation === undefined ? organisations : organisations.add(organisation)),
    ...(organisation === undefined ? accountLines(context) : []),
    ...trials.map(({ organisation: of, owner }) => trialLine(context, of, owner)),
  ];
  return organisation === undefined ? lines : lines.filter(line => line.organisation === organisation);
}

interface SubjectsInUse {
  readonly organisations: Set<string>;
  readonly trials: readonly QuotaHolder[];
}

function subjectsInUse({ holders }: QuotaLineContext): SubjectsInUse {
  const organisations = new Set<string>();
  const trials = new Map<string, QuotaHolder>();
  for (const holder of holders) {
    if (holder.instanceType === trialType) trials.set(JSON.stringify([holder.organisation, holder.owner]), holder);
    else organisations.add(holder.organisation);
  }
  return { organisations, trials: [...trials.values()] };
}

function organisationLines(context: QuotaLineContext, inUse: ReadonlySet<string>): QuotaLine[] {
  const { configuration, grants, now } = context;
  const granted = grants.filter(
    ({ spec }) => spec.organisation !== undefined && isGrantInForce(spec, configuration, now),
  );
  const listed = configuration.quota.organisations.keys();
  const ids = new Set([...listed, ...granted.map(({ spec }) => spec.organisation ?? ''), ...inUse]);
  return [...ids].toSorted().flatMap(id => linesOfOrganisation(context, granted, id));
}

function linesOfOrganisation(
  context: QuotaLineContext,
  granted: readonly NamedGrant[],
  organisation: string,
): QuotaLine[] {
  const { product, quota } = context.configuration;
  const used = context.usage.used(organisationScope(product.id, organisation));
  const own = quota.organisations.get(organisation);
  const entry = own ?? quota.organisations.get(everyOrganisation);
  const listed = entry && {
    ...entry,
    users: [...entry.users],
    source: own === undefined ? documentForAll : 'document',
  };
  const grants = granted
    .filter(({ spec }) => spec.organisation === organisation)
    .map(({ id, spec }) => ({ ...spec, source: `grant/${id}` }));
  return [...(listed === undefined ? [] : [listed]), ...grants].map(
    ({ source, users, anyUser, maxAllowedInstances }) => ({
      type: 'organisation',
      organisation,
      source,
      ...limitOf(context, { maxAllowedInstances }),
      ...usersOf(users, anyUser),
      used,
    }),
  );
}

function accountLines(context: QuotaLineContext): QuotaLine[] {
  const { configuration, grants, now, usage } = context;
  const used = (username: string): number => usage.used(accountScope(configuration.product.id, username));
  const granted = grants.filter(({ spec }) => spec.account !== undefined && isGrantInForce(spec, configuration, now));
  const lines = [
    ...[...configuration.quota.serviceAccounts.values()].map(entry => ({
      entry,
      username: entry.username,
      source: 'document',
    })),
    ...granted.map(({ id, spec }) => ({ entry: spec, username: spec.account ?? '', source: `grant/${id}` })),
  ];
  return lines.map(({ entry, username, source }) => ({
    type: 'account',
    username,
    source,
    ...limitOf(context, entry),
    used: used(username),
  }));
}

function trialLine({ configuration, usage }: QuotaLineContext, organisation: string, owner: string): QuotaLine {
  return {
    type: 'trial',
    organisation,
    username: owner,
    source: 'settings',
    limit: configuration.settings.maxAllowedTrialInstances,
    used: usage.used(trialScope(configuration.product.id, organisation, owner)),
  };
}

function limitOf(
  { configuration }: QuotaLineContext,
  { maxAllowedInstances }: { readonly maxAllowedInstances?: number | undefined },
): { readonly limit?: number } {
  const { enableInstanceLimitControl, maxAllowedInstances: byDefault } = configuration.settings;
  return enableInstanceLimitControl ? { limit: maxAllowedInstances ?? byDefault } : {};
}

/** Named users win; without any, it covers no user unless any_user is set. */
const usersOf = (users: readonly string[] = [], anyUser = false): { readonly users?: readonly string[] } =>
  users.length > 0 || !anyUser ? { users } : {};
