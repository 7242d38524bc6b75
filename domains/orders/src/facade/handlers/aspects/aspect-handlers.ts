import { compileLike } from '@chandlery/api';
import type { NewAspect } from '../../../actions/aspects/aspect-actions.ts';
import { invalidField, OrdersError, recordNotFound } from '../../../errors.ts';
import { type Json, withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { readAtTime } from '../../../model/lists/at-time.ts';
import { columnsOf } from '../../../model/lists/list-column.ts';
import type { ListParameters } from '../../../model/lists/page-token.ts';
import { accountUrn, openPolicy, urnOf } from '../../../model/urns.ts';
import type { AspectRow } from '../../../registry/orders-registry.ts';
import { actorOf, type Call, created, noContent, type OrdersResponse, ok } from '../call.ts';
import { findRecord } from '../find-record.ts';
import type { HandlerDeps } from '../handler-deps.ts';
import { hrefOf, link } from '../links.ts';
import { listRecords } from '../lists/list-records.ts';
import { readFlag } from '../lists/read-list-query.ts';

const columns = columnsOf<AspectRow>({
  text: {
    id: ({ id }) => urnOf('aspect', id),
    entity: ({ spec }) => spec.entity,
    schema: ({ spec }) => spec.schema,
    policy: ({ spec }) => spec.policy,
    account: ({ tenant }) => accountUrn(tenant),
    asserter: ({ spec }) => spec.asserter,
    retracter: ({ status }) => status.retracter,
    replaces: ({ spec }) => spec.replaces,
  },
  time: {
    'created-at': ({ createdAt }) => createdAt,
    'valid-from': ({ createdAt }) => createdAt,
    'valid-to': ({ status }) => status.validTo,
  },
});

/** Handlers of aspects. */
export const aspectHandlers = (deps: HandlerDeps) => {
  const { registry, actions } = deps;
  return {
    list: async (call: Call): Promise<OrdersResponse> => {
      const body = await listRecords(
        call,
        {
          name: 'aspects',
          columns,
          parameters: ['entity', 'schema', 'include-content'],
          isKeptForever: true,
          matcherOf,
          table: registry.aspects,
          present: (aspect, parameters) => presentItem(aspect, call, isContentWanted(parameters)),
        },
        deps,
      );
      const { entity, schema } = { entity: call.query.get('entity'), schema: call.query.get('schema') };
      return ok({ ...body, ...(entity && { entity }), ...(schema && { schema }) });
    },

    /** An aspect that holds, or held `at-time`. */
    get: async (call: Call): Promise<OrdersResponse> => {
      const row = findRecord(call, 'aspect', registry.aspects);
      const time = readAtTime(call.query.get('at-time'), { now: deps.clock.now(), retentionMs: undefined });
      if (!holdsAt(row, time)) throw recordNotFound(urnOf('aspect', row.id));
      return ok(presentAspect(row, call));
    },

    add: async (call: Call): Promise<OrdersResponse> => {
      const row = await actions.aspects.add(actorOf(call), await readAspect(call));
      return created(presentAspect(row, call), hrefOf(call, 'aspect', row.id));
    },

    replace: async (call: Call): Promise<OrdersResponse> =>
      ok(presentAspect(await actions.aspects.replace(actorOf(call), await readAspect(call)), call)),

    retract: async (call: Call): Promise<OrdersResponse> => {
      await actions.aspects.retract(findRecord(call, 'aspect', registry.aspects), call);
      return noContent;
    },
  };
};

/** Those that hold at the time, of an entity and of schemas that match a pattern with `%`. */
function matcherOf({ entity, schema }: ListParameters, time: string | undefined): (row: AspectRow) => boolean {
  const hasSchema = schema === undefined ? undefined : compileLike(schema);
  return row =>
    holdsAt(row, time) &&
    (entity === undefined || row.spec.entity === entity) &&
    (hasSchema === undefined || hasSchema(row.spec.schema));
}

const holdsAt = ({ createdAt, status }: AspectRow, time: string | undefined): boolean =>
  time === undefined
    ? status.validTo === undefined
    : createdAt <= time && (status.validTo === undefined || status.validTo > time);

const isContentWanted = (parameters: ListParameters): boolean =>
  readFlag('include-content', parameters['include-content'], false);

async function readAspect(call: Call): Promise<NewAspect> {
  const type = call.headers['content-type'] ?? 'application/json';
  if (!/^application\/(.+\+)?json\b/i.test(type))
    throw new OrdersError('unsupported-content', 'An aspect must be JSON', { name: 'content-type', value: type });
  const content = await call.body.json();
  return {
    entity: parameter(call, 'entity', content['$entity']),
    schema: parameter(call, 'schema', content['$schema']),
    content,
    policy: call.query.get('policy') ?? undefined,
    contentType: type,
  };
}

/** A parameter of the query, or what the content says itself. */
function parameter({ query }: Call, name: string, own: Json[string]): string {
  const value = query.get(name) ?? (typeof own === 'string' ? own : '');
  if (!/^[a-z][a-z0-9+.-]*:\S+$/i.test(value)) throw invalidField(name, `${name} must be a URN`, value);
  return value;
}

const presentItem = ({ id, createdAt, spec, status }: AspectRow, call: Call, hasContent: boolean): object =>
  withoutUndefined({
    id: urnOf('aspect', id),
    href: hrefOf(call, 'aspect', id),
    entity: spec.entity,
    schema: spec.schema,
    'content-type': spec.contentType ?? 'application/json',
    content: hasContent ? spec.content : undefined,
    'valid-from': createdAt,
    'valid-to': status.validTo,
  });

const presentAspect = (row: AspectRow, call: Call): object =>
  withoutUndefined({
    ...presentItem(row, call, true),
    href: undefined,
    account: accountUrn(row.tenant),
    asserter: row.spec.asserter,
    retracter: row.status.retracter,
    policy: row.spec.policy ?? openPolicy.metadata,
    replaces: row.spec.replaces,
    links: [link('self', hrefOf(call, 'aspect', row.id))],
  });
