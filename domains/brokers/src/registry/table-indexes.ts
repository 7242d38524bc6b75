import type { TermsOf } from '@chandlery/registry';
import { acceptedPairs, isLandscapeBroker, isLandscapeId, ownPlatformId } from '../kinds/index.ts';
import { labelTerms } from '../model/query/label-term.ts';
import type { AllIndexesOf, IndexesOf, RowOf, TableName } from '../model/rows.ts';
import { instanceTerm } from '../model/sharing/rows-of-instance.ts';

type OwnIndexes = { readonly [T in TableName]: Readonly<Record<IndexesOf[T], TermsOf<RowOf[T]>>> };

interface Named {
  readonly id: string;
  readonly spec: { readonly name?: string };
}

const nameOf = ({ id, spec }: Named): string => spec.name ?? id;

const originOf = (broker: RowOf['brokers']): string => (isLandscapeBroker(broker) ? 'landscape' : 'registered');

/** The indexes of each table, besides those that all have. */
const ownIndexes: OwnIndexes = {
  platforms: { name: nameOf, username: ({ status }) => usernamesOf(status.credentials, status.oldCredentials) },
  brokers: { name: nameOf, internal: ({ spec }) => spec.internal ?? '', origin: originOf },
  offerings: {
    brokerId: ({ spec }) => spec.brokerId,
    name: nameOf,
    catalogId: ({ spec }) => spec.catalogId,
  },
  plans: {
    brokerId: ({ spec }) => spec.brokerId,
    offeringId: ({ spec }) => spec.offeringId,
    catalogId: ({ spec }) => spec.catalogId,
    name: nameOf,
  },
  visibilities: {
    platformId: ({ spec }) => spec.platformId ?? '',
    planId: ({ spec }) => spec.planId,
    origin: ({ id }) => (isLandscapeId(id) ? 'landscape' : 'registered'),
  },
  instances: {
    platformId: ({ spec }) => spec.platformId || ownPlatformId,
    // Instances made by kubectl may name their plan; then only the status has its id.
    planId: ({ spec, status }) => spec.planId ?? status.planId,
    name: nameOf,
    referencedInstanceId: ({ spec }) => spec.referencedInstanceId,
    reference: ({ tenant, spec: { referencedInstanceId: id } }) =>
      id === undefined ? undefined : instanceTerm({ tenant, id }),
  },
  bindings: {
    instanceId: ({ spec }) => spec.instanceId,
    instance: ({ tenant, spec }) => instanceTerm({ tenant, id: spec.instanceId }),
    name: nameOf,
  },
  operations: {
    resourceId: ({ spec }) => spec.resourceId,
    cascadeRootId: ({ spec }) => spec.cascadeRootId,
    parentId: ({ spec }) => spec.parentId,
    open: openTerms,
    idempotencyKey: ({ spec }) => spec.idempotencyKey,
  },
  credentials: {
    platformId: ({ spec }) => spec.platformId,
    brokerId: ({ spec }) => spec.brokerId,
    username: ({ spec }) => usernamesOf(...acceptedPairs(spec)),
  },
  notifications: {},
  removedPlatforms: { username: ({ spec }) => usernamesOf(...spec.credentials) },
};

/** All indexes of a table. */
export const indexesOf = <T extends TableName>(table: T): Readonly<Record<AllIndexesOf[T], TermsOf<RowOf[T]>>> => ({
  ...ownIndexes[table],
  tenant: ({ tenant }) => tenant,
  label: ({ spec }) => ('labels' in spec ? labelTerms(spec.labels) : undefined),
});

function usernamesOf(...pairs: readonly ({ readonly username: string } | undefined)[]): readonly string[] | undefined {
  const names = pairs.flatMap(pair => (pair === undefined ? [] : [pair.username]));
  return names.length === 0 ? undefined : names;
}

function openTerms({ status: { state, deletionScheduledAt } }: RowOf['operations']): readonly string[] | undefined {
  const isOpen = state === 'pending' || state === 'in progress';
  if (deletionScheduledAt === undefined) return isOpen ? [state] : undefined;
  return isOpen ? [state, 'mitigation'] : ['mitigation'];
}
