import type { CreateInstanceRequest } from '../../../actions/fleet-actions.ts';
import { indexTerm } from '../../../registry/fleet-registry.ts';
import { type FieldReader, fieldsOf } from '../body-fields.ts';
import { type FleetResponse, ok, type UserCall } from '../call.ts';
import { checkAsync } from '../check-async.ts';
import type { HandlerDeps } from '../facade-deps.ts';
import { listInstances, readListQuery } from '../lists/list-instances.ts';
import { listEnvelope } from '../lists/paging.ts';
import { findOwnInstance } from './find-instance.ts';
import { presentInstance } from './present-instance.ts';

type Deps = Pick<HandlerDeps, 'tables' | 'actions'>;

/** Handlers of the instances of an organisation. */
export const instanceHandlers = ({ tables, actions }: Deps) => ({
  list: async (call: UserCall): Promise<FleetResponse> => {
    const { product, caller, names } = call;
    const query = readListQuery(call.query);
    const rows = tables.instances.by('organisation', indexTerm(product.row.id, caller.organisation));
    const { page, total, rows: found } = await listInstances(rows, query);
    const items = found.map(row => presentInstance(row, call));
    return ok(listEnvelope(`${names.kind}RequestList`, { page, total, items }));
  },

  get: async (call: UserCall): Promise<FleetResponse> => {
    return ok(presentInstance(findOwnInstance(call, tables), call));
  },

  create: async (call: UserCall): Promise<FleetResponse> => {
    const request = readRequest(fieldsOf(await call.readBody()));
    checkAsync(call);
    const row = await actions.create(call.product, call.caller, request);
    return { status: 202, body: presentInstance(row, call) };
  },

  patch: async (call: UserCall): Promise<FleetResponse> => {
    const owner = fieldsOf(await call.readBody()).text('owner');
    const { id } = findOwnInstance(call, tables);
    return ok(presentInstance(await actions.changeOwner(call.product, call.caller, { id, owner }), call));
  },

  remove: async (call: UserCall): Promise<FleetResponse> => {
    checkAsync(call);
    const { id } = findOwnInstance(call, tables);
    await actions.delete(call.product, call.caller, id);
    return { status: 202 };
  },
});

/** Throws error 17: a field of the wrong type counts as a body that cannot be read, before anything else is checked. */
const readRequest = (fields: FieldReader): CreateInstanceRequest => ({
  name: fields.text('name') ?? '',
  cloudProvider: fields.text('cloud_provider'),
  region: fields.text('region'),
  multiAz: fields.flag('multi_az'),
  plan: fields.text('plan'),
});
