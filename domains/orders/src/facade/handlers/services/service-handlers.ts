import { recordNotFound } from '../../../errors.ts';
import type { Json } from '../../../model/bodies/body-fields.ts';
import { readService1, readService2 } from '../../../model/services/service-fields.ts';
import { parseUrn } from '../../../model/urns.ts';
import { actorOf, type Call, created, isInScope, noContent, type OrdersResponse, ok } from '../call.ts';
import { findRecord, findVersion } from '../find-record.ts';
import type { HandlerDeps } from '../handler-deps.ts';
import { hrefOf } from '../links.ts';
import { listRecords } from '../lists/list-records.ts';
import { readFlag } from '../lists/read-list-query.ts';
import { servicesList } from './list-services.ts';
import { presentService1, presentService2 } from './present-service.ts';

const generations = {
  1: { read: readService1, present: presentService1, collection: 'services' },
  2: { read: readService2, present: presentService2, collection: 'services2' },
} as const;

/** Handlers of services, as one generation of clients knows them. */
export const serviceHandlers = (deps: HandlerDeps, generation: 1 | 2) => {
  const { registry, actions } = deps;
  const { read, collection } = generations[generation];
  const present = (service: Parameters<typeof presentService2>[0], call: Call): object =>
    generations[generation].present(service, call, deps.models);
  return {
    list: async (call: Call): Promise<OrdersResponse> =>
      ok(await listRecords(call, servicesList(call, deps, generation), deps)),

    get: async (call: Call): Promise<OrdersResponse> =>
      ok(present(findVersion(call, { kind: 'service', table: 'services' }, deps), call)),

    create: async (call: Call): Promise<OrdersResponse> => {
      const body = await call.body.json();
      const row = await actions.services.create(actorOf(call), read(body), givenId(body));
      return created(present(row, call), hrefOf(call, 'service', row.id, collection));
    },

    /** Replaces a service; with `force-create` one that is not there is created. */
    replace: async (call: Call): Promise<OrdersResponse> => {
      const isForced = readFlag('force-create', call.query.get('force-create'), false);
      const { id = '' } = call.params;
      const uuid = parseUrn('service', id);
      const row = uuid === undefined ? undefined : registry.services.get(uuid);
      if (uuid === undefined || (row !== undefined && !isInScope(call.scope, row.tenant))) throw recordNotFound(id);
      if (row === undefined && !isForced) throw recordNotFound(id);
      const spec = read(await call.body.json());
      const written =
        row === undefined
          ? await actions.services.create(actorOf(call), spec, uuid)
          : await actions.services.replace(row, spec);
      return ok(present(written, call));
    },

    remove: async (call: Call): Promise<OrdersResponse> => {
      await actions.services.remove(findRecord(call, 'service', registry.services));
      return noContent;
    },
  };
};

/** The id that the author chose; tools leave a placeholder there, which stands for none. */
function givenId(body: Json): string | undefined {
  const id = body['id'] ?? body['$id'];
  return typeof id === 'string' ? parseUrn('service', id) : undefined;
}
