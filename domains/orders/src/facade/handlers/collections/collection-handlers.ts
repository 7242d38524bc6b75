import { withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { columnsOf } from '../../../model/lists/list-column.ts';
import { accountUrn, urnOf } from '../../../model/urns.ts';
import { indexTerm, type OrdersRegistry, recordsAt, type Version } from '../../../registry/orders-registry.ts';
import { artifactColumns, presentArtifactItem } from '../artifacts/present-artifact.ts';
import { type Call, type OrdersResponse, ok } from '../call.ts';
import { findRecord, findVersion } from '../find-record.ts';
import type { HandlerDeps } from '../handler-deps.ts';
import { hrefOf, link } from '../links.ts';
import { listRecords } from '../lists/list-records.ts';

type Collection = Version<'collections'>;

const columns = columnsOf<Collection>({
  text: {
    id: ({ id }) => urnOf('collection', id),
    name: ({ spec }) => spec.name,
    description: ({ spec }) => spec.description,
    policy: ({ spec }) => spec.policy,
    account: ({ tenant }) => accountUrn(tenant),
  },
  time: { 'created-at': ({ createdAt }) => createdAt },
});

/** Handlers of collections, which come to be by the header `X-Collection` of artifacts. */
export const collectionHandlers = (deps: HandlerDeps) => {
  const { registry } = deps;
  return {
    list: async (call: Call): Promise<OrdersResponse> =>
      ok(
        await listRecords(
          call,
          {
            name: 'collections',
            columns,
            table: registry.collections,
            recordsAt: (tenant, time) => recordsAt(registry, { table: 'collections', tenant, time }),
            present: collection => presentItem(collection, call, memberCount(registry, collection)),
          },
          deps,
        ),
      ),

    get: async (call: Call): Promise<OrdersResponse> => {
      const collection = findVersion(call, { kind: 'collection', table: 'collections' }, deps);
      const members = memberCount(registry, collection);
      const href = hrefOf(call, 'collection', collection.id);
      return ok({
        ...presentItem(collection, call, members),
        links: [link('self', href), link('artifacts', `${href}/artifacts`)],
      });
    },

    /** The artifacts of a collection. */
    artifacts: async (call: Call): Promise<OrdersResponse> => {
      const { id, tenant } = findRecord(call, 'collection', registry.collections);
      return ok(
        await listRecords(
          call,
          {
            name: `collections/${id}/artifacts`,
            columns: artifactColumns,
            table: {
              newestFirst: ({ before } = {}) =>
                registry.artifacts.newestFirst({
                  where: { index: 'collection', value: indexTerm(tenant, id) },
                  ...(before && { before }),
                }),
            },
            present: artifact => presentArtifactItem(artifact, call),
          },
          deps,
        ),
      );
    },
  };
};

const memberCount = ({ artifacts }: OrdersRegistry, { id, tenant }: Collection): number =>
  artifacts.count('collection', indexTerm(tenant, id));

const presentItem = ({ id, tenant, createdAt, spec }: Collection, call: Call, members: number): object =>
  withoutUndefined({
    id: urnOf('collection', id),
    href: hrefOf(call, 'collection', id),
    name: spec.name,
    description: spec.description,
    policy: spec.policy,
    account: accountUrn(tenant),
    'created-at': createdAt,
    'artifact-count': members,
  });
